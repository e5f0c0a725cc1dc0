import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import {
  type Complaint,
  childrenOf,
  type Expression,
  expressionsOf,
  type Item,
  mapChildren,
  type Ordering,
  type Query,
  queryError,
  type Span,
  type Statement,
  type ValueItem,
} from "./ast.ts";
import { isAggregateCall, isRowFunction } from "./functions.ts";
import { knownNames, type Token, tokenise } from "./lexer.ts";
import { parseExpression, parseName, readExpressions } from "./parse-expression.ts";
import { printExpression } from "./print.ts";
import { isSqlWord, sqlHint } from "./scope.ts";

interface ParseOptions {
  /**
   * Names that may stand without quotes although they are no plain words, such as `Sub-Category`. Plain names need
   * not be known here: they are bound when the query is compiled.
   */
  columns?: readonly { readonly name: string }[];
}

/** The tree of a query. An empty text is a query without statements: all rows as they are. */
export function parse(text: string, options: ParseOptions = {}): Query {
  const cursor = cursorOver(text, options);
  const statements: Statement[] = [];
  while (cursor.peek().kind !== "end") {
    if (cursor.takeSign(";")) continue;
    if (statements.length >= LIMITS.c9ql.statements) {
      throw cursor.error({
        code: "too_large",
        message: `the query has more than ${LIMITS.c9ql.statements} statements.`,
      });
    }
    const statement = parseStatement(cursor);
    for (const expression of expressionsOf(statement)) refuseDeep(cursor, expression);
    statements.push(statement);
  }
  return { text, statements };
}

/**
 * A condition on its own, as alerts have it (`opened > 100`), as the query that finds its rows. One on aggregates
 * (`sum(opened) > 100`) looks at the one row that they make of all; one on what lies along the rows
 * (`delta(opened) > 100`) at each of them.
 */
export function parseCondition(text: string, options: ParseOptions = {}): Query {
  const cursor = cursorOver(text, options);
  const { start } = cursor.peek();
  cursor.takeWords("where");
  const where = parseExpression(cursor, { inCase: false, inOrder: false });
  cursor.takeSign(";");
  if (cursor.peek().kind !== "end") throw unexpected(cursor, start);
  refuseDeep(cursor, where);
  const span = cursor.from(start);
  const statement = {
    distinct: false,
    items: [{ kind: "all" as const, span }],
    groupBy: [],
    orderBy: [],
    span,
  };
  const totals = new Map<string, ValueItem>();
  const condition = withoutAggregates(where, totals);
  const found = { ...statement, where: condition };
  if (totals.size === 0) return { text, statements: [found] };
  const made = [...totals.values()];
  const areOfRows = made.every(({ expression }) => expression.kind === "call" && isRowFunction(expression));
  const items = areOfRows ? [...statement.items, ...made] : made;
  return { text, statements: [{ ...statement, items }, found] };
}

/** The condition with a name in the place of each aggregate, which is put where the names are made. */
function withoutAggregates(node: Expression, totals: Map<string, ValueItem>): Expression {
  if (node.kind === "call" && (isAggregateCall(node) || isRowFunction(node))) {
    const alias = printExpression(node);
    totals.set(alias, { kind: "value", expression: node, alias, span: node.span });
    return { kind: "name", text: alias, exact: true, span: node.span };
  }
  return mapChildren(node, (child) => withoutAggregates(child, totals));
}

function cursorOver(text: string, { columns }: ParseOptions): Cursor {
  if (typeof text !== "string") throw new AppError("bad_request", "A C9QL query is a text.");
  const names = columns === undefined ? undefined : knownNames(columns.map(({ name }) => name));
  return new Cursor(text, tokenise(text, names));
}

/** `a + a + a …` nests without any bracket. Counted without recursion, because recursion is what it would exhaust. */
function refuseDeep(cursor: Cursor, root: Expression): void {
  let level: readonly Expression[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.c9ql.depth) throw cursor.tooDeep(root.span);
    level = level.flatMap(childrenOf);
  }
}

const ANYWHERE = { inCase: false, inOrder: false };

