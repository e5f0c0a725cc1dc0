import { AppError, type ErrorCode } from "../../../kernel/errors.ts";
/**
 * The tree of a C9QL query. Names are not bound yet: whether `Message Type` is a field or a text is decided when
 * the columns are known (scope.ts), so one tree can be kept, printed and compiled against different columns.
 */

/** Where a node stands in the text, as offsets. An empty span means that the node was built, not read. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const NOWHERE: Span = { start: 0, end: 0 };

export interface Query {
  /** The text that the spans refer to. */
  readonly text: string;
  /** Each statement reads the result of the one before. */
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly distinct: boolean;
  readonly items: readonly Item[];
  readonly where?: Expression;
  readonly groupBy: readonly Expression[];
  readonly orderBy: readonly Ordering[];
  readonly limit?: number;
  readonly span: Span;
  /** Source text of its spans, where queries of several texts were joined. */
  readonly text?: string;
}

/** Node with its source location. */
interface Spanned {
  readonly span: Span;
}

export type Item = Spanned &
  (
    | { readonly kind: "all" }
    | { readonly kind: "except"; readonly name: NameNode }
    | { readonly kind: "value"; readonly expression: Expression; readonly alias?: string }
  );

export type ValueItem = Extract<Item, { kind: "value" }>;

export interface Ordering {
  readonly expression: Expression;
  readonly descending: boolean;
}

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "^";
export type ComparisonOperator = "=" | "!=" | ">" | ">=" | "<" | "<=";
export type OffsetUnit = "h" | "d" | "w" | "m" | "q" | "y";

export interface NameNode extends Spanned {
  readonly kind: "name";
  readonly text: string;
  /** Written as `name` or [name]: a field for certain. Otherwise it may turn out to be a text. */
  readonly exact: boolean;
}

/** `.field` or `[0]` after a name or a call. */
export type Step = { readonly field: string } | { readonly index: number };

export interface DateOffset {
  readonly amount: number;
  readonly unit: OffsetUnit;
}

export interface DateTokenNode extends Spanned {
  readonly kind: "token";
  /** `today`, `lastmonth` and so on: a key of DATE_TOKENS. */
  readonly name: string;
  readonly offsets: readonly DateOffset[];
  /** A Java-style pattern: the token becomes a text. */
  readonly format?: string;
}

export interface ParameterNode extends Spanned {
  readonly kind: "parameter";
  readonly name: string;
  readonly fallback?: string;
  readonly label?: string;
}

export interface CallNode extends Spanned {
  readonly kind: "call";
  /** In lower case. */
  readonly name: string;
  readonly args: readonly Expression[];
}

export interface CaseBranch {
  readonly condition: Expression;
  readonly value: Expression;
}

export type Expression = Spanned &
  (
    | { readonly kind: "text"; readonly value: string }
    /** Kept as written, so that no digit is lost. */
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "boolean"; readonly value: boolean }
    | { readonly kind: "null" }
    /** The `*` of `count(*)`. */
    | { readonly kind: "star" }
    | NameNode
    | { readonly kind: "access"; readonly target: NameNode | CallNode; readonly steps: readonly Step[] }
    | DateTokenNode
    | ParameterNode
    | CallNode
    | { readonly kind: "window"; readonly call: CallNode; readonly partitionBy: readonly Expression[] }
    | { readonly kind: "negate"; readonly operand: Expression }
    | { readonly kind: "not"; readonly operand: Expression }
    | ({ readonly kind: "arithmetic"; readonly operator: ArithmeticOperator } & Sides)
    | ({ readonly kind: "comparison"; readonly operator: ComparisonOperator } & Sides)
    | ({ readonly kind: "like"; readonly pattern: Expression } & Test)
    | ({ readonly kind: "in"; readonly values: readonly Expression[] } & Test)
    /** `high` is left out when `low` is a parameter that holds a range. */
    | ({ readonly kind: "between"; readonly low: Expression; readonly high?: Expression } & Test)
    | { readonly kind: "isnull"; readonly negated: boolean; readonly operand: Expression }
    | { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
    | { readonly kind: "case"; readonly branches: readonly CaseBranch[]; readonly otherwise?: Expression }
  );

interface Sides {
  readonly left: Expression;
  readonly right: Expression;
}

interface Test {
  readonly left: Expression;
  readonly negated: boolean;
}

