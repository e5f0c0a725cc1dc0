import { randomInt } from "node:crypto";

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
