import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

const { passwordMinCharacters: MIN, passwordMaxCharacters: MAX } = LIMITS.identity;

/**
 * Twelve characters at least: length is what makes guessing hopeless against argon2id, while rules on
 * the kind of characters only make passwords harder to remember (NIST SP 800-63B). The e-mail itself
 * and one repeated character are what people try first to satisfy a length rule.
 */
export function requireGoodPassword(password: string, email: string): void {
  const characters = [...password].length;
  if (characters < MIN)
    refuse(`A password needs at least ${MIN} characters.`, "A few random words are easy to remember.");
  if (password.length > MAX) refuse(`A password may have at most ${MAX} characters.`, "Use a shorter one.");
  if (new Set(password).size < 4)
    refuse("This password repeats a few characters only.", "Use a few random words.");
  const lower = password.toLowerCase();
  if (lower === email || lower === email.split("@")[0]) {
    refuse("The password must not be the e-mail address.", "Use a few random words.");
  }
}

function refuse(message: string, hint: string): never {
  throw new AppError("bad_request", message, { hint });
}
