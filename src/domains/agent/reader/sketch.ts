import { KINDS } from "./draft.ts";
import type { Use } from "./features.ts";
import { bestScore, type Linked } from "./link.ts";
import type { Column } from "./schema.ts";
import { isGrammar } from "./words.ts";

/** What is guessed of the whole question before anything is put together: each a choice of one. */
export const HEADS = {
  kind: KINDS,
  counts: ["0", "1"],
  shown: ["0", "1", "2", "3", "4"],
  distinct: ["0", "1"],
  direction: ["", "asc", "desc"],
  tables: ["1", "2", "3"],
  conditions: ["0", "1", "2", "3"],
  any: ["0", "1"],
  order: ["none", "column", "count", "agg"],
  limit: ["0", "1", "n"],
  having: ["", ">", ">=", "<", "<=", "="],
  denied: ["0", "1"],
  all: ["0", "1"],
} as const;
export type Head = keyof typeof HEADS;
export type Sketch = Readonly<Record<Head, readonly number[]>>;

export function headP<H extends Head>(sketch: Sketch, head: H, choice: (typeof HEADS)[H][number]): number {
  return sketch[head][(HEADS[head] as readonly string[]).indexOf(choice)] ?? 0;
}

/** The sketch as numbers for the decisions that come after it. */
export function sketchNumbers({
  kind,
  counts,
  shown,
  direction,
  tables,
  conditions,
  order,
}: Sketch): number[] {
  return [
    ...kind,
    counts[1] ?? 0,
    ...shown.slice(0, 3),
    ...direction,
    ...tables,
    ...conditions.slice(0, 3),
    ...order,
  ];
}

/** A hash that is the same everywhere: weights know their features by it. */
export function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const QUIET = new Set(["SHOW", "IS", "IN", "FOR", "OF", "ITS"]);
const LOUD = new Set(["MAX", "MAXA", "MIN", "ORD", "EACH", "COUNT", "AVG", "SUM"]);
const isCue = (part: string) => /^[A-Z]{2,}/.test(part);
const isName = (part: string) => /^(T|C|V|N)/.test(part) && !/^[A-Z]{2,}$/.test(part);

/** The question without its words: what they do and what they name, in runs of one to four. */
export function sketchGrams({ tokens, marks, shapes, language, tables, values, numbers }: Linked): number[] {
  const parts = ["^"];
  let last = "";
  for (const [i, token] of tokens.entries()) {
    const shape = shapes[i] ?? "";
    let part = "_";
    if (token.cue !== "" && marks[i] !== "V") part = token.cue;
    else if (shape !== "") part = shape === "N" && token.number === 1 ? "N1" : shape;
    else if (token.text.length === 1 && !/\p{L}/u.test(token.text)) part = token.text;
    else if (isGrammar(token.text, language)) part = "g";
    const isRun =
      part === last &&
      (part === "V" || part === "_" || part === "g" || part === token.cue || part[0] === "C");
    if (!isRun) parts.push(part);
    last = part;
  }
  parts.push("$");
  const grams = ["b", ...runsOf(parts)];
  const coarse = parts.map((part) => (/^T?C[a-z]$/.test(part) ? (part[0] === "T" ? "T" : "C") : part));
  for (let i = 1; i < coarse.length; i += 1) {
    if (coarse[i] !== parts[i] || coarse[i - 1] !== parts[i - 1])
      grams.push(`b${coarse[i - 1]} ${coarse[i]}`);
    if (i > 1) grams.push(`t~${coarse[i - 2]} ${coarse[i - 1]} ${coarse[i]}`);
  }
  const cues = parts.filter((part) => isCue(part) && !QUIET.has(part));
  for (const [i, cue] of cues.entries())
    for (const later of cues.slice(i + 1, i + 4)) grams.push(`s${cue}>${later}`);
  for (const [i, part] of parts.entries())
    if (LOUD.has(part)) grams.push(`f${part}>${parts.slice(i + 1, i + 6).find(isName) ?? ""}`);
  const named = tables.filter((all) => bestScore(all) >= 0.9).length;
  const valued = new Set(values.filter(({ strength }) => strength >= 3).map(({ start }) => start)).size;
  grams.push(
    `nt${Math.min(3, named)}`,
    `nv${Math.min(3, valued)}`,
    `nn${Math.min(2, numbers.length)}`,
    `nvn${Math.min(3, valued + numbers.length)}`,
    `len${Math.min(6, tokens.length >> 2)}`,
  );
  return hashes(grams);
}

function runsOf(parts: readonly string[]): string[] {
  return parts.flatMap((part, i) => [
    `u${part}`,
    ...(i > 0 ? [`b${parts[i - 1]} ${part}`] : []),
    ...(i > 1 ? [`t${parts[i - 2]} ${parts[i - 1]} ${part}`] : []),
    ...(i > 2 ? [`q${parts.slice(i - 3, i + 1).join(" ")}`] : []),
  ]);
}

const hashes = (grams: readonly string[]) => [...new Set(grams.map(hashOf))];

const TELLING = new Set(["AVG", "SUM", "MAX", "MAXA", "MIN", "COUNT", "EACH", "ORD", "POP"]);

/** What stands around some words, for choices that hang on single cues. */
function spanGrams(
  { tokens, marks, language }: Linked,
  start: number,
  end: number,
  extra: string[],
): number[] {
  const at = (i: number) => {
    const token = tokens[i];
    if (token === undefined) return i < 0 ? "^" : "$";
    if (token.cue !== "") return token.cue;
    return isGrammar(token.text, language) ? "g" : marks[i] || "_";
  };
  const grams = ["b", ...extra];
  for (let d = 1; d <= 5; d += 1) grams.push(`p${d}${at(start - d)}`, `P${at(start - d)}`);
  for (let d = 0; d < 4; d += 1) grams.push(`n${d}${at(end + d)}`, `N${at(end + d)}`);
  grams.push(
    `pp${at(start - 2)} ${at(start - 1)}`,
    `pn${at(start - 1)} ${at(end)}`,
    `nn${at(end)} ${at(end + 1)}`,
    `ppp${at(start - 3)} ${at(start - 2)} ${at(start - 1)}`,
  );
  for (const { cue } of tokens) if (TELLING.has(cue)) grams.push(`any${cue}`);
  return hashes(grams);
}

/** For the aggregate of a column (`AGGREGATES`). */
export function aggregateGrams(
  linked: Linked,
  { kind, isId }: Column,
  span?: { start: number; end: number },
): number[] {
  const extra = [`ty${kind}`, `id${isId}`, `has${span !== undefined}`];
  return spanGrams(linked, span?.start ?? -9, span?.end ?? -9, extra);
}

/** For the operator of a value or number (`OPERATORS`). */
export function operatorGrams(linked: Linked, { kind, start, end }: Use): number[] {
  return spanGrams(linked, start, end, [`k${kind}`, "o"]);
}
