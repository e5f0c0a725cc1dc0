import type { ArithmeticOperator, ComparisonOperator, Expression } from "./ast.ts";
import type { Cursor, Place } from "./cursor.ts";
import { parseOperand, refuseSubquery } from "./parse-operand.ts";

const ARITHMETIC: Readonly<Record<string, { binds: number; rightToLeft?: boolean }>> = {
  "+": { binds: 1 },
  "-": { binds: 1 },
  "*": { binds: 2 },
  "/": { binds: 2 },
  "%": { binds: 2 },
  "^": { binds: 4, rightToLeft: true },
};
/** -a^2 is -(a^2), -a*b is (-a)*b. */
const NEGATION_BINDS = 3;

const COMPARISONS: Readonly<Record<string, ComparisonOperator>> = {
  "=": "=",
  "==": "=",
  "!=": "!=",
  "<>": "!=",
  ">": ">",
  ">=": ">=",
  "<": "<",
  "<=": "<=",
};

/** or < and < not < comparisons < + - < * / % < unary minus < ^ */
export function parseExpression(cursor: Cursor, place: Place): Expression {
  return parseChain(cursor, "or", () => parseChain(cursor, "and", () => parseNot(cursor, place)));
}

export function readExpressions(cursor: Cursor, place: Place): Expression[] {
  const expressions = [parseExpression(cursor, place)];
  while (cursor.takeSign(",")) expressions.push(parseExpression(cursor, place));
  return expressions;
}

/** A chain is one node, so that a thousand conditions do not nest. */
function parseChain(cursor: Cursor, kind: "and" | "or", next: () => Expression): Expression {
  const { start } = cursor.peek();
  const first = next();
  if (!cursor.isWord(kind)) return first;
  const operands = [first];
  while (cursor.takeWords(kind)) operands.push(next());
  return { kind, operands, span: cursor.from(start) };
}

function parseNot(cursor: Cursor, place: Place): Expression {
  const { start } = cursor.peek();
  if (!cursor.isWord("not") || cursor.isKeyword(place)) return parseComparison(cursor, place);
  cursor.take();
  const operand = cursor.deeper(() => parseNot(cursor, place));
  return { kind: "not", operand, span: cursor.from(start) };
}

function parseComparison(cursor: Cursor, place: Place): Expression {
  const { start } = cursor.peek();
  const left = parseArithmetic(cursor, place, 0);
  const comparison = parseComparisonOf(cursor, place, left, start);
  if (comparison === undefined) return left;
  if (startsComparison(cursor, place)) {
    throw cursor.error({
      message: "comparisons cannot be chained.",
      hint: "Join them with and / or, or use brackets.",
    });
  }
  return comparison;
}

function startsComparison(cursor: Cursor, place: Place): boolean {
  const token = cursor.peek();
  if (token.kind === "sign") return Object.hasOwn(COMPARISONS, token.text);
  return cursor.isKeyword(place) && ["like", "in", "between", "is", "not"].includes(token.lower);
}

function parseComparisonOf(
  cursor: Cursor,
  place: Place,
  left: Expression,
  start: number,
): Expression | undefined {
  if (!startsComparison(cursor, place)) return undefined;
  const token = cursor.peek();
  if (token.kind === "sign") {
    cursor.take();
    const operator = COMPARISONS[token.text] as ComparisonOperator;
    const right = parseArithmetic(cursor, place, 0);
    return { kind: "comparison", operator, left, right, span: cursor.from(start) };
  }
  if (cursor.takeWords("is")) {
    const negated = cursor.takeWords("not");
    cursor.take();
    return { kind: "isnull", negated, operand: left, span: cursor.from(start) };
  }
  const negated = cursor.takeWords("not");
  if (cursor.takeWords("like")) {
    const pattern = parsePattern(cursor, place);
    return { kind: "like", negated, left, pattern, span: cursor.from(start) };
  }
  if (cursor.takeWords("in")) {
    const values = parseValues(cursor, place);
    return { kind: "in", negated, left, values, span: cursor.from(start) };
  }
  return parseBetween(cursor, place, left, { negated, start });
}

