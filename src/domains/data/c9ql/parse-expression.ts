import { LIMITS } from "../limits.ts";
import type { ArithmeticOperator, CallNode, ComparisonOperator, Expression, NameNode, Step } from "./ast.ts";
import type { Token } from "./lexer.ts";
import { unitIn, unitWritten, wholeVariable } from "./parameters.ts";
import type { Cursor, Place } from "./parse.ts";

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

/** A value without operators: a literal, a name, a call, `case`, or something in brackets. */
function parseOperand(cursor: Cursor, place: Place): Expression {
  const token = cursor.peek();
  switch (token.kind) {
    case "text":
      cursor.take();
      return (
        wholeVariable(token.text, spanOf(token)) ?? { kind: "text", value: token.text, span: spanOf(token) }
      );
    case "variable":
      cursor.take();
      return token.variable as Expression;
    case "loose":
    case "exact":
      cursor.take();
      return withSteps(cursor, place, {
        kind: "name",
        text: token.text,
        exact: token.kind === "exact",
        span: spanOf(token),
      });
    case "word":
    case "number":
      return parseWords(cursor, place);
    default:
      return parseBracket(cursor, token);
  }
}

function spanOf({ start, end }: Token) {
  return { start, end };
}

function parseBracket(cursor: Cursor, token: Token): Expression {
  if (!cursor.takeSign("(")) {
    const isEnd = token.kind === "end" || token.text === ";";
    throw cursor.error({
      message: isEnd
        ? "the query ends where a value is expected."
        : `a value is expected, not "${token.text}".`,
      hint: "Names with special characters go in double quotes, texts in single quotes.",
    });
  }
  refuseSubquery(cursor);
  const inside = cursor.deeper(() => parseExpression(cursor, { inCase: false, inOrder: false }));
  cursor.expectSign(")", { message: "a closing bracket is missing." });
  return inside;
}

/** `(select 1)` would be taken for the words of a text. */
function refuseSubquery(cursor: Cursor): void {
  if (!cursor.isWord("select")) return;
  const { kind, text } = cursor.peek(1);
  // A field may be called so, and stand alone or be computed with.
  if (kind === "end" || (kind === "sign" && text !== "*" && text !== "(")) return;
  throw cursor.error({
    message: "C9QL has no queries inside of queries.",
    hint: "Compute the value in a statement before: select …, max(x) over () as top; select * where x = top. A field called select goes in double quotes.",
  });
}

function parseWords(cursor: Cursor, place: Place): Expression {
  const first = cursor.peek();
  const isOnly = !continuesName(cursor, place, 1);
  if (first.kind === "number" && isOnly) {
    cursor.take();
    return { kind: "number", text: first.text, span: spanOf(first) };
  }
  if (cursor.isKeyword(place)) {
    throw cursor.error({
      message: `a value is expected before "${first.text}".`,
      hint: `If "${first.text}" is part of a name, put the name in double quotes.`,
    });
  }
  if (first.kind === "word" && cursor.isSign("(", 1)) return parseCall(cursor, place);
  if (cursor.isWord("case") && cursor.isWord("when", 1)) return parseCase(cursor, place);
  if (isOnly && !isPath(cursor)) {
    const literal = literalWord(first);
    if (literal !== undefined) {
      cursor.take();
      return literal;
    }
  }
  return withSteps(cursor, place, parseName(cursor, place));
}

function isPath(cursor: Cursor): boolean {
  return cursor.isSign(".", 1) || cursor.peek(1).kind === "index";
}

function literalWord(token: Token): Expression | undefined {
  const span = spanOf(token);
  if (token.lower === "null") return { kind: "null", span };
  if (token.lower === "true" || token.lower === "false") {
    return { kind: "boolean", value: token.lower === "true", span };
  }
  return undefined;
}

/** Words in a row, up to a keyword or a sign, are one name. */
export function parseName(cursor: Cursor, place: Place): NameNode {
  const { start } = cursor.peek();
  const words = [cursor.take().text];
  while (continuesName(cursor, place, 0)) words.push(cursor.take().text);
  return { kind: "name", text: words.join(" "), exact: false, span: cursor.from(start) };
}

function continuesName(cursor: Cursor, place: Place, ahead: number): boolean {
  const { kind } = cursor.peek(ahead);
  return kind === "number" || (kind === "word" && !cursor.isKeyword(place, ahead));
}

