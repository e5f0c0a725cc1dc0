import { type Token, tokenAt } from "../../models/guard/tokens/index.ts";
import { isSameField } from "./parts.ts";

/** A column that a formula names. */
export interface ColumnRef {
  ds: string;
  field: string;
}

/** One aggregate of a metric: SQL in which the columns can be given other names. */
export interface AggregateFormula {
  /** Its function, in lower case. */
  fn: string;
  pieces: (string | ColumnRef)[];
  /** Those of the pieces that are columns. */
  columns: ColumnRef[];
  /** Of nothing it makes 0 instead of null. */
  isCount: boolean;
}

/** A metric's formula with its aggregates taken out, so that each can be computed where its rows are. */
export interface MetricFormula {
  /** The text around the aggregates: one more than there are of them. */
  texts: string[];
  aggregates: AggregateFormula[];
  /** The one aggregate that it is, and nothing around it. */
  only?: AggregateFormula | undefined;
}

/** Gives the column that a name means: `dataset.column`, or a column alone. */
export type FindColumn = (dataset: string | null, column: string) => ColumnRef | undefined;

/** Splits `SUM(a.x) / COUNT(DISTINCT b.y)`; undefined where there is no aggregate, or one with a window. */
export function splitFormula(
  sql: string,
  { isAggregate, find }: { isAggregate: (name: string) => boolean; find: FindColumn },
): MetricFormula | undefined {
  const tokens = tokensOf(sql);
  if (tokens.some(({ text }) => text === "over")) return undefined;
  const texts: string[] = [];
  const aggregates: AggregateFormula[] = [];
  let textFrom = 0;
  for (let i = 0; i < tokens.length; i += 1) {
    const { text, start } = tokens[i] as Token;
    if (tokens[i + 1]?.text !== "(" || !isAggregate(text)) continue;
    const last = endOfFilter(tokens, endOfBrackets(tokens, i + 1));
    const end = tokens[last]?.end ?? sql.length;
    texts.push(sql.slice(textFrom, start));
    const pieces = piecesOf(sql, tokens.slice(i, last + 1), find);
    const columns = pieces.filter((piece) => typeof piece !== "string");
    aggregates.push({ fn: text, pieces, columns, isCount: /^count/.test(text) });
    textFrom = end;
    i = last;
  }
  if (aggregates.length === 0) return undefined;
  texts.push(sql.slice(textFrom));
  const isBare = aggregates.length === 1 && texts.every((each) => each.trim() === "");
  return { texts, aggregates, only: isBare ? aggregates[0] : undefined };
}

/** Whether an aggregate is of one field, and of nothing else. */
export function isOfField({ columns: [column, ...others] }: AggregateFormula, key: ColumnRef): boolean {
  return others.length === 0 && isSameField(column, key);
}

/** Words, signs, and quoted texts and names as one token each. */
function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let token = tokenAt(sql, 0); token !== undefined; token = tokenAt(sql, tokens.at(-1)?.end ?? 0)) {
    const end = endOfQuoted(sql, token);
    tokens.push(end === undefined ? token : { ...token, end, text: sql.slice(token.start, end) });
  }
  return tokens;
}

/** Where the quoted text or name that begins here ends. */
function endOfQuoted(sql: string, { start, text }: Token): number | undefined {
  if (text !== "'" && text !== '"') return undefined;
  let end = sql.indexOf(text, start + 1);
  while (end !== -1 && sql[end + 1] === text) end = sql.indexOf(text, end + 2);
  return end === -1 ? sql.length : end + 1;
}

/** The index of the bracket that closes the one at `from`. */
function endOfBrackets(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i += 1) {
    const text = tokens[i]?.text;
    depth += text === "(" ? 1 : text === ")" ? -1 : 0;
    if (depth === 0) return i;
  }
  return tokens.length - 1;
}

function endOfFilter(tokens: readonly Token[], from: number): number {
  const isFilter = tokens[from + 1]?.text === "filter" && tokens[from + 2]?.text === "(";
  return isFilter ? endOfBrackets(tokens, from + 2) : from;
}

function piecesOf(sql: string, tokens: readonly Token[], find: FindColumn): AggregateFormula["pieces"] {
  const pieces: AggregateFormula["pieces"] = [];
  let textFrom = tokens[0]?.start ?? 0;
  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i] as Token;
    const name = nameOf(sql, token);
    if (name === undefined || tokens[i - 1]?.text === "." || tokens[i + 1]?.text === "(") continue;
    const second = tokens[i + 1]?.text === "." ? tokens[i + 2] : undefined;
    const column = second === undefined ? undefined : nameOf(sql, second);
    const found = (column === undefined ? undefined : find(name, column)) ?? find(null, name);
    if (found === undefined) continue;
    pieces.push(sql.slice(textFrom, token.start), found);
    textFrom = (column === undefined ? token : (second as Token)).end;
  }
  return [...pieces, sql.slice(textFrom, tokens.at(-1)?.end)];
}

function nameOf(sql: string, { start, end, text }: Token): string | undefined {
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll('""', '"');
  return /^[\p{L}_]/u.test(text) ? sql.slice(start, end) : undefined;
}
