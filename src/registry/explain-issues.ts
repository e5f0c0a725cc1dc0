import type { z } from "zod";
import { clip, nearest } from "../kernel/text.ts";

type Issue = z.core.$ZodIssue;
type Shape = Readonly<Record<string, z.core.$ZodType>>;

/**
 * Says what is wrong with the arguments, so that a model can correct them: which one, why, and what there is
 * instead. The issues have to come from a parse with `reportInput`.
 */
export function explainIssues(issues: readonly Issue[], schema: z.ZodType): string {
  const shape = "shape" in schema ? (schema as z.ZodObject).shape : {};
  const sentences = issues.slice(0, 5).map((issue) => sentence(issue, shape));
  if (issues.length > 5) sentences.push(`And ${issues.length - 5} more.`);
  // One that a schema has in its own words stands without a full stop, unless others follow it.
  return sentences.map((each, i) => (sentences[i + 1] && !each.endsWith(".") ? `${each}.` : each)).join(" ");
}

function sentence(issue: Issue, shape: Shape): string {
  const path = clip(issue.path.join("."));
  if (issue.code === "unrecognized_keys") {
    const inner = issue.path.length === 0 ? shape : shapeAt(shape, issue.path);
    return unknownKeys(issue.keys, path, inner);
  }
  // A schema that has its own words for it begins with the name.
  if (path !== "" && beginsWith(issue.message, String(issue.path[0]))) return issue.message;
  if (issue.code === "invalid_type" && path !== "") {
    if (issue.input === undefined) return `${path} is required (${issue.expected}).`;
    return `${path} must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}.`;
  }
  const reason = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  return path === "" ? `Invalid arguments: ${reason}.` : `${path}: ${reason}.`;
}

function beginsWith(message: string, name: string): boolean {
  return message.toLowerCase().startsWith(`${name.toLowerCase()} `);
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** The kind alone: the value may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isInteger(value) ? "a number" : "a number with a fraction";
  return EXPECTED[typeof value] ?? typeof value;
}

function unknownKeys(keys: readonly string[], path: string, shape: Shape): string {
  const known = Object.keys(shape);
  const isTop = path === "";
  const guesses = keys.slice(0, 5).map((key) => {
    const where = clip(isTop ? key : `${path}.${key}`);
    const parts = isTop ? known.flatMap((name) => partsOf(name, shape[name])) : [];
    const part = parts.find((one) => one.endsWith(`.${key}`));
    if (part !== undefined) return { where, text: `${where} belongs in ${part.split(".")[0]}: ${part}.` };
    const inside = parts.map((one) => one.split(".")[1]!);
    const near = nearest(key, inside);
    const start = isTop ? undefined : known.find((name) => key.startsWith(name) || name.startsWith(key));
    const match = start ?? nearest(key, known) ?? (near && parts[inside.indexOf(near)]);
    return { where, text: match && `Unknown argument ${where}: did you mean ${match}?` };
  });
  const unknown = guesses.filter(({ text }) => text === undefined).map(({ where }) => where);
  const list =
    known.length === 0
      ? "This takes no arguments."
      : `Known ${isTop ? "arguments" : "there"}: ${known.join(", ")}.`;
  return [
    ...guesses.flatMap(({ text }) => text ?? []),
    ...(unknown.length === 0
      ? []
      : [`Unknown argument${unknown.length > 1 ? "s" : ""} ${unknown.join(", ")}.`]),
    ...(unknown.length > 0 && (isTop || known.length > 0) ? [list] : []),
  ].join(" ");
}

/** What an object inside of the arguments can have: `where.0` takes `field`, `op`, `value`. */
function shapeAt(shape: Shape, path: readonly PropertyKey[]): Shape {
  const [name, ...rest] = path;
  const inner = plain(shape[String(name)]);
  const of = inner !== undefined && "element" in inner && typeof rest[0] === "number";
  const next = of ? plain((inner as z.ZodArray).element) : inner;
  const own: Shape = next !== undefined && "shape" in next ? (next as z.ZodObject).shape : {};
  const left = of ? rest.slice(1) : rest;
  return left.length === 0 ? own : shapeAt(own, left);
}

/** Without what says that it may be left out. */
function plain(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const { innerType } = (schema?._zod.def ?? {}) as { innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : plain(innerType);
}

/** The parts of an argument that is an object, as its description has them: `{filters: […], c9ql}`. */
function partsOf(name: string, schema: z.core.$ZodType | undefined): string[] {
  const { description = "" } = (schema ?? {}) as z.ZodType;
  if (!description.startsWith("{")) return [];
  const parts = description.replaceAll(/\[[^\]]*\]/g, "").match(/(?<=[{,] ?)\w+/g) ?? [];
  return parts.map((part) => `${name}.${part}`);
}
