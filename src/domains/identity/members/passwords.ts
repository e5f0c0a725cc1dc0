import { argon2, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

const derive = promisify(argon2);

interface Cost {
  /** KiB */
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP's recommendation for argon2id. Raise it here: older hashes are renewed at the next sign-in. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,86})\$([A-Za-z0-9+/]{22,86})$/;

/** The password as `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, the form that other argon2 programs read too. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derivation(password, salt, COST, TAG_BYTES);
  return `$argon2id$v=19$${costText(COST)}$${unpadded(salt)}$${unpadded(tag)}`;
}

export async function passwordFits(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) throw new Error("a stored password hash cannot be read");
  const expected = Buffer.from(tag, "base64");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const actual = await derivation(password, Buffer.from(salt, "base64"), cost, expected.length);
  return timingSafeEqual(actual, expected);
}

/** True if the hash was made with another cost than today's. */
export function isOutdated(hash: string): boolean {
  return !hash.startsWith(`$argon2id$v=19$${costText(COST)}$`);
}

/** The hash of nothing in particular: checking it takes as long as checking a real one. */
export const DECOY_HASH: string = `$argon2id$v=19$${costText(COST)}$${unpadded(Buffer.alloc(SALT_BYTES, 7))}$${unpadded(Buffer.alloc(TAG_BYTES, 7))}`;

let running = 0;
const waiting: (() => void)[] = [];

/** A few at a time: argon2 takes the threads that files and names are read with, and memory. */
async function derivation(password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  if (running >= LIMITS.identity.passwordHashesAtOnce) {
    if (waiting.length >= LIMITS.identity.passwordHashesWaiting) {
      throw new AppError("rate_limited", "Too many people are signing in just now.", {
        hint: "Try again in a few seconds.",
        data: { retryAfterMs: 5_000 },
      });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    // One spelling for each password: the same letters typed on another keyboard can be other code points.
    return await derive("argon2id", { message: password.normalize("NFKC"), nonce, tagLength, ...cost });
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

function costText(cost: Cost): string {
  return `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

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

/** No 0/o, 1/l/i: a generated password is read from a screen and typed. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 5;
const GROUP_CHARACTERS = 5;

/** Five groups of five, such as `k7wqm-…`: about 123 bits. */
export function generatePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}
