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
