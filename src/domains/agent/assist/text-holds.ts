import type { ShownColumn } from "../explain/view.ts";
import { CLAIMS } from "./text-claims.ts";
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
