import { createHmac, randomBytes } from "node:crypto";
import { JsonSlice } from "./json.ts";
import { LIMITS } from "./limits.ts";

const MASK = "***";

/** Names of fields whose value is never written down, compared without case, `_` and `-`. */
const SECRET_WORDS =
  /password|passwd|passphrase|secret|apikey|privatekey|accesskey|authkey|accountkey|subscriptionkey|signature|authorization|credential|connectionstring|(?:token|pwd|cookie|jwt)$/;

/** Names that are secret only as a whole, and only before a text: `key: 7` is most likely none. */
const SECRET_NAMES = /^(?:key|sig|auth|code|appid|appkey|pass|pw|pin|otp|sas)$/;

type Replacement = string | ((...found: string[]) => string);

/** Texts that are secrets whatever field they stand in. */
const SECRET_TEXTS: readonly { pattern: RegExp; replacement: Replacement }[] = [
  // Our own tokens and client secrets: a prefix and at least part of their 43 characters.
  {
    pattern: /(?<![A-Za-z0-9])(kmt_|kmcp_|kapi_|kbt_|kcs_|wg-)[A-Za-z0-9_-]{12,}/g,
    replacement: `$1${MASK}`,
  },
  { pattern: /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, replacement: `$1 ${MASK}` },
  // Hashes of passwords, which can be guessed at leisure by whoever has them.
  { pattern: /\$argon2[a-z]{1,2}\$[A-Za-z0-9+/=,$.-]{0,512}/g, replacement: `$argon2${MASK}` },
  // JSON Web Tokens.
  { pattern: /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}/g, replacement: MASK },
  // The password inside a URL such as postgres://user:password@host.
  { pattern: /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]{0,256}):[^\s/@]{1,256}@/gi, replacement: `$1:${MASK}@` },
  // All parameters of a URL in full: which of them is a key, only its server knows.
  {
    pattern: /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s?#"<>]{1,2048}[?#])([^\s"<>]+)/gi,
    replacement: (_whole, address = "", parameters = "") => address + maskParameters(parameters),
  },
  // A key or token among the parameters of a path.
  {
    pattern: /([?&#;])([A-Za-z0-9_.%[\]-]{1,80})=([^&#\s"]+)/g,
    replacement: (whole, sign, name = "") => (isSecretName(name) ? `${sign}${name}=${MASK}` : whole),
  },
  // A field of an object that is written as a text.
  {
    pattern: /"([A-Za-z0-9_. -]{1,80})"\s{0,10}:\s{0,10}"(?:[^"\\]|\\.)*"?/g,
    replacement: (whole, name = "") => (isSecretName(name) ? `"${name}":"${MASK}"` : whole),
  },
  {
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}/g,
    replacement: `-----BEGIN PRIVATE KEY-----${MASK}`,
  },
];

/** How much more than the limit of a text is looked at, so that a secret cut by the limit is still seen. */
const LOOKAHEAD_CHARACTERS = 512;
/** A cheap test that spares most texts the replacements. */
const MAYBE_SECRET =
  /kmt_|kmcp_|kapi_|kbt_|kcs_|wg-|bearer|basic|\$argon2|eyJ|:\/\/|-----BEGIN|[?&#;][^=\s]{1,80}=|"\s{0,10}:/i;

export function isSecretName(name: string): boolean {
  const plain = plainName(name);
  return SECRET_WORDS.test(plain) || SECRET_NAMES.test(plain);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[_\-\s.]/g, "");
}

/** `a=***&b=***`: the names stay. */
function maskParameters(text: string): string {
  return text
    .split("&")
    .map((pair) => (pair.includes("=") ? pair.slice(0, pair.indexOf("=") + 1) + MASK : MASK))
    .join("&");
}

/** A text with the secrets in it masked, and without what PostgreSQL cannot store. */
export function maskText(text: string, limit: number = LIMITS.call.auditExcerptCharacters): string {
  const cut = text.length > limit + LOOKAHEAD_CHARACTERS ? text.slice(0, limit + LOOKAHEAD_CHARACTERS) : text;
  let masked = storable(cut);
  if (MAYBE_SECRET.test(masked)) {
    for (const { pattern, replacement } of SECRET_TEXTS)
      masked = masked.replace(pattern, replacement as string);
  }
  return masked.length > limit ? `${masked.slice(0, Math.max(0, limit - 1)).toWellFormed()}…` : masked;
}

/** PostgreSQL takes neither NUL nor half of a surrogate pair in a text, and would refuse the whole row. */
function storable(text: string): string {
  return (text.includes("\u0000") ? text.replaceAll("\u0000", "") : text).toWellFormed();
}

/**
 * A bounded JSON-like text of a call's arguments for the audit log, secrets masked. It stops reading
 * at the limit, so that a large argument costs no more than a small one.
 */