/** The `.field` and `[0]` after a name or a call. */
function withSteps(cursor: Cursor, place: Place, target: NameNode | CallNode): Expression {
  const steps: Step[] = [];
  for (;;) {
    if (cursor.peek().kind === "index") steps.push({ index: Number(cursor.take().text) });
    else if (isStep(cursor)) steps.push(parseStep(cursor, place));
    else break;
    if (steps.length > LIMITS.c9ql.depth) throw cursor.tooDeep(cursor.from(target.span.start));
  }
  if (steps.length === 0) return target;
  return { kind: "access", target, steps, span: cursor.from(target.span.start) };
}

/** A dot belongs to a path only if nothing stands between it and its neighbours. */
function isStep(cursor: Cursor): boolean {
  const next = cursor.peek(1);
  const isNear = cursor.last.end === cursor.peek().start && cursor.peek().end === next.start;
  return cursor.isSign(".") && isNear && ["word", "number", "loose", "exact"].includes(next.kind);
}

function parseStep(cursor: Cursor, place: Place): Step {
  cursor.take();
  const { kind } = cursor.peek();
  if (kind === "loose" || kind === "exact") return { field: cursor.take().text };
  return { field: parseName(cursor, place).text };
}

function parseCall(cursor: Cursor, place: Place): Expression {
  const { start, lower } = cursor.take();
  cursor.take();
  const name = takesDistinct(cursor, lower) ? "distinct" : lower;
  const args = unitLast(
    cursor,
    name,
    cursor.deeper(() => parseArguments(cursor, name)),
  );
  const call: CallNode = { kind: "call", name, args, span: cursor.from(start) };
  if (cursor.isWord("over") && cursor.isSign("(", 1)) return parseWindow(cursor, call);
  return withSteps(cursor, place, call);
}

/** `count(distinct field)` and `count(distinct(field))`, as SQL has it, are `distinct(field)`. */
function takesDistinct(cursor: Cursor, name: string): boolean {
  const isName = cursor.isSign(")", 1) || cursor.isSign(",", 1);
  return name === "count" && !isName && cursor.takeWords("distinct");
}

function parseArguments(cursor: Cursor, name: string): Expression[] {
  const args: Expression[] = [];
  const place = { inCase: false, inOrder: false };
  while (!cursor.takeSign(")")) {
    if (args.length > 0) {
      cursor.expectSign(",", { message: `a comma or a closing bracket is missing in ${name}(…).` });
    }
    if (cursor.isSign("*") && args.length === 0) {
      const { start, end } = cursor.take();
      args.push({ kind: "star", span: { start, end } });
    } else {
      args.push(plainArgument(cursor, name, args.length) ?? parseExpression(cursor, place));
    }
  }
  return args;
}

function parseWindow(cursor: Cursor, call: CallNode): Expression {
  cursor.take();
  cursor.take();
  const partitionBy = cursor.takeWords("partition", "by")
    ? readExpressions(cursor, { inCase: false, inOrder: false })
    : [];
  cursor.expectSign(")", {
    message: "over takes nothing or partition by and fields.",
    hint: "Write over () or over (partition by field); an order inside is not available.",
  });
  return { kind: "window", call, partitionBy, span: cursor.from(call.span.start) };
}

function parseCase(cursor: Cursor, outer: Place): Expression {
  const { start } = cursor.take();
  const place = { ...outer, inCase: true };
  const branches = [];
  while (cursor.takeWords("when")) {
    const condition = cursor.deeper(() => parseExpression(cursor, place));
    if (!cursor.takeWords("then"))
      throw cursor.error({ message: "then is missing after a condition of case." });
    branches.push({ condition, value: cursor.deeper(() => parseExpression(cursor, place)) });
  }
  const otherwise = cursor.takeWords("else")
    ? cursor.deeper(() => parseExpression(cursor, place))
    : undefined;
  if (!cursor.takeWords("end")) {
    throw cursor.error({ message: "end is missing.", hint: "Write case when … then … else … end." });
  }
  const span = cursor.from(start);
  return { kind: "case", branches, ...(otherwise === undefined ? {} : { otherwise }), span };
}

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
function plainArgument(cursor: Cursor, name: string, index: number): Expression | undefined {
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
function unitLast(cursor: Cursor, name: string, args: readonly Expression[]): readonly Expression[] {
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
