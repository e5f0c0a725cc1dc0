/**
 * The tree of a C9QL query. Names are not bound yet: whether `Message Type` is a field or a text is decided when
 * the columns are known (bind-name.ts), so one tree can be kept, printed and compiled against different columns.
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
}

export type Item =
  | { readonly kind: "all"; readonly span: Span }
  | { readonly kind: "except"; readonly name: NameNode; readonly span: Span }
  | {
      readonly kind: "value";
      readonly expression: Expression;
      readonly alias?: string;
      readonly span: Span;
    };

export type ValueItem = Extract<Item, { kind: "value" }>;

export interface Ordering {
  readonly expression: Expression;
  readonly descending: boolean;
}

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "^";
export type ComparisonOperator = "=" | "!=" | ">" | ">=" | "<" | "<=";
export type OffsetUnit = "h" | "d" | "w" | "m" | "q" | "y";

export interface NameNode {
  readonly kind: "name";
  readonly text: string;
  /** Written as `name` or [name]: a field for certain. Otherwise it may turn out to be a text. */
  readonly exact: boolean;
  readonly span: Span;
}

/** `.field` or `[0]` after a name or a call. */
export type Step = { readonly field: string } | { readonly index: number };

export interface DateOffset {
  readonly amount: number;
  readonly unit: OffsetUnit;
}

export interface DateTokenNode {
  readonly kind: "token";
  /** `today`, `lastmonth` and so on: a key of DATE_TOKENS. */
  readonly name: string;
  readonly offsets: readonly DateOffset[];
  /** A Java-style pattern: the token becomes a text. */
  readonly format?: string;
  readonly span: Span;
}

export interface ParameterNode {
  readonly kind: "parameter";
  readonly name: string;
  readonly fallback?: string;
  readonly label?: string;
  readonly span: Span;
}

export interface CallNode {
  readonly kind: "call";
  /** In lower case. */
  readonly name: string;
  readonly args: readonly Expression[];
  readonly span: Span;
}

export interface CaseBranch {
  readonly condition: Expression;
  readonly value: Expression;
}

export type Expression =
  | { readonly kind: "text"; readonly value: string; readonly span: Span }
  /** Kept as written, so that no digit is lost. */
  | { readonly kind: "number"; readonly text: string; readonly span: Span }
  | { readonly kind: "boolean"; readonly value: boolean; readonly span: Span }
  | { readonly kind: "null"; readonly span: Span }
  /** The `*` of `count(*)`. */
  | { readonly kind: "star"; readonly span: Span }
  | NameNode
  | {
      readonly kind: "access";
      readonly target: NameNode | CallNode;
      readonly steps: readonly Step[];
      readonly span: Span;
    }
  | DateTokenNode
  | ParameterNode
  | CallNode
  | {
      readonly kind: "window";
      readonly call: CallNode;
      readonly partitionBy: readonly Expression[];
      readonly span: Span;
    }
  | { readonly kind: "negate"; readonly operand: Expression; readonly span: Span }
  | {
      readonly kind: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: "comparison";
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: "like";
      readonly negated: boolean;
      readonly left: Expression;
      readonly pattern: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: "in";
      readonly negated: boolean;
      readonly left: Expression;
      readonly values: readonly Expression[];
      readonly span: Span;
    }
  | {
      readonly kind: "between";
      readonly negated: boolean;
      readonly left: Expression;
      readonly low: Expression;
      /** Left out when `low` is a parameter that holds a range. */
      readonly high?: Expression;
      readonly span: Span;
    }
  | { readonly kind: "isnull"; readonly negated: boolean; readonly operand: Expression; readonly span: Span }
  | { readonly kind: "not"; readonly operand: Expression; readonly span: Span }
  | {
      readonly kind: "and" | "or";
      readonly operands: readonly Expression[];
      readonly span: Span;
    }
  | {
      readonly kind: "case";
      readonly branches: readonly CaseBranch[];
      readonly otherwise?: Expression;
      readonly span: Span;
    };

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
