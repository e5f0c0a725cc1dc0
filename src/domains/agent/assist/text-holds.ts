import { numberIn } from "../explain/format.ts";
import { isAdditive, type ShownColumn } from "../explain/view.ts";
import { isKey } from "../query/semantic-query.ts";
import { type Token, type Told, tokensOf, type Written } from "./text-tokens.ts";

/**
 * The sentences of a text that are understood to the last word and true of the result. Everything else is left out:
 * what a check does not know it cannot hold against anything.
 */
export function heldSentences(text: string, told: Told): string[] {
  const read = tokensOf(told);
  return sentencesOf(text).filter((sentence) => {
    const tokens = NOT_PLAIN.test(sentence) ? undefined : read(sentence);
    return tokens !== undefined && isTrue(tokens, told);
  });
}

/** What could become more than text where it is shown. */
const NOT_PLAIN = /:\/\/|[\p{Cf}\p{Co}<>[\]{}|`*_#\\~]/u;

function sentencesOf(text: string): string[] {
  return text
    .replaceAll("**", "")
    .split(/(?<=[.!?;])\s+|\n+/)
    .map((sentence) => sentence.replace(/^\s*(?:[-•]|\d+\.)\s+/, "").trim())
    .filter((sentence) => sentence !== "");
}

/** A clause, and what is spoken of in it. */
export interface Clause {
  /** The rows that it names, behind the one that was named before where it goes on with that. */
  rows: readonly number[];
  numbers: readonly Written[];
  place: number;
  column: ShownColumn;
  /** Which end of a ranking, or which direction, it speaks of. */
  sign: 1 | -1;
}

/** What clauses are made of: the kinds of `WORDS` without measure and period; and what has to be true of them. */
const CLAUSES: readonly [RegExp, ...(keyof typeof CLAIMS)[]][] = [
  // Drip took €20
  [/^[co]?N[hw]+[V%]$/, "isCell"],
  // Revenue was €20
  [/^[hw][V%]$/, "isOnly"],
  // Drip accounts for 40% of the total; which is 40% of revenue
  [/^(N?[hw]*%o[WTM]|Nhs[ow]%)$/, "isShare"],
  // Drip has the highest revenue with €20; the highest shop is Drip; highest in May; Aroma comes second with €13
  [/^(N(h?[te]|l)|[te]G?hN|h[te]cN|Nh?c?O[te]?)(w[V%])?$/, "isPlace", "isCell"],
  // The highest one took €20
  [/^[te]Gh[V%]$/, "isOfFirst"],
  // Drip is ahead of Aroma; ahead of Aroma with €13
  [/^(Nh?([az]|[mu]n)N|([az]|[mu]n)N(w[V%])?)$/, "isAhead", "isCell"],
  // followed by Aroma with €13
  [/^N?h?FN(w[V%])?$/, "isNext", "isCell"],
  // Drip is €7 above Aroma, 20% more than Aroma
  [/^N?h?[V%]([az]|[mu]n)N$/, "isAheadBy"],
  // The shops took €50 together; the total is €50
  [/^(G?h[V%]T|G?hTo[V%]|T(oG)?[hw][V%])$/, "isSum"],
  // Revenue rose by 20% from January to May
  [/^([rd]b?[V%]fNkN|fNkN[rd]b?[V%])$/, "isLaterBy"],
  // Revenue fell from €20 in January to €13 in May
  [/^[rd]f[V%]cNk[V%]cN$/, "isLater", "isCell"],
  // Drip grew by 20%
  [/^N[rd]b?%$/, "isGrowth"],
];

/** Whether each clause of a sentence says something that is true. */
function isTrue(tokens: readonly Token[], told: Told): boolean {
  const [only, ...others] = told.view.numbers;
  let column = others.length === 0 ? only : undefined;
  let before: readonly number[] = [];
  const clauses = clausesOf(tokens);
  const isHeld = (clause: readonly Token[]) => {
    const columns = new Set(clause.flatMap(({ kind, column: own }) => (kind === "M" && own ? [own] : [])));
    if (columns.size === 1) [column] = columns;
    const named = clause.flatMap(({ kind, rows = [] }) => (kind === "N" ? [rows] : []));
    if (column === undefined || columns.size > 1 || named.some((rows) => rows.length !== 1)) return false;
    const kinds = kindsOf(clause);
    const spoken: Clause = {
      rows: [...(/^[hw%VazmuF]/.test(kinds) ? before : []), ...named.flat()],
      numbers: clause.flatMap(({ number }) => number ?? []),
      place: clause.find(({ place }) => place !== undefined)?.place ?? 1,
      column,
      sign: /[ezud]/.test(kinds) ? -1 : 1,
    };
    // Of two, nobody knows which one the next clause goes on with.
    before = named.length === 1 && spoken.rows.length === 1 ? spoken.rows : [];
    const claims = CLAUSES.find(([pattern]) => pattern.test(kinds))?.slice(1) as (keyof typeof CLAIMS)[];
    return claims?.every((claim) => CLAIMS[claim](spoken, told)) === true;
  };
  return clauses.length > 0 && clauses.every(isHeld);
}

/** "From January to May, revenue rose": that comma parts nothing. */
function clausesOf(tokens: readonly Token[]): Token[][] {
  const clauses: Token[][] = [[]];
  for (const token of tokens) {
    const last = clauses.at(-1) as Token[];
    if (token.kind !== ",") last.push(token);
    else if (kindsOf(last) !== "fNkN") clauses.push([]);
  }
  return clauses.filter((clause) => kindsOf(clause) !== "");
}

/** What kinds of words stand there, without the period of the answer and the name of the number. */
function kindsOf(clause: readonly Token[]): string {
  return clause
    .map(({ kind }) => kind)
    .join("")
    .replaceAll(/[cof]?P/g, "")
    .replaceAll(/Mo(?=[V%])|cM|(?<=V)oM|(?<!%o)M/g, "");
}

type Claim = (clause: Clause, told: Told) => boolean;

/** What clauses say of a result. A number that is not written is not wrong. */
const CLAIMS = {
  /** The numbers are those of the rows that were named last. */
  isCell: ({ rows, numbers, column }, told) =>
    numbers.every((x, i) => isNumber(x, cellOf(rows.at(i - numbers.length), column, told), column)),
  isOnly: ({ numbers: [x], column }, told) =>
    told.view.keys.length === 0 &&
    told.view.rows.length === 1 &&
    isNumber(x, cellOf(0, column, told), column),
  isShare: ({ rows: [a], numbers: [x], column }, told) =>
    isNear(x, (cellOf(a, column, told) / wholeOf(column, told)) * 100),
  isPlace: ({ rows: [a], place, column, sign }, told) =>
    a !== undefined && rowAt(place, sign, column, told) === a,
  isOfFirst: ({ numbers: [x], column, sign }, told) =>
    isNumber(x, cellOf(rowAt(1, sign, column, told), column, told), column),
  isAhead: ({ rows: [a, b], column, sign }, told) =>
    (cellOf(a, column, told) - cellOf(b, column, told)) * sign > 0,
  isNext: ({ rows: [a, b], column }, told) => {
    const isAt = (place: number, row: number | undefined) =>
      row !== undefined && rowAt(place, 1, column, told) === row;
    return told.view.rows.some((_, i) => isAt(i + 1, a) && isAt(i + 2, b));
  },
  isAheadBy: ({ rows: [a, b], ...clause }, told) => isChange(b, a, clause, told),
  isLaterBy: ({ rows: [a, b], ...clause }, told) => isOverTime(told) && isChange(a, b, clause, told),
  isLater: ({ rows: [a, b], column, sign }, told) =>
    isOverTime(told) && (cellOf(b, column, told) - cellOf(a, column, told)) * sign > 0,
  /** Of all groups together; those that are shown have to be all. */
  isSum: ({ numbers: [x], column }, told) => {
    const whole = wholeOf(column, told);
    const sum = told.view.rows.reduce((all, _, i) => all + cellOf(i, column, told), 0);
    return Math.abs(whole - sum) <= 1e-6 * Math.abs(whole) && isNumber(x, whole, column);
  },
  isGrowth: ({ rows: [a], numbers: [x], column, sign }, told) =>
    x !== undefined &&
    "op" in column.of &&
    column.of.op === "growth" &&
    isNumber({ ...x, value: x.value * sign }, cellOf(a, column, told), column),
} satisfies Readonly<Record<string, Claim>>;

function cellOf(row: number | undefined, { index }: ShownColumn, { view }: Told): number {
  return numberIn(view.rows[row ?? -1]?.[index]) ?? Number.NaN;
}

/** The number of the whole, where groups add up to it. */
function wholeOf({ of, index }: ShownColumn, { totals, view, knowledge }: Told): number {
  const keys = view.columns.map((column) => column.of).filter(isKey);
  const isSum = view.keys.length > 0 && !isKey(of) && isAdditive(of, knowledge.schema, keys);
  return (isSum ? numberIn(totals?.[index - view.keys.length]) : undefined) ?? Number.NaN;
}

function isOverTime({ view }: Told): boolean {
  return view.keys.some(({ format }) => format.kind === "period");
}

/** From one row to the other it is as much more, or less, as is written. */
function isChange(
  from: number | undefined,
  to: number | undefined,
  { numbers: [x], column, sign }: Omit<Clause, "rows">,
  told: Told,
): boolean {
  const start = cellOf(from, column, told);
  const by = (cellOf(to, column, told) - start) * sign;
  if (!(by > 0) || column.format.kind === "percent") return false;
  return x?.isPercent === true ? isNear(x, (by / start) * 100) : isNumber(x, by, column);
}

/** The row at a place of all that there are, if it is alone there. */
function rowAt(place: number, sign: 1 | -1, column: ShownColumn, told: Told): number | undefined {
  const values = told.view.rows.map((_, i) => cellOf(i, column, told) * sign);
  const there = [...values.keys()].filter(
    (i) => values.filter((each) => each > (values[i] as number)).length === place - 1,
  );
  return isRanked(sign, told) && there.length === 1 ? there[0] : undefined;
}

/** Whether the first ones of the answer are the first of all. */
function isRanked(sign: 1 | -1, { result, view }: Told): boolean {
  const { ask } = result.reading;
  if (ask.k === "list") return ask.limit === undefined && ask.rel.k !== "top";
  const { top, having } = ask;
  if (having !== undefined || top?.skip !== undefined || (top?.per?.length ?? 0) > 0) return false;
  return top === undefined ? view.rows.length > 1 : (top.dir === "max") === (sign === 1);
}

/** Whether that is the number, as it is written. */
function isNumber(written: Written | undefined, value: number, { format }: ShownColumn): boolean {
  const symbol = written?.symbol;
  if (symbol !== undefined && (format.kind !== "money" || format.symbol.trim() !== symbol)) return false;
  const isPercent = format.kind === "percent";
  return written?.isPercent === isPercent && isNear(written, isPercent ? value * format.by : value);
}

/** However few digits are written, a number is not further off than this. */
const FARTHEST = 0.05;

function isNear(written: Written | undefined, wanted: number): boolean {
  const { value, tolerance } = written ?? { value: Number.NaN, tolerance: 0 };
  const most = Math.min(tolerance, FARTHEST * Math.abs(wanted)) + 1e-9 * Math.max(1, Math.abs(wanted));
  return Math.abs(value - wanted) <= most;
}
