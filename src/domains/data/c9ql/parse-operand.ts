import { LIMITS } from "../limits.ts";
import type { CallNode, Expression, NameNode, Step } from "./ast.ts";
import type { Cursor, Place } from "./cursor.ts";
import type { Token } from "./lexer.ts";
import { parseExpression, readExpressions } from "./parse-expression.ts";
import { plainArgument, unitLast } from "./plain-arguments.ts";
import { wholeVariable } from "./variables.ts";

/** A value without operators: a literal, a name, a call, `case`, or something in brackets. */
export function parseOperand(cursor: Cursor, place: Place): Expression {
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
export function refuseSubquery(cursor: Cursor): void {
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
