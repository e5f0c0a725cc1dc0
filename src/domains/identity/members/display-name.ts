import { AppError } from "../../../kernel/errors.ts";
import { assertVisible } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";

/** A name that people will read in listings and consent pages. */
export function requireName(name: string, what: string): string {
  const trimmed = name.normalize("NFC").trim();
  const tooLong = trimmed.length > LIMITS.identity.nameCharacters;
  if (trimmed === "" || tooLong) {
    throw new AppError("bad_request", `The name of a ${what} must be readable text.`, {
      hint: `Use 1 to ${LIMITS.identity.nameCharacters} characters.`,
    });
  }
  assertVisible(trimmed);
  return trimmed;
}
