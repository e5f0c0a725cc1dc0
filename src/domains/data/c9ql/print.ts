import type {
  ArithmeticOperator,
  CallNode,
  DateTokenNode,
  Expression,
  ExpressionOf,
  Item,
  NameNode,
  ParameterNode,
  Query,
  Statement,
  Step,
} from "./ast.ts";
import { isPlain } from "./lexer.ts";
import { plainArgumentPattern } from "./parse-expression.ts";

/** How tightly an expression holds together; a looser one inside a tighter one needs brackets. */
const TIGHTNESS = {
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  sum: 5,
  product: 6,
  negation: 7,
  power: 8,
  operand: 9,
};

const ARITHMETIC_TIGHTNESS: Readonly<Record<ArithmeticOperator, number>> = {
  "+": TIGHTNESS.sum,
  "-": TIGHTNESS.sum,
  "*": TIGHTNESS.product,
  "/": TIGHTNESS.product,
  "%": TIGHTNESS.product,
  "^": TIGHTNESS.power,
};

/** The query in its canonical form: reading it again gives the same tree. */
export function print(query: Pick<Query, "statements">): string {
  return query.statements.map(printStatement).join(";\n");
}

function printStatement({ distinct, items, where, groupBy, orderBy, limit }: Statement): string {
  const orderings = orderBy.map(
    ({ expression, descending }) => `${printExpression(expression)}${descending ? " desc" : ""}`,
  );
  const clauses = [
    `select ${distinct ? "distinct " : ""}${items.map(printItem).join(", ")}`,
    where === undefined ? "" : `where ${printExpression(where)}`,
    groupBy.length === 0 ? "" : `group by ${groupBy.map((key) => printExpression(key)).join(", ")}`,
    orderings.length === 0 ? "" : `order by ${orderings.join(", ")}`,
    limit === undefined ? "" : `limit ${limit}`,
  ];
  return clauses.filter((clause) => clause !== "").join(" ");
}

function printItem(item: Item): string {
  if (item.kind === "all") return "*";
  if (item.kind === "except") return `~${printLoose(item.name.text)}`;
  const expression = printExpression(item.expression);
  return item.alias === undefined ? expression : `${expression} as ${printLoose(item.alias)}`;
}

/** The canonical text of an expression; it is also the name of a column that was given none. */
export function printExpression(node: Expression, needed = 0): string {
  const [text, tightness] = printNode(node);
  return tightness < needed ? `(${text})` : text;
}

function printNode(node: Expression): [text: string, tightness: number] {
  switch (node.kind) {
    case "or":
    case "and": {
      const own = TIGHTNESS[node.kind];
      return [node.operands.map((each) => printExpression(each, own + 1)).join(` ${node.kind} `), own];
    }
    case "not":
      return [`not ${printExpression(node.operand, TIGHTNESS.not)}`, TIGHTNESS.not];
    case "comparison":
    case "like":
    case "in":
    case "between":
    case "isnull":
      // Before `and`, a range without its end needs brackets to be read as such.
      return [printComparison(node), isOpenRange(node) ? TIGHTNESS.and : TIGHTNESS.comparison];
    case "arithmetic":
      return [printArithmetic(node), ARITHMETIC_TIGHTNESS[node.operator]];
    case "negate":
      return [`-${printExpression(node.operand, TIGHTNESS.power)}`, TIGHTNESS.negation];
    default:
      return [printOperand(node), TIGHTNESS.operand];
  }
}

function isOpenRange(node: Expression): boolean {
  return node.kind === "between" && node.high === undefined;
}

type Comparison = ExpressionOf<"comparison" | "like" | "in" | "between" | "isnull">;

function printComparison(node: Comparison): string {
  const value = (each: Expression) => printExpression(each, TIGHTNESS.sum);
  const not = node.kind !== "comparison" && node.negated ? "not " : "";
  switch (node.kind) {
    case "comparison":
      return `${value(node.left)} ${node.operator} ${value(node.right)}`;
    case "like":
      // An arithmetic pattern would read as one with percent signs.
      return `${value(node.left)} ${not}like ${printExpression(node.pattern, TIGHTNESS.operand)}`;
    case "in":
      return `${value(node.left)} ${not}in (${node.values.map((each) => printExpression(each)).join(", ")})`;
    case "between": {
      const high = node.high === undefined ? "" : ` and ${value(node.high)}`;
      return `${value(node.left)} ${not}between ${value(node.low)}${high}`;
    }
    case "isnull":
      return `${value(node.operand)} is ${not}null`;
  }
}

function printArithmetic({ operator, left, right }: ExpressionOf<"arithmetic">): string {
  const own = ARITHMETIC_TIGHTNESS[operator];
  const [ofLeft, ofRight] = operator === "^" ? [TIGHTNESS.operand, TIGHTNESS.negation] : [own, own + 1];
  return `${printExpression(left, ofLeft)} ${operator} ${printExpression(right, ofRight)}`;
}

function printOperand(node: Expression): string {
  switch (node.kind) {
    case "text":
      return `'${node.value.replaceAll("'", "''")}'`;
    case "number":
      return node.text;
    case "boolean":
      return String(node.value);
    case "star":
      return "*";
    case "name":
      return printName(node);
    case "access":
      return `${printOperand(node.target)}${node.steps.map(printStep).join("")}`;
    case "token":
      return printToken(node);
    case "parameter":
      return printParameter(node);
    case "call":
      return `${node.name}(${node.args.map((arg, index) => printArgument(node, arg, index)).join(", ")})`;
    case "window": {
      const keys = node.partitionBy.map((key) => printExpression(key)).join(", ");
      return `${printOperand(node.call)} over (${keys === "" ? "" : `partition by ${keys}`})`;
    }
    case "case":
      return printCase(node);
    default:
      return "null";
  }
}

/** Where a text needs no quotes, a name needs them. */
function printArgument({ name }: CallNode, arg: Expression, index: number): string {
  const isName = arg.kind === "name" && !arg.exact;
  return isName && plainArgumentPattern(name, index) !== undefined ? quoted(arg.text) : printExpression(arg);
}

function printName({ text, exact }: NameNode): string {
  return exact ? `\`${text.replaceAll("`", "``")}\`` : printLoose(text);
}

function printLoose(text: string): string {
  return isPlain(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** After a digit, a dot and a digit would make a number. */
function printStep(step: Step): string {
  if ("index" in step) return `[${step.index}]`;
  return `.${/^\d/.test(step.field) ? quoted(step.field) : printLoose(step.field)}`;
}

function printToken({ name, offsets, format }: DateTokenNode): string {
  const shifts = offsets.map(({ amount, unit }) => `${amount < 0 ? "-" : "+"}${Math.abs(amount)}${unit}`);
  const token = `$c9_${name}${shifts.join("")}`;
  return format === undefined ? token : `{${token}:${format}}`;
}

function printParameter({ name, fallback, label }: ParameterNode): string {
  const value = fallback === undefined ? "" : `(${fallback})$`;
  return `$c9_${name}$${value}${label === undefined ? "" : `[${label}]$`}`;
}

function printCase({ branches, otherwise }: ExpressionOf<"case">): string {
  const whens = branches.map(
    ({ condition, value }) => `when ${printExpression(condition)} then ${printExpression(value)}`,
  );
  const last = otherwise === undefined ? "" : ` else ${printExpression(otherwise)}`;
  return `case ${whens.join(" ")}${last} end`;
}
