import { maskText } from "../../../kernel/masking.ts";
import { sanitiseText } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";

/** A message of a foreign server, fit to be shown: one line, bounded, without anything secret. */
export function shownMessage(message: unknown, secrets: readonly (string | undefined)[]): string {
  let text = sanitiseText(String(message)).replace(/\s+/g, " ").trim();
  for (const secret of secrets) {
    // Shorter ones would mask half of every sentence, and protect nothing.
    if (secret !== undefined && secret.length >= 4) text = text.replaceAll(secret, "***");
  }
  return maskText(text, LIMITS.datasources.errorCharacters).replace(/[.\s]+$/, "");
}