const PATTERN_SIGNS = new Set(["%", "-", "+", "*", "/", "^", "~"]);

/** An unquoted pattern may contain signs: `like %art%`, `like 2024-03`. Computing one takes brackets. */
function parsePattern(cursor: Cursor, place: Place): Expression {
  const { start } = cursor.peek();
  const isSign = (ahead: number) =>
    cursor.peek(ahead).kind === "sign" && PATTERN_SIGNS.has(cursor.peek(ahead).text);
  const isPlain = (ahead: number) => {
    const { kind } = cursor.peek(ahead);
    if (kind === "word") return !cursor.isKeyword(place, ahead) && !cursor.isSign("(", ahead + 1);
    return kind === "number" || isSign(ahead);
  };
  let length = 0;
  let hasSign = false;
  for (; isPlain(length); length++) hasSign ||= isSign(length);
  const isCase = cursor.isWord("case") && cursor.isWord("when", 1);
  if (!hasSign || isCase) return parseArithmetic(cursor, place, 0);
  for (let taken = 0; taken < length; taken++) cursor.take();
  const span = cursor.from(start);
  return { kind: "text", value: cursor.text.slice(span.start, span.end), span };
}

function parseValues(cursor: Cursor, place: Place): Expression[] {
  if (cursor.peek().kind === "variable") return [parseOperand(cursor, place)];
  cursor.take();
  if (cursor.takeSign(")")) return [];
  refuseSubquery(cursor);
  const values = cursor.deeper(() => readExpressions(cursor, { inCase: false, inOrder: false }));
  cursor.expectSign(")", { message: "a comma or a closing bracket is missing in in (…)." });
  return values;
}

function parseBetween(
  cursor: Cursor,
  place: Place,
  left: Expression,
  { negated, start }: { negated: boolean; start: number },
): Expression {
  cursor.take();
  const low = parseArithmetic(cursor, place, 0);
  const high = low.kind === "parameter" ? parseOptionalHigh(cursor, place) : parseHigh(cursor, place);
  const span = cursor.from(start);
  return { kind: "between", negated, left, low, ...(high === undefined ? {} : { high }), span };
}

function parseHigh(cursor: Cursor, place: Place): Expression {
  if (!cursor.takeWords("and")) {
    throw cursor.error({ message: "between needs two values.", hint: "Write between low and high." });
  }
  return parseArithmetic(cursor, place, 0);
}

const CONDITIONS = new Set("comparison like in between isnull not and or".split(" "));

/** After a parameter that may hold a range, `and` may also begin the next condition. */
function parseOptionalHigh(cursor: Cursor, place: Place): Expression | undefined {
  if (!cursor.isWord("and") || cursor.isWord("not", 1)) return undefined;
  const mark = cursor.mark();
  const high = parseHigh(cursor, place);
  if (!CONDITIONS.has(high.kind) && !startsComparison(cursor, place)) return high;
  cursor.reset(mark);
  return undefined;
}

function parseArithmetic(cursor: Cursor, place: Place, binds: number): Expression {
  const { start } = cursor.peek();
  let left = parseSigned(cursor, place);
  for (;;) {
    const token = cursor.peek();
    const operator =
      token.kind === "sign" && Object.hasOwn(ARITHMETIC, token.text) ? ARITHMETIC[token.text] : undefined;
    if (operator === undefined || operator.binds <= binds) return left;
    cursor.take();
    const below = operator.rightToLeft === true ? operator.binds - 1 : operator.binds;
    const right = cursor.deeper(() => parseArithmetic(cursor, place, below));
    left = {
      kind: "arithmetic",
      operator: token.text as ArithmeticOperator,
      left,
      right,
      span: cursor.from(start),
    };
  }
}

function parseSigned(cursor: Cursor, place: Place): Expression {
  const { start } = cursor.peek();
  if (cursor.takeSign("-")) {
    const operand = cursor.deeper(() => parseArithmetic(cursor, place, NEGATION_BINDS));
    return { kind: "negate", operand, span: cursor.from(start) };
  }
  if (cursor.takeSign("+")) return cursor.deeper(() => parseArithmetic(cursor, place, NEGATION_BINDS));
  return parseOperand(cursor, place);
}