export function excerpt(value: unknown, limit: number = LIMITS.call.auditExcerptCharacters): string {
  const writer = new ExcerptWriter(limit);
  writer.write(value, 0);
  return writer.text();
}

class ExcerptWriter {
  #parts: string[] = [];
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  text(): string {
    const text = this.#parts.join("");
    return this.#left > 0
      ? text
      : `${text.slice(0, Math.max(0, text.length + this.#left - 1)).toWellFormed()}…`;
  }

  write(value: unknown, depth: number): void {
    if (this.#left <= 0) return;
    if (typeof value === "string") this.#put(JSON.stringify(maskText(value, this.#left)));
    else if (typeof value === "number" || typeof value === "boolean" || value === null)
      this.#put(String(value));
    else if (value instanceof JsonSlice) this.#writeSlice(value);
    else if (typeof value !== "object") this.#put(`"[${typeof value}]"`);
    else if (depth >= LIMITS.request.argumentDepth) this.#put('"[deep]"');
    else if (Array.isArray(value)) this.#writeItems(value, depth);
    else this.#writeFields(value, depth);
  }

  /** What is in a long list is not looked through for secrets, and so not shown. */
  #writeSlice(slice: JsonSlice): void {
    if (slice.isText) this.#put(maskText(slice.head(), this.#left));
    else this.#put(`"[${slice.length} items, ${slice.bytes.length} bytes]"`);
  }

  #writeItems(items: readonly unknown[], depth: number): void {
    this.#put("[");
    for (let i = 0; i < items.length && this.#left > 0; i++) {
      if (i > 0) this.#put(",");
      this.write(items[i], depth + 1);
    }
    this.#put("]");
  }

  #writeFields(fields: object, depth: number): void {
    this.#put("{");
    let first = true;
    for (const name in fields) {
      if (this.#left <= 0) break;
      if (!Object.hasOwn(fields, name)) continue;
      const value = (fields as Record<string, unknown>)[name];
      this.#put(`${first ? "" : ","}${JSON.stringify(maskText(name, 100))}:`);
      first = false;
      if (hides(name, value)) this.#put(`"${MASK}"`);
      else this.write(isHeaders(name) ? withoutValues(value) : value, depth + 1);
    }
    this.#put("}");
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#left -= text.length;
  }
}

/** `hasPassword: true` says nothing secret; everything else under a secret name does. */
function hides(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "boolean") return false;
  const isText = typeof value === "string" || value instanceof JsonSlice;
  return isText ? isSecretName(name) : SECRET_WORDS.test(plainName(name));
}

/** Any header of a request may say who asks. */
function isHeaders(name: string): boolean {
  return plainName(name).endsWith("headers");
}

function withoutValues(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return MASK;
  if (Array.isArray(value)) return value.length === 0 ? value : MASK;
  const names = Object.keys(value).slice(0, KEPT_ITEMS);
  return Object.fromEntries(names.map((name) => [name, MASK]));
}

/** Most fields or items of one level that are kept by `maskFields`. */
const KEPT_ITEMS = 50;
/** Deepest level that is kept by `maskFields`. */
const KEPT_DEPTH = 6;

/** The same fields with secrets masked, bounded in depth, number and text: for structured metadata. */
export function maskFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const budget = { characters: LIMITS.call.auditMetadataCharacters };
  return maskLevel(fields, 0, budget) as Record<string, unknown>;
}

function maskLevel(value: unknown, depth: number, budget: { characters: number }): unknown {
  if (typeof value === "string") return spend(value, budget);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || typeof value === "boolean") return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value !== "object") return undefined;
  if (depth >= KEPT_DEPTH) return "[deep]";
  if (Array.isArray(value)) {
    return value.slice(0, KEPT_ITEMS).map((item) => maskLevel(item, depth + 1, budget) ?? null);
  }
  const kept: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value).slice(0, KEPT_ITEMS)) {
    // A plain assignment of `__proto__` would set the prototype instead of a field.
    if (name === "__proto__" || budget.characters <= 0) continue;
    kept[spend(name, budget, 100)] = hides(name, item)
      ? MASK
      : maskLevel(isHeaders(name) ? withoutValues(item) : item, depth + 1, budget);
  }
  return kept;
}

function spend(
  text: string,
  budget: { characters: number },
  most: number = LIMITS.call.auditExcerptCharacters,
): string {
  const kept = maskText(text, Math.max(0, Math.min(most, budget.characters)));
  budget.characters -= kept.length;
  return kept;
}

/** Another one with each start, so that nobody can find a short text by trying all. */
const KEY = randomBytes(32);

const HASH_CHARACTERS = 8;

/** Items of a list of ids that are shown. */
const LISTED = 20;

const NAME_CHARACTERS = 200;