export type ExpressionOf<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** The expressions directly below one. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "access":
      return [node.target];
    case "call":
      return node.args;
    case "window":
      return [node.call, ...node.partitionBy];
    case "negate":
    case "not":
    case "isnull":
      return [node.operand];
    case "arithmetic":
    case "comparison":
      return [node.left, node.right];
    case "like":
      return [node.left, node.pattern];
    case "in":
      return [node.left, ...node.values];
    case "between":
      return node.high === undefined ? [node.left, node.low] : [node.left, node.low, node.high];
    case "and":
    case "or":
      return node.operands;
    case "case": {
      const branches = node.branches.flatMap(({ condition, value }) => [condition, value]);
      return node.otherwise === undefined ? branches : [...branches, node.otherwise];
    }
    default:
      return [];
  }
}

/** The same expression over other children; names, constants and windows stay as they are. */
export function mapChildren(node: Expression, change: (child: Expression) => Expression): Expression {
  switch (node.kind) {
    case "call":
      return { ...node, args: node.args.map(change) };
    case "negate":
    case "not":
    case "isnull":
      return { ...node, operand: change(node.operand) };
    case "arithmetic":
    case "comparison":
      return { ...node, left: change(node.left), right: change(node.right) };
    case "like":
      return { ...node, left: change(node.left), pattern: change(node.pattern) };
    case "in":
      return { ...node, left: change(node.left), values: node.values.map(change) };
    case "between": {
      const high = node.high === undefined ? {} : { high: change(node.high) };
      return { ...node, left: change(node.left), low: change(node.low), ...high };
    }
    case "and":
    case "or":
      return { ...node, operands: node.operands.map(change) };
    default:
      return node;
  }
}

/** The expressions of a statement, outermost first. */
export function expressionsOf(statement: Statement): readonly Expression[] {
  const items = statement.items.flatMap((item) => (item.kind === "value" ? [item.expression] : []));
  const where = statement.where === undefined ? [] : [statement.where];
  return [...items, ...where, ...statement.groupBy, ...statement.orderBy.map(({ expression }) => expression)];
}

/** Most of a line that is shown before and after the place of an error. */
const CONTEXT_CHARACTERS = 60;
/** Longest message and hint: both may quote the query, which may be long. */
const MESSAGE_CHARACTERS = 300;
const HINT_CHARACTERS = 800;

export interface Complaint {
  message: string;
  /** Hint: the next step, in one sentence. */
  hint?: string;
  code?: ErrorCode;
}

/** An error with its place in the query, and the line with a caret below it. */
export function queryError(text: string, span: Span, complaint: Complaint): AppError {
  const code = complaint.code ?? "bad_request";
  const message = shortened(complaint.message, MESSAGE_CHARACTERS);
  const hint = complaint.hint === undefined ? undefined : shortened(complaint.hint, HINT_CHARACTERS);
  // A node that was built by hand (a filter) has no place to point at.
  if (span.end === 0) {
    return new AppError(code, `C9QL: ${message}`, hint === undefined ? {} : { hint });
  }
  const { line, column, length, excerpt } = placeOf(text, span);
  const advice = `${hint ?? "It is here:"}\n${excerpt}`;
  return new AppError(code, `C9QL, line ${line}, column ${column}: ${message}`, {
    hint: advice,
    data: { line, column, length },
  });
}

function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;
}

function placeOf(text: string, { start, end }: Span) {
  const before = text.slice(0, start);
  const line = before.split("\n").length;
  const lineStart = before.lastIndexOf("\n") + 1;
  const nextBreak = text.indexOf("\n", start);
  const lineEnd = nextBreak === -1 ? text.length : nextBreak;
  const length = Math.max(1, Math.min(end, lineEnd) - start);
  const from = Math.max(lineStart, start - CONTEXT_CHARACTERS);
  const to = Math.min(lineEnd, start + Math.min(length, CONTEXT_CHARACTERS) + CONTEXT_CHARACTERS);
  const shown = `${from > lineStart ? "…" : ""}${text.slice(from, to)}${to < lineEnd ? "…" : ""}`;
  const indent = start - from + (from > lineStart ? 1 : 0);
  const carets = "^".repeat(Math.min(length, Math.max(1, to - start)));
  const excerpt = `  ${oneLine(shown)}\n  ${" ".repeat(indent)}${carets}`;
  return { line, column: start - lineStart + 1, length, excerpt };
}

/** A tab or a control character would move the caret. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are to go
  return text.replace(/[\u0000-\u001f\u007f]/g, " ").toWellFormed();
}
