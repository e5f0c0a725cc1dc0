import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

/** Control characters, and marks that reverse or hide text, would let a name pretend to be another one. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A name that people will read in listings and consent pages. */
export function requireName(name: string, what: string): string {
  const trimmed = name.normalize("NFC").trim();
  const tooLong = trimmed.length > LIMITS.identity.nameCharacters;
  if (trimmed === "" || tooLong || UNPRINTABLE.test(trimmed)) {
    throw new AppError("bad_request", `The name of a ${what} must be readable text.`, {
      hint: `Use 1 to ${LIMITS.identity.nameCharacters} characters, without line breaks or control characters.`,
    });
  }
  return trimmed;
}
