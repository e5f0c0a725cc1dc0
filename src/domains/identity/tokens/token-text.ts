import { createHash } from "node:crypto";
import { randomText } from "../../../kernel/text.ts";
import type { TokenKind } from "../../../registry/caller.ts";
import { TOKEN_RULES } from "./token-kinds.ts";

const SECRET_BYTES = 32;
const HINT_CHARACTERS = 4;

const PREFIXES = Object.values(TOKEN_RULES).flatMap(({ prefix }) => (prefix === null ? [] : [prefix]));
const OWN_TOKEN = new RegExp(`^(?:${PREFIXES.join("|")})[A-Za-z0-9_-]{43}$`);

export interface NewTokenText {
  token: string;
  hash: string;
  hintText: string;
}

export function newTokenText(kind: TokenKind): NewTokenText {
  const { prefix } = TOKEN_RULES[kind];
  if (prefix === null) throw new TypeError(`tokens of kind ${kind} are not made here`);
  const token = prefix + randomText(SECRET_BYTES);
  return { token, hash: hashOf(token), hintText: `${token.slice(0, prefix.length + HINT_CHARACTERS)}…` };
}

/** Whether a text has the form of a token that we make: what has not need not be looked up. */
export function isOwnToken(text: string): boolean {
  return OWN_TOKEN.test(text);
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
