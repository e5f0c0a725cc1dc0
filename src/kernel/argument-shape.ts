import { createHmac, randomBytes } from "node:crypto";
import { excerpt, isSecretName } from "./excerpt.ts";
import { JsonSlice } from "./json-slice.ts";
import { maskQuestion } from "./mask-literals.ts";

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
