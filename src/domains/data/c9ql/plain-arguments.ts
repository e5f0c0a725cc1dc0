import type { Expression } from "./ast.ts";
import type { Cursor } from "./cursor.ts";
import { unitIn, unitWritten } from "./time-units.ts";
import { wholeVariable } from "./variables.ts";

/** Arguments that may be written without quotes although they would read as something else: `dd-MMM`, `-2d`, `month`. */
const PLAIN_ARGUMENTS: Readonly<Record<string, Readonly<Record<number, RegExp>>>> = {
  date_format: { 1: /^/ },
  str_to_date: { 1: /^/ },
  date_trunc: { 1: /^[a-z]+$/i },
  date_delta: { 2: /^[a-z]+$/i },
  tma: { 2: /^\d*\s*[a-z]+$/i },
  date_add: { 1: /^[+-]?\s*\d+\s*[a-z]+$/i, 2: /^[a-z]+$/i },
};

/** Which texts need no quotes in this argument, if any. */
export function plainArgumentPattern(name: string, index: number): RegExp | undefined {
  return Object.hasOwn(PLAIN_ARGUMENTS, name) ? PLAIN_ARGUMENTS[name]?.[index] : undefined;
}

/** The argument as a text, if it is one of these and not in quotes. */
export function plainArgument(cursor: Cursor, name: string, index: number): Expression | undefined {
  const pattern = plainArgumentPattern(name, index);
  if (pattern === undefined) return undefined;
  const { kind } = cursor.peek();
  if (kind !== "word" && kind !== "number" && kind !== "sign") return undefined;
  const length = tokensUpToEnd(cursor);
  if (length === 0) return undefined;
  const span = { start: cursor.peek().start, end: cursor.peek(length - 1).end };
  const value = cursor.text.slice(span.start, span.end);
  if (!pattern.test(value)) return undefined;
  for (let taken = 0; taken < length; taken++) cursor.take();
  return wholeVariable(value, span) ?? { kind: "text", value, span };
}

/**
 * SQL has the unit first: `date_trunc('month', Order Date)`. It is put in its place where nothing else can be meant: the
 * first argument is a unit, and the second is none.
 */
export function unitLast(cursor: Cursor, name: string, args: readonly Expression[]): readonly Expression[] {
  const [unit, date, ...more] = args;
  if (name !== "date_trunc" || unit === undefined || date === undefined || more.length > 0) return args;
  const word = unit.kind === "text" ? unit.value : unit.kind === "name" && !unit.exact ? unit.text : "";
  const isLast = date.kind === "text" && unitIn(date.value) !== undefined && unit.kind !== "text";
  if (unitWritten(word) === undefined || isLast) return args;
  return [asField(cursor, date), { kind: "text", value: word, span: unit.span }];
}

/** Where a unit is expected, a word without quotes was read as a text. */
function asField(cursor: Cursor, node: Expression): Expression {
  if (node.kind !== "text" || cursor.text[node.span.start] === "'") return node;
  return { kind: "name", text: node.value, exact: false, span: node.span };
}

/** How many tokens stand before the comma or bracket that ends the argument. */
function tokensUpToEnd(cursor: Cursor): number {
  let length = 0;
  for (let open = 0; ; length++) {
    const { kind } = cursor.peek(length);
    if (kind === "end" || cursor.isSign(";", length)) return 0;
    if (open === 0 && (cursor.isSign(",", length) || cursor.isSign(")", length))) return length;
    if (cursor.isSign("(", length)) open += 1;
    if (cursor.isSign(")", length)) open -= 1;
  }
}
