import type { AppError } from "../../../kernel/errors.ts";
import type { Expression, Item, Ordering, Statement } from "./ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpression, readExpressions } from "./parse-expression.ts";
import { parseName } from "./parse-operand.ts";
import { isSqlWord, sqlHint } from "./sql-habits.ts";

const ANYWHERE = { inCase: false, inOrder: false };

/** [select] [distinct] items [where …] [group by …] [order by …] [limit n] */
export function parseStatement(cursor: Cursor): Statement {
  const { start } = cursor.peek();
  const hasSelect = cursor.takeWords("select");
  const distinct = isDistinct(cursor);
  if (distinct) cursor.take();
  const items = parseItems(cursor, hasSelect && !distinct);
  const where = cursor.takeWords("where") ? parseExpression(cursor, ANYWHERE) : undefined;
  const groupBy = cursor.takeWords("group", "by") ? readExpressions(cursor, ANYWHERE) : [];
  const orderBy = cursor.takeWords("order", "by") ? parseOrderings(cursor) : [];
  const limit = cursor.isWord("limit") ? parseLimit(cursor) : undefined;
  if (!isEnd(cursor)) throw unexpected(cursor, start);
  return {
    distinct,
    items,
    ...(where === undefined ? {} : { where }),
    groupBy,
    orderBy,
    ...(limit === undefined ? {} : { limit }),
    span: cursor.from(start),
  };
}

/** `distinct(field)` is the aggregate, `distinct (a + b)` is not. */
function isDistinct(cursor: Cursor): boolean {
  const isCall = cursor.isSign("(", 1) && cursor.peek().end === cursor.peek(1).start;
  return cursor.isWord("distinct") && !isCall;
}

function isEnd(cursor: Cursor): boolean {
  return cursor.peek().kind === "end" || cursor.isSign(";");
}

function isClause(cursor: Cursor, ahead = 0): boolean {
  const token = cursor.peek(ahead);
  if (token.kind !== "word" || !["where", "group", "order", "limit"].includes(token.lower)) return false;
  return cursor.isKeyword(ANYWHERE, ahead);
}

/** Without items, all columns are meant: `where opened > 100`. */
function parseItems(cursor: Cursor, needsItems: boolean): Item[] {
  const { start } = cursor.peek();
  if (isEnd(cursor) && needsItems) {
    throw cursor.error({ message: "nothing is selected.", hint: "Name the fields, or write select *." });
  }
  if (isEnd(cursor) || isClause(cursor)) return [{ kind: "all", span: { start, end: start } }];
  const items = [parseItem(cursor)];
  while (cursor.takeSign(",")) items.push(parseItem(cursor));
  return items;
}

function parseItem(cursor: Cursor): Item {
  const { start, kind } = cursor.peek();
  if (cursor.isSign("*")) {
    cursor.take();
    return { kind: "all", span: cursor.from(start) };
  }
  if (cursor.takeSign("~")) return parseException(cursor, start);
  if (kind === "end") throw cursor.error({ message: "a field is missing after the comma." });
  const expression = parseExpression(cursor, ANYWHERE);
  const alias = cursor.takeWords("as") || isBareAlias(cursor, expression) ? parseAlias(cursor) : undefined;
  return { kind: "value", expression, ...(alias === undefined ? {} : { alias }), span: cursor.from(start) };
}

/** `count(*) n`, as SQL has it: after a bracket a single word can be nothing else. */
function isBareAlias(cursor: Cursor, expression: Expression): boolean {
  const { kind, lower } = cursor.peek();
  const isName = kind === "word" ? !isSqlWord(lower) : kind === "loose" || kind === "exact";
  return expression.kind === "call" && isName && !endsAlias(cursor, 0) && endsAlias(cursor, 1);
}

function parseException(cursor: Cursor, start: number): Item {
  const token = cursor.peek();
  if (token.kind === "loose" || token.kind === "exact") {
    cursor.take();
    const span = { start: token.start, end: token.end };
    return {
      kind: "except",
      name: { kind: "name", text: token.text, exact: true, span },
      span: cursor.from(start),
    };
  }
  if (token.kind !== "word" && token.kind !== "number") {
    throw cursor.error({
      message: "~ is followed by the field to leave out.",
      hint: "Write select *, ~field.",
    });
  }
  const name = { ...parseName(cursor, ANYWHERE), exact: true };
  return { kind: "except", name, span: cursor.from(start) };
}

/** An alias may contain anything up to the next comma or clause: `as Open Rate %`. */
function parseAlias(cursor: Cursor): string {
  const first = cursor.peek();
  const isQuoted = first.kind === "loose" || first.kind === "exact" || first.kind === "text";
  const isWhole = isQuoted && endsAlias(cursor, 1);
  let length = 0;
  for (let open = 0; open > 0 || !endsAlias(cursor, length); length++) {
    if (cursor.peek(length).kind === "end") break;
    if (cursor.isSign("(", length)) open += 1;
    if (cursor.isSign(")", length)) open -= 1;
  }
  for (let taken = 0; taken < length; taken++) cursor.take();
  const written = isWhole ? first.text : cursor.text.slice(first.start, cursor.from(first.start).end);
  const alias = isWhole ? written : written.replace(/\s+/g, " ");
  if (!isWhole && /\sfrom\s+\S+$/i.test(alias)) {
    const hint = `${sqlHint("from")} A name with from in it stands in double quotes.`;
    throw cursor.error({ message: '"from" cannot stand here.', hint });
  }
  if (length === 0 || alias.trim() === "") {
    throw cursor.error({ message: "a name is missing after as.", hint: "Write expression as name." });
  }
  return alias;
}

function endsAlias(cursor: Cursor, ahead: number): boolean {
  const isStop = cursor.isSign(",", ahead) || cursor.isSign(";", ahead) || cursor.isSign(")", ahead);
  return isStop || cursor.peek(ahead).kind === "end" || isClause(cursor, ahead);
}

function parseOrderings(cursor: Cursor): Ordering[] {
  const orderings: Ordering[] = [];
  do {
    const expression: Expression = parseExpression(cursor, { inCase: false, inOrder: true });
    const descending = cursor.takeWords("desc");
    if (!descending) cursor.takeWords("asc");
    orderings.push({ expression, descending });
  } while (cursor.takeSign(","));
  return orderings;
}

function parseLimit(cursor: Cursor): number {
  cursor.take();
  const token = cursor.peek();
  const limit = Number(token.text);
  if (token.kind !== "number" || !Number.isSafeInteger(limit)) {
    throw cursor.error({ message: "limit takes a whole number.", hint: "Write limit 100." });
  }
  cursor.take();
  return limit;
}

/** What stands here belongs to nothing. */
export function unexpected(cursor: Cursor, start: number): AppError {
  const token = cursor.peek();
  const hint = sqlHint(cursor.text.slice(start, token.end)) ?? hintFor(cursor);
  return cursor.error({ message: `"${token.text}" cannot stand here.`, hint });
}

function hintFor(cursor: Cursor): string {
  const { kind, lower } = cursor.peek();
  if (kind === "word" && ["where", "group", "order", "limit"].includes(lower)) {
    return "The order is: select … where … group by … order by … limit …";
  }
  return "Names with special characters go in double quotes, texts in single quotes.";
}