/** [select] [distinct] items [where …] [group by …] [order by …] [limit n] */
function parseStatement(cursor: Cursor): Statement {
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

/** Syntax error: a token that belongs to nothing. */
function unexpected(cursor: Cursor, start: number): AppError {
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

/** Where an expression stands decides which words end a name. */
export interface Place {
  /** Inside `case … end`. */
  inCase: boolean;
  /** In an `order by` that no bracket hides. */
  inOrder: boolean;
}

/** A place in the tokens of a query. */
export class Cursor {
  readonly text: string;
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.text = text;
    this.#tokens = tokens;
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)] as Token;
  }

  /** The token before this one. */
  get last(): Token {
    return this.#tokens[Math.max(0, this.#index - 1)] as Token;
  }

  take(): Token {
    const token = this.peek();
    this.#index = Math.min(this.#index + 1, this.#tokens.length - 1);
    return token;
  }

  /** A place to come back to. */
  mark(): number {
    return this.#index;
  }

  reset(mark: number): void {
    this.#index = mark;
  }

  isSign(sign: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "sign" && token.text === sign;
  }

  isWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "word" && token.lower === word;
  }

  takeSign(sign: string): boolean {
    const isThere = this.isSign(sign);
    if (isThere) this.take();
    return isThere;
  }

  /** Several words in a row, as in `group by`. */
  takeWords(...words: readonly string[]): boolean {
    const isThere = words.every((word, ahead) => this.isWord(word, ahead));
    if (isThere) for (const _ of words) this.take();
    return isThere;
  }

  expectSign(sign: string, complaint: Complaint): Token {
    if (!this.isSign(sign)) throw this.error(complaint);
    return this.take();
  }

  from(start: number): Span {
    return { start, end: Math.max(start, this.last.end) };
  }

  error(complaint: Complaint, span: Span = this.#here()): AppError {
    return queryError(this.text, span, complaint);
  }

  /** At the end of the text there is nothing to point at but the character before. */
  #here(): Span {
    const { kind, start, end } = this.peek();
    if (kind !== "end") return { start, end };
    return { start: Math.max(0, this.last.end - 1), end: Math.max(1, this.last.end) };
  }

  /** Runs one level deeper, so that no text can exhaust the stack. */
  deeper<Result>(read: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > LIMITS.c9ql.depth) throw this.tooDeep(this.#here());
    const result = read();
    this.#depth -= 1;
    return result;
  }

  tooDeep(span: Span): AppError {
    const complaint: Complaint = {
      code: "too_large",
      message: `the expression is nested more than ${LIMITS.c9ql.depth} levels deep.`,
      hint: "Compute a part of it in a statement of its own: select …; select …",
    };
    return this.error(complaint, span);
  }

  /** True if the token ahead is a keyword in its place, so that a name ends before it. */
  isKeyword(place: Place, ahead = 0): boolean {
    const token = this.peek(ahead);
    if (token.kind !== "word") return false;
    switch (token.lower) {
      case "where":
      case "and":
      case "or":
      case "as":
      case "like":
      case "between":
        return true;
      case "group":
      case "order":
        return this.isWord("by", ahead + 1);
      case "limit":
        return this.peek(ahead + 1).kind === "number";
      case "in":
        return this.isSign("(", ahead + 1) || this.peek(ahead + 1).kind === "variable";
      case "not":
        return ["like", "in", "between"].some((word) => this.isWord(word, ahead + 1));
      case "is":
        return (
          this.isWord("null", ahead + 1) || (this.isWord("not", ahead + 1) && this.isWord("null", ahead + 2))
        );
      case "when":
      case "then":
      case "else":
      case "end":
        return place.inCase;
      case "asc":
      case "desc":
        return place.inOrder && this.#endsOrdering(ahead + 1);
      default:
        return false;
    }
  }

  #endsOrdering(ahead: number): boolean {
    const { kind } = this.peek(ahead);
    const ends = kind === "end" || this.isSign(",", ahead) || this.isSign(";", ahead);
    return ends || (this.isWord("limit", ahead) && this.peek(ahead + 1).kind === "number");
  }
}
