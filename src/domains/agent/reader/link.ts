import { LETTER_VALUES } from "./language.ts";
import type { Column, LinkSchema } from "./schema.ts";
import { isGrammar, isOneOff, plain, type Said, said, stemOf, type Token } from "./words.ts";

/** Some words of a question that are called like something: tokens from `start`, without `end`. */
export interface Mention {
  start: number;
  end: number;
  /** How much of the name they say, from 0 to 1. */
  score: number;
  /** Whether each word of the name is there. */
  isFull: boolean;
  words: number;
}

/** Some words that are a value of a column. */
export interface ValueLink {
  start: number;
  end: number;
  column: number;
  value: string;
  /** How sure it is, from 1 (a part of it) to 4 (quoted). */
  strength: number;
  /** Columns that have this value. */
  rivals: number;
  /** Where the words are only a part of values. */
  part?: string;
}

/** What the words of a question may name. */
export interface Linked extends Said {
  /** By table and by column, the best first. */
  tables: Mention[][];
  columns: Mention[][];
  values: ValueLink[];
  numbers: { at: number; value: number }[];
  /** Quoted texts, to look for in values. */
  texts: { at: number; text: string }[];
  /** What each token is: of a column, a table, a value or a number. */
  marks: ("" | "C" | "T" | "V" | "N")[];
  /** The same with the kind of the column, for the sketch. */
  shapes: string[];
}

export const bestScore = (mentions: readonly Mention[] | undefined): number => mentions?.[0]?.score ?? 0;

/** Mentions of one thing that are kept. */
const KEPT = 3;
const WEAKEST = 0.2;
const MOST_WORDS_OF_VALUE = 7;
/** Values of which a word is only a part, that are looked at. */
const MOST_PARTS = 30;

export function link(schema: LinkSchema, question: string): Linked {
  const { language, tokens: raw } = said(question);
  const tokens = splitNames(raw, schema, (word) => stemOf(word, language));
  const finder = new MentionFinder(tokens, { language, tokens });
  const tables = schema.tables.map(({ words, stems }) =>
    finder.find(
      words,
      stems,
      words.map(() => 1),
    ),
  );
  const columns = schema.columns.map((column) => {
    const own = schema.tables[column.table]?.stems ?? [];
    const weight = (stem: string) => {
      if (own.includes(stem) && column.stems.length > 1) return 0.35;
      return isGrammar(stem, language) || stem.length === 1 ? 0.2 : 1;
    };
    return finder.find(column.words, column.stems, column.stems.map(weight));
  });
  const { values, texts } = valueLinks({ language, tokens }, schema);
  const numbers = tokens.flatMap(({ number }, at) => (number === undefined ? [] : [{ at, value: number }]));
  const linked = { language, tokens, tables, columns, values, texts, numbers, marks: [], shapes: [] };
  const marks = marksOf(linked);
  return { ...linked, marks, shapes: shapesOf(linked, marks, schema) };
}

/** A quoted full name whose words are values of different columns falls apart into its words. */
function splitNames(
  tokens: readonly Token[],
  { values }: LinkSchema,
  stem: (word: string) => string,
): Token[] {
  return tokens.flatMap((token) => {
    if (token.quoted === undefined || values.has(plain(token.text))) return [token];
    const words = plain(token.text).split(" ");
    const isName = words.length >= 2 && words.length <= 3 && words.every((word) => values.has(word));
    return isName ? words.map((text) => ({ text, stem: stem(text), cue: "", isCapital: true })) : [token];
  });
}

class MentionFinder {
  readonly #tokens: readonly Token[];
  readonly #said: Said;
  readonly #known = new Map<string, Float32Array>();

  constructor(tokens: readonly Token[], all: Said) {
    this.#tokens = tokens;
    this.#said = all;
  }