/** Arguments that say which thing is meant, or how, and hold nothing of what is in it. */
const NAMES =
  /(?:^|[_a-z])(?:id|ids|name|names|type|kind|format|scope|status|action|toolsets?|model|models|table|sort|since|until|uri)$/i;

/** Texts in a language: what they ask for is kept, and not the values that they ask with. */
const STATEMENTS = /^(?:c9ql|query|query_?text|filter)$/i;

const SENTENCES = /^(?:question|instruction)$/i;

/**
 * What the audit log keeps of the arguments of a call: their names, types and sizes, with a hash to tell equal ones by,
 * and values only of what names something. Rows, documents, facts and mistyped secrets are no business of its readers,
 * nor are values of the data that a question names: what these are says whoever answered it, and where nobody did
 * (`null`), nothing of a question is kept.
 */
export function shapeOf(args: unknown, values: readonly string[] | null = []): string {
  return excerpt(shape("", args, { depth: 0, values }));
}

interface At {
  depth: number;
  values: readonly string[] | null;
}

/** SQL without its texts and numbers. What is in double quotes names a table or a column, some after these values. */
export function withoutSqlLiterals(text: string, values: readonly string[] = []): string {
  const named = values.map((value) => value.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_"));
  const bare = (name: string) =>
    named.filter((value) => value.length > 1).reduce((all, value) => all.replaceAll(value, "?"), name);
  const parts = /"(?:[^"]|"")*"|'(?:[^']|'')*'?|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|\b\d+(?:[.,:-]\d+)*\b/g;
  return text.replaceAll(parts, (part) => (part.startsWith('"') ? bare(part) : "?"));
}

/** A statement of another language, where double quotes stand around values too. */
function withoutLiterals(text: string): string {
  return text.replaceAll(/'(?:[^']|'')*'|"[^"]*"(?=\s*(?:[=<>,)]|$))|\b\d+(?:[.,:-]\d+)*\b/g, "?");
}

function shape(name: string, value: unknown, at: At): unknown {
  const { depth } = at;
  if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
  if (isSecretName(name)) return "***";
  if (typeof value === "number") return depth <= 1 ? value : "[number]";
  if (typeof value === "string") return shapeOfText(name, value, at);
  if (value instanceof JsonSlice) return `[${value.length} items, ${value.bytes.length} bytes]`;
  if (typeof value !== "object") return `[${typeof value}]`;
  if (Array.isArray(value)) return shapeOfList(name, value);
  if (depth > 1) return `[object, ${Object.keys(value).length} fields]`;
  const fields = Object.entries(value).map(([field, one]) => [
    field,
    shape(field, one, { ...at, depth: depth + 1 }),
  ]);
  return Object.fromEntries(fields);
}

function shapeOfText(name: string, text: string, { depth, values }: At): string {
  if (depth === 1 && SENTENCES.test(name) && values !== null) return maskQuestion(text, values);
  if (depth === 1 && name.toLowerCase() === "sql") return withoutSqlLiterals(text);
  if (depth === 1 && STATEMENTS.test(name)) return withoutLiterals(text);
  if (depth === 1 && NAMES.test(name) && text.length <= NAME_CHARACTERS) return text;
  return `[text, ${text.length} characters, ${hashOf(text)}]`;
}

function shapeOfList(name: string, items: readonly unknown[]): unknown {
  const isIds = NAMES.test(name) && items.every((item) => ["number", "string"].includes(typeof item));
  if (isIds && items.length <= LISTED) return items;
  return `[${items.length} items, ${hashOf(JSON.stringify(items))}]`;
}

function hashOf(text: string): string {
  return createHmac("sha256", KEY).update(text).digest("hex").slice(0, HASH_CHARACTERS);
}

/** Texts between quotation marks, and numbers: in SQL and in questions they are what data are made of. */
const LITERALS =
  /'(?:[^']|'')*'?|"[^"]*"?|“[^”]*”?|„[^“”]*[“”]?|«[^»]*»?|(?<![\p{L}\p{N}_$])[$€£]?\d[\p{N}.,:]*(?:[eE][+-]?\d+)?/gu;

/** A question without its literals and these values of the data: what was asked about, and not what was looked for. */
export function maskQuestion(text: string, values: readonly string[] = []): string {
  // An apostrophe within a word quotes nothing.
  return withoutAny(text, values)
    .replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, "’")
    .replaceAll(LITERALS, "?");
}

const SHORT = 4;

function withoutAny(text: string, values: readonly string[]): string {
  const longestFirst = values.filter((value) => value !== "").toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return text;
  const any = longestFirst
    .map((value) => [value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), value.length < SHORT] as const)
    // A code of a few letters stands in many words.
    .map(([value, isShort]) => (isShort ? `(?<![\\p{L}\\p{N}])${value}(?![\\p{L}\\p{N}])` : value))
    .join("|");
  return text.replaceAll(new RegExp(any, "giu"), "?");
}