  /** Where the words of a name stand together, also with grammar between them. */
  find(words: readonly string[], stems: readonly string[], weights: readonly number[]): Mention[] {
    const total = weights.reduce((a, b) => a + b, 0) || 1;
    const likeness = words.map((word, i) => this.#likeness(word, stems[i] ?? word));
    const found: Mention[] = [];
    for (let start = 0; start < this.#tokens.length; start += 1)
      if (likeness.some((row) => (row[start] as number) > WEAKEST)) {
        const mention = this.#from(start, likeness, weights, total);
        if (mention !== undefined) found.push(mention);
      }
    found.sort((a, b) => b.score - a.score || a.start - b.start);
    const kept: Mention[] = [];
    for (const each of found)
      if (kept.length < KEPT && !kept.some((other) => each.start < other.end && other.start < each.end))
        kept.push(each);
    return kept;
  }

  #from(
    start: number,
    likeness: readonly Float32Array[],
    weights: readonly number[],
    total: number,
  ): Mention | undefined {
    const used = new Set<number>();
    let [got, end, gap] = [0, start, 0];
    const last = Math.min(this.#tokens.length, start + weights.length + 4);
    for (let at = start; at < last; at += 1) {
      let [best, most] = [-1, WEAKEST];
      for (const [i, row] of likeness.entries()) {
        const score = row[at] as number;
        const worth = score === 1 ? 1.01 : score;
        if (!used.has(i) && worth > most) [best, most] = [i, score];
      }
      if (best >= 0) {
        used.add(best);
        got += most * (weights[best] as number);
        [end, gap] = [at + 1, 0];
        continue;
      }
      if (this.#bridges(at, used.size < weights.length)) {
        gap += 1;
        if (gap > 2) break;
      } else if (!this.#isShared(at, start, used, likeness)) break;
      else gap = 0;
    }
    if (used.size === 0) return undefined;
    return { start, end, score: got / total, isFull: used.size === weights.length, words: used.size };
  }

  /** Grammar between the words of a name. */
  #bridges(at: number, isOpen: boolean): boolean {
    const { text, cue } = this.#tokens[at] as Token;
    return isGrammar(text, this.#said.language) || cue === "OF" || cue === "EACH" || (text === "," && isOpen);
  }

  /** "start and end dates": the noun of both stands behind the second. */
  #isShared(
    at: number,
    start: number,
    used: ReadonlySet<number>,
    likeness: readonly Float32Array[],
  ): boolean {
    const before = this.#tokens[at - 1];
    const isAfterAnd = at > start && at - 1 > start - 1 && (before?.cue === "AND" || before?.text === ",");
    const follows = (row: Float32Array) => (row[at + 1] ?? 0) > 0.9 || (row[at + 2] ?? 0) > 0.9;
    return (
      isAfterAnd && used.size < likeness.length && likeness.some((row, i) => !used.has(i) && follows(row))
    );
  }

  /** How much each token is like one word of a name. */
  #likeness(word: string, stem: string): Float32Array {
    const key = `${word}\n${stem}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const row = new Float32Array(this.#tokens.length);
    for (const [i, token] of this.#tokens.entries()) {
      const next = this.#tokens[i + 1];
      const isTogether = next !== undefined && token.text + next.text === word;
      row[i] = isTogether ? 1 : wordLikeness(token, word, stem, this.#said);
    }
    this.#known.set(key, row);
    return row;
  }
}

/** How much a word is like the name of what it only implies. */
const MEASURED = 0.55;

function wordLikeness(token: Token, word: string, stem: string, { language }: Said): number {
  if (token.quoted !== undefined) return 0;
  if (token.stem === stem || token.text === word) return 1;
  if (language.measures.get(token.text)?.includes(word) === true) return MEASURED;
  if (isGrammar(token.text, language)) return 0;
  if (token.text.length >= 3 && stem.length >= 3) {
    const [short, long] =
      token.stem.length < stem.length ? [token.stem, stem] : ([stem, token.stem] as [string, string]);
    if (long.startsWith(short) && short.length >= 4) return 0.6 + (0.3 * short.length) / long.length;
    if (short === stem && long.startsWith(short)) return 0.6;
    if (short.length >= 5 && long.includes(short)) return 0.5;
  }
  return token.text.length >= 5 && word.length >= 5 && isOneOff(token.stem, stem) ? 0.75 : 0;
}

type Hits = readonly { column: number; value: string }[];

function valueLinks(
  { language, tokens }: Said,
  schema: LinkSchema,
): { values: ValueLink[]; texts: Linked["texts"] } {
  const found: ValueLink[] = [];
  const texts: Linked["texts"] = [];
  const add = (start: number, end: number, hits: Hits, strength: number, part?: string) => {
    for (const { column, value } of hits) {
      const isKnown = found.some((each) => each.start === start && each.column === column);
      if (part === undefined || !isKnown)
        found.push({
          ...{ start, end, column, value, strength, rivals: hits.length },
          ...(part !== undefined && { part }),
        });
    }
  };
  for (const [start, token] of tokens.entries()) {
    if (token.quoted !== undefined) {
      texts.push({ at: start, text: token.quoted.replaceAll("%", "") });
      addQuoted(token.quoted, start, schema, add);
      continue;
    }
    for (let end = Math.min(tokens.length, start + MOST_WORDS_OF_VALUE); end > start; end -= 1) {
      const span = tokens.slice(start, end);
      if (span.some(({ quoted }) => quoted !== undefined)) continue;
      const isCapital = span.some((each) => each.isCapital);
      const hit = spanValue(span, schema);
      if (hit === undefined) continue;
      const [first] = span as [Token];
      const isWeak =
        span.length === 1 && (language.weak.has(first.text) || first.cue !== "" || first.text.length < 2);
      if (isWeak && !first.isCapital) continue;
      add(start, end, hit.hits, hit.strength + (isCapital && hit.part === undefined ? 0.5 : 0), hit.part);
    }
  }
  // A value inside of a longer one falls away.
  const values = found.filter(
    (each) =>
      !found.some(
        (other) =>
          other.start <= each.start &&
          other.end >= each.end &&
          other.end - other.start > each.end - each.start,
      ),
  );
  return { values, texts };
}

type AddValue = (start: number, end: number, hits: Hits, strength: number, part?: string) => void;

function addQuoted(quoted: string, at: number, { values }: LinkSchema, add: AddValue): void {
  const key = plain(quoted);
  const hits = values.get(key);
  if (hits !== undefined) add(at, at + 1, hits, 4);
  if (hits !== undefined || key.length < 3) return;
  let count = 0;
  for (const [value, those] of values) {
    if (value.includes(key)) {
      add(at, at + 1, those, 2, quoted);
      count += 1;
      if (count >= MOST_PARTS) return;
    } else if (value.length > 3 && key.includes(value) && value.length > key.length * 0.6)
      add(at, at + 1, those, 1);
  }
}

function spanValue(
  span: readonly Token[],
  { values, columns }: LinkSchema,
): { hits: Hits; strength: number; part?: string } | undefined {
  const key = plain(span.map(({ text }) => text).join(" "));
  if (key === "") return undefined;
  const joined = span
    .map(({ text }) => text)
    .join("")
    .replaceAll(/[^\p{L}\p{N}.]/gu, "");
  const whole =
    values.get(key) ??
    values.get(key.replaceAll(/ s\b/g, "s").replaceAll(" .", ".")) ??
    (span.length > 1 ? values.get(joined) : undefined);
  if (whole !== undefined) return { hits: whole, strength: 3 };
  const [only, ...others] = span as [Token, ...Token[]];
  if (others.length > 0) return undefined;
  const stemmed = only.text !== only.stem && only.stem.length > 3 ? values.get(only.stem) : undefined;
  if (stemmed !== undefined) return { hits: stemmed, strength: 1.5 };
  const letter = LETTER_VALUES.find(([words]) => words.test(only.text))?.[1];
  const lettered = (letter === undefined ? [] : (values.get(letter) ?? [])).filter(
    ({ column }) => (columns[column] as Column).distinct <= 3,
  );
  if (lettered.length > 0) return { hits: lettered, strength: 2.5 };
  if (!only.isCapital || key.length <= 4) return undefined;
  const parts: { column: number; value: string }[] = [];
  for (const [value, hits] of values)
    if (value.length < 40 && (value.startsWith(`${key} `) || value.endsWith(` ${key}`))) {
      parts.push(...hits);
      if (parts.length > MOST_PARTS) break;
    }
  return parts.length === 0 ? undefined : { hits: parts, strength: 1.2, part: only.text };
}

type Unmarked = Omit<Linked, "marks" | "shapes">;

function marksOf({ tokens, columns, tables, values, numbers, language }: Unmarked): Linked["marks"] {
  const marks: Linked["marks"] = tokens.map(() => "");
  const mark = (all: readonly Mention[][], as: "C" | "T") => {
    for (const { start, end, score } of all.flat())
      for (let i = start; score >= 0.7 && i < end; i += 1)
        if (!isGrammar((tokens[i] as Token).text, language)) marks[i] = as;
  };
  mark(columns, "C");
  mark(tables, "T");
  for (const { start, end, strength } of values)
    for (let i = start; strength >= 2 && i < end; i += 1)
      if (marks[i] === "" || strength >= 3.5) marks[i] = "V";
  for (const { at } of numbers) if (marks[at] !== "V") marks[at] = "N";
  return marks;
}

const SHAPES = { number: "Cn", date: "Cd", text: "Ct", boolean: "Ct" } as const;

function shapesOf(
  { tokens, columns, tables, language }: Unmarked,
  marks: Linked["marks"],
  schema: LinkSchema,
): string[] {
  const shapes = tokens.map(() => "");
  const best = tokens.map(() => 0);
  const each = (mention: Mention, put: (i: number, score: number) => void) => {
    const score = mention.score * (1 + 0.15 * mention.words);
    for (let i = mention.start; i < mention.end; i += 1)
      if (!isGrammar((tokens[i] as Token).text, language)) put(i, score);
  };
  for (const { index, isId, kind } of schema.columns)
    for (const mention of columns[index] ?? [])
      if (mention.score >= 0.6)
        each(mention, (i, score) => {
          if (score <= (best[i] as number)) return;
          best[i] = score;
          shapes[i] = isId ? "Ci" : SHAPES[kind];
        });
  for (const mention of tables.flat())
    if (mention.score >= 0.7)
      each(mention, (i, score) => {
        const known = best[i] as number;
        if (score >= known) shapes[i] = shapes[i] !== "" && score < known + 0.05 ? `T${shapes[i]}` : "T";
      });
  return shapes.map((shape, i) => (marks[i] === "V" || marks[i] === "N" ? (marks[i] as string) : shape));
}

/** Words that name nothing here and do nothing in a question. */
export function unknownIn({ tokens, marks, language }: Linked): string[] {
  return tokens.flatMap(({ text, cue, quoted }, i) => {
    const isKnown = marks[i] !== "" || cue !== "" || quoted !== undefined || language.weak.has(text);
    return isKnown || !/^\p{L}/u.test(text) ? [] : [text];
  });
}
