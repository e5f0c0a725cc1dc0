import type { Linked, Mention, ValueLink } from "./link.ts";
import { bestScore } from "./link.ts";
import type { Column, LinkSchema, Table } from "./schema.ts";
import { isGrammar, type Token } from "./words.ts";

/** Far away: no such word within reach. */
const FAR = 12;
const REACH = 11;

/** Cues that are looked for before and behind some words. */
const BEFORE: readonly (readonly string[])[] = [
  ["COUNT"],
  ["AVG"],
  ["SUM"],
  ["MAX", "MAXA", "POP"],
  ["MIN", "UNPOP", "YOUNG"],
  ["EACH"],
  ["ORD", "ASC", "DESC"],
  ["GT", "LT", "GE", "LE", "AFTER", "BEFORE", "BTW"],
  ["WHOSE", "THAT", "WITH"],
  ["IN"],
  ["FOR"],
  ["OF"],
  ["AND", ","],
  ["BY"],
  ["WHICH", "WHO"],
  ["SHOW"],
  ["NOT", "EXC"],
  ["DIST"],
  ["ITS"],
  ["LIKE", "START", "END"],
  ["THAN"],
  ["HOWLONG", "WHERE", "WHEN"],
];
const BEHIND: readonly (readonly string[])[] = [
  ["GT", "LT", "GE", "LE", "AFTER", "BEFORE", "BTW"],
  ["IS"],
  ["AND", ","],
  ["EACH"],
  ["OF"],
  ["NOT", "EXC"],
  ["WITH", "THAT", "WHOSE"],
  ["IN", "FOR"],
  ["ORD", "ASC", "DESC"],
  ["MAX", "MAXA", "MIN", "POP"],
];

/** What stands around some words. */
function surroundings({ tokens, numbers, values }: Linked, start: number, end: number): number[] {
  const isOf = (group: readonly string[], { cue, text }: Token) =>
    group.includes(cue) || group.includes(text);
  const out: number[] = [];
  for (const group of BEFORE) {
    let distance = FAR;
    for (let i = start - 1; start >= 0 && i >= Math.max(0, start - REACH); i -= 1)
      if (isOf(group, tokens[i] as Token)) {
        distance = start - i;
        break;
      }
    out.push(distance);
  }
  for (const group of BEHIND) {
    let distance = FAR;
    for (let i = end; start >= 0 && i < Math.min(tokens.length, end + REACH); i += 1)
      if (isOf(group, tokens[i] as Token)) {
        distance = i - end + 1;
        break;
      }
    out.push(distance);
  }
  const after = (places: readonly number[]) =>
    Math.min(FAR, ...(start < 0 ? [] : places.filter((at) => at >= end).map((at) => at - end + 1)));
  out.push(after(numbers.map(({ at }) => at)));
  out.push(after(values.flatMap((value) => (value.strength >= 3 ? [value.start] : []))));
  return out;
}

interface Span {
  start: number;
  end: number;
}

const gap = (a: Span, b: Span) => Math.max(0, a.start - b.end, b.start - a.end);
const overlaps = (a: Span, b: Span) => a.start < b.end && b.start < a.end;
const weight = ({ score, words }: Mention) => score * (1 + 0.1 * words);
const flag = (value: boolean) => (value ? 1 : 0);

/** Facts of a question that every decision about it needs, worked out once. */
export class Features {
  readonly schema: LinkSchema;
  readonly linked: Linked;
  /** What the sketch says of the whole question. */
  readonly #sketch: readonly number[];
  readonly #best: (Mention | undefined)[];

  constructor(schema: LinkSchema, linked: Linked, sketch: readonly number[]) {
    this.schema = schema;
    this.linked = linked;
    this.#sketch = sketch;
    this.#best = schema.columns.map(({ index }) => bestMention(schema, linked, index));
  }

  /** The mention of a column that counts. */
  mentionOf(column: number): Mention | undefined {
    return this.#best[column];
  }

  /** Columns that are worth a look: what is mentioned, and names and keys of mentioned tables. */
  columns(): number[] {
    const { columns, tables } = this.schema;
    const { linked } = this;
    const isOnly = tables.length === 1;
    return columns.flatMap((column) => {
      if (bestScore(linked.columns[column.index]) >= 0.3) return [column.index];
      const table = tables[column.table] as Table;
      const score = isOnly ? 1 : bestScore(linked.tables[column.table]);
      const isName = table.label === column.index || table.key === column.index || column.nameLike > 0;
      const isOwn = linked.values.some((value) => value.column === column.index && value.strength >= 3);
      const isNamed =
        table.label === column.index &&
        linked.values.some((value) => columns[value.column]?.table === column.table && value.strength >= 3);
      return (score > 0.4 && (isName || column.foreign >= 0)) || isOwn || isNamed ? [column.index] : [];
    });
  }

  ofColumn(index: number): number[] {
    const { schema, linked } = this;
    const column = schema.columns[index] as Column;
    const table = schema.tables[column.table] as Table;
    const mention = this.mentionOf(index);
    const length = linked.tokens.length;
    const own = (linked.tables[column.table] ?? []).filter(({ score }) => score > 0.6);
    const [ahead, behind] = distancesTo(mention, own);
    const rivals = this.#rivalsOf(index, mention);
    const value = linked.values
      .filter((each) => each.column === index)
      .reduce<ValueLink | undefined>(
        (a, b) => (a !== undefined && a.strength >= b.strength ? a : b),
        undefined,
      );
    const second = (linked.columns[index] ?? []).find((each) => each !== mention);
    const [nearTable, isNearOwn] = this.#nearestTable(mention, column.table);
    const first = this.#firstTable();
    const foreign = schema.columns[column.foreign];
    const cue = mention === undefined ? "" : (linked.tokens[mention.start]?.cue ?? "");
    return [
      mention?.score ?? 0,
      mention?.words ?? 0,
      flag(mention?.isFull === true),
      mention === undefined ? 9 : column.words.length - mention.words,
      mention === undefined ? 20 : Math.min(20, this.tiesAt(index, mention)),
      mention === undefined ? -1 : mention.start / length,
      mention?.start ?? -1,
      this.#mentionsBefore(mention),
      bestScore(linked.tables[column.table]),
      ahead,
      behind,
      linked.tables.filter((all) => bestScore(all) >= 0.9).length,
      flag(first === column.table),
      own[0] === undefined ? -1 : own[0].start / length,
      flag(table.label === index),
      column.nameLike,
      flag(column.isId),
      flag(column.isKey),
      flag(column.foreign >= 0),
      flag(column.kind === "number"),
      flag(column.kind === "date"),
      column.distinct / Math.max(1, column.rows),
      value?.strength ?? 0,
      value !== undefined && mention !== undefined ? Math.min(FAR, gap(value, mention)) : FAR,
      second?.score ?? 0,
      second === undefined ? -1 : second.start / length,
      foreign === undefined ? 0 : bestScore(linked.tables[foreign.table]),
      table.columns.length,
      flag(table.isBridge),
      Math.max(0, ...table.columns.filter((i) => i !== index).map((i) => bestScore(linked.columns[i]))),
      (mention === undefined ? 0 : weight(mention)) - rivals.best,
      schema.tables.length,
      flag(rivals.isElsewhere),
      nearTable,
      flag(isNearOwn),
      flag(cue === "WHO" || cue === "WHERE" || cue === "WHEN"),
      flag(!column.isWhole),
      ...surroundings(linked, mention?.start ?? -1, mention?.end ?? -1),
      ...this.#sketch,
    ];
  }

  ofTable(index: number): number[] {
    const { schema, linked } = this;
    const table = schema.tables[index] as Table;
    const [mention, second] = linked.tables[index] ?? [];
    const scores = table.columns.map((i) => bestScore(linked.columns[i]));
    const sure = table.columns.filter((i) => bestScore(linked.columns[i]) > 0.9);
    const unique = sure.filter((i) => this.tiesAt(i, linked.columns[i]?.[0] as Mention) === 0);
    let [strength, rivals] = [0, 9];
    for (const value of linked.values)
      if (schema.columns[value.column]?.table === index && value.strength >= strength)
        [strength, rivals] = [value.strength, value.rivals];
    const strong = schema.tables.filter(
      (other) => other !== table && bestScore(linked.tables[other.index]) >= 0.9,
    );
    const distance = (a: number, b: number) => schema.distance[a]?.[b] ?? Number.POSITIVE_INFINITY;
    const isBetween = strong.some((a, i) =>
      strong
        .slice(i + 1)
        .some(
          (b) =>
            Math.abs(distance(a.index, index) + distance(index, b.index) - distance(a.index, b.index)) < 0.01,
        ),
    );
    let over = 0;
    let isWorse = false;
    if (mention !== undefined) {
      for (const column of schema.columns)
        for (const each of column.table === index ? [] : (linked.columns[column.index] ?? []))
          if (each.score > 0.9 && each.start <= mention.start && each.end >= mention.end)
            over = Math.max(over, each.words);
      isWorse = linked.tables.some(
        (all, i) => i !== index && all.some((each) => overlaps(each, mention) && each.score > mention.score),
      );
    }
    return [
      mention?.score ?? 0,
      mention?.words ?? 0,
      flag(mention?.isFull === true),
      mention === undefined ? -1 : mention.start / linked.tokens.length,
      second?.score ?? 0,
      Math.max(0, ...scores),
      sure.length,
      unique.length,
      strength,
      rivals,
      flag(table.isBridge),
      table.columns.length,
      Math.min(9, ...strong.map((other) => distance(index, other.index))),
      strong.length,
      flag(isBetween),
      over,
      flag(isWorse),
      schema.tables.length,
      flag(table.rows > 0),
      table.words.length,
      ...surroundings(linked, mention?.start ?? -1, mention?.end ?? -1),
      ...this.#sketch,
    ];
  }

  /** What speaks for a value or number being used in one way. */
  ofUse(use: Use): number[] {
    const { schema, linked } = this;
    const { tokens } = linked;
    const column = schema.columns[use.column];
    const mention = nearestMention(linked.columns[use.column] ?? [], use);
    let [tableGap, tableScore, isTableBehind] = [FAR, 0, false];
    for (const each of column === undefined ? [] : (linked.tables[column.table] ?? []))
      if (each.score > 0.6 && gap(each, use) < tableGap)
        [tableGap, tableScore, isTableBehind] = [gap(each, use), each.score, each.start >= use.end];
    const isInside = (each: Span) => each.start <= use.start && each.end >= use.end;
    let [nearAny, cover, tableCover, nextTable] = [FAR, 0, 0, FAR];
    for (const [i, all] of linked.columns.entries())
      for (const each of all) {
        if (each.score > 0.8 && !isInside(each)) nearAny = Math.min(nearAny, gap(each, use));
        if (each.score > 0.85 && isInside(each))
          cover = Math.max(cover, each.words + (i === use.column ? 0.5 : 0));
      }
    for (const each of linked.tables.flat()) {
      if (each.score > 0.85 && isInside(each)) tableCover = Math.max(tableCover, each.words);
      if (each.score > 0.8 && each.start >= use.end) nextTable = Math.min(nextTable, each.start - use.end);
    }
    const isNumber = typeof use.value === "number";
    const number = isNumber ? (use.value as number) : -1;
    const isInBounds = column?.kind === "number" && isNumber && number >= column.min && number <= column.max;
    const next = tokens[use.end];
    const mark = linked.marks[use.start];
    return [
      flag(use.kind === "value"),
      flag(use.kind === "limit"),
      flag(use.kind === "having"),
      flag(use.kind === "text"),
      flag(use.kind === "date"),
      use.link?.strength ?? -1,
      use.end - use.start,
      use.link?.rivals ?? 0,
      flag(tokens[use.start]?.quoted !== undefined),
      flag(tokens[use.start]?.isCapital === true),
      use.link === undefined ? 0 : Math.min(30, use.link.value.length),
      mention?.score ?? 0,
      mention?.words ?? 0,
      flag(mention?.isFull === true),
      mention === undefined ? FAR : Math.min(FAR, gap(mention, use)),
      mention === undefined ? -1 : flag(mention.start >= use.end),
      mention === undefined ? 9 : Math.min(9, this.tiesAt(use.column, mention)),
      column === undefined ? 0 : bestScore(linked.tables[column.table]),
      tableGap,
      tableScore,
      flag(isTableBehind),
      nearAny,
      Math.max(0, ...linked.columns.map(bestScore)),
      column?.kind === "number" && isNumber ? flag(isInBounds) : -1,
      flag(column?.isId === true),
      flag(column?.isKey === true),
      flag((column?.foreign ?? -1) >= 0),
      column?.nameLike ?? 0,
      column === undefined ? 0 : column.distinct / Math.max(1, column.rows),
      Math.min(50, column?.distinct ?? 0),
      isNumber ? flag(number > 1_800 && number < 2_100) : -1,
      Math.min(1e4, number),
      next === undefined ? 2 : flag(isGrammar(next.text, linked.language)),
      nextTable,
      mark === "T" ? 1 : mark === "C" ? 2 : 0,
      use.start / tokens.length,
      flag(column?.hasYear === true),
      flag(next?.cue === "TIMES"),
      cover,
      tableCover,
      flag(tokens.slice(Math.max(0, use.start - 5), use.start).some(({ cue }) => cue === "OR")),
      flag(this.#isHalfName(use)),
      flag(use.link?.part !== undefined),
      ...surroundings(linked, use.start, use.end),
      ...this.#sketch,
    ];
  }

  /** Other columns that the same words name as well. */
  tiesAt(index: number, mention: Mention): number {
    const worth = mention.score * mention.words - 1e-6;
    return this.linked.columns.filter(
      (all, i) =>
        i !== index &&
        all.some(
          (each) =>
            overlaps(each, mention) && each.score * each.words >= worth && each.score >= mention.score - 1e-6,
        ),
    ).length;
  }

  #rivalsOf(index: number, mention: Mention | undefined): { best: number; isElsewhere: boolean } {
    const { schema, linked } = this;
    const own = bestScore(linked.tables[schema.columns[index]?.table ?? -1]);
    let [best, isElsewhere] = [0, false];
    if (mention !== undefined)
      for (const other of schema.columns)
        for (const each of other.index === index ? [] : (linked.columns[other.index] ?? []))
          if (overlaps(each, mention)) {
            best = Math.max(best, weight(each));
            if (each.score >= mention.score && bestScore(linked.tables[other.table]) > own + 0.2)
              isElsewhere = true;
          }
    return { best, isElsewhere };
  }

  #nearestTable(mention: Mention | undefined, own: number): [distance: number, isOwn: boolean] {
    let [near, isOwn] = [FAR, false];
    if (mention !== undefined)
      for (const [i, all] of this.linked.tables.entries())
        for (const each of all)
          if (each.score > 0.8) {
            const distance = gap(mention, each);
            if (distance < near) [near, isOwn] = [distance, i === own];
            else if (distance === near && i === own) isOwn = true;
          }
    return [near, isOwn];
  }

  #firstTable(): number {
    const places = this.linked.tables.map((all) => all.find(({ score }) => score > 0.8)?.start ?? 99);
    const first = Math.min(...places);
    return first === 99 ? -1 : places.indexOf(first);
  }

  #mentionsBefore(mention: Mention | undefined): number {
    if (mention === undefined) return 0;
    const before = this.linked.columns.flat().filter(({ score, end }) => score > 0.8 && end <= mention.start);
    return new Set(before.map(({ start }) => start)).size;
  }

  /** A first name beside a last name. */
  #isHalfName({ column, link, start, end }: Use): boolean {
    const own = this.schema.columns[column];
    if (own === undefined || link === undefined || own.nameLike === 0) return false;
    return this.linked.values.some((each) => {
      const other = this.schema.columns[each.column];
      const isBeside = each.end === start || each.start === end;
      return isBeside && each.column !== column && other?.table === own.table && other.nameLike > 0;
    });
  }
}

function distancesTo(mention: Mention | undefined, own: readonly Mention[]): [ahead: number, behind: number] {
  let [ahead, behind] = [FAR, FAR];
  if (mention !== undefined)
    for (const each of own)
      if (each.start >= mention.start) ahead = Math.min(ahead, Math.max(0, each.start - mention.end));
      else behind = Math.min(behind, Math.max(0, mention.start - each.end));
  return [ahead, behind];
}

/** A strong mention near to one of its table. */
function bestMention(schema: LinkSchema, linked: Linked, index: number): Mention | undefined {
  const own = (linked.tables[schema.columns[index]?.table ?? -1] ?? []).filter(({ score }) => score > 0.6);
  let [best, most] = [undefined as Mention | undefined, -1];
  for (const each of linked.columns[index] ?? []) {
    const distance = Math.min(9, ...own.map((table) => gap(each, table)));
    const score = weight(each) + 0.25 / (1 + distance);
    if (score > most) [best, most] = [each, score];
  }
  return best;
}

function nearestMention(mentions: readonly Mention[], use: Span): Mention | undefined {
  let [best, least] = [undefined as Mention | undefined, 99];
  for (const each of mentions) {
    const distance = gap(each, use) + (each.start >= use.end ? 0.5 : 0) - 4 * each.score;
    if (distance < least) [best, least] = [each, distance];
  }
  return best;
}

/** One thing that a value or number may be for. */
export interface Use {
  kind: "value" | "number" | "text" | "limit" | "having" | "date";
  start: number;
  end: number;
  /** -1 for places and counts. */
  column: number;
  value: string | number;
  link?: ValueLink;
  /** How likely it is. */
  p: number;
}

const LIKE_CUES = ["LIKE", "START", "END"];
/** Uses of one question that are looked at. */
const MOST_USES = 400;

/** Everything that the values and numbers of a question may be for. */
export function usesIn({ columns, tables: _ }: LinkSchema, linked: Linked): Use[] {
  const { tokens, values, numbers, texts } = linked;
  const uses: Use[] = values.map((value) => ({
    kind: "value",
    ...value,
    value: value.value,
    link: value,
    p: 0,
  }));
  for (const { at, value } of numbers) {
    const place = { start: at, end: at + 1, value, p: 0 };
    if (tokens[at]?.quoted === undefined)
      uses.push({ kind: "limit", column: -1, ...place }, { kind: "having", column: -1, ...place });
    for (const { index, kind } of columns) {
      if (kind === "number") uses.push({ kind: "number", column: index, ...place });
      if (kind === "date" && value > 1_800 && value < 2_100)
        uses.push({ kind: "date", column: index, ...place });
    }
  }
  for (const [at, { text }] of tokens.entries())
    if (/^\d{4}-\d\d-\d\d/.test(text))
      for (const { index, kind } of columns)
        if (kind === "date")
          uses.push({ kind: "date", column: index, start: at, end: at + 1, value: text, p: 0 });
  const isLike = tokens.some(({ cue }) => LIKE_CUES.includes(cue));
  const bare = tokens.flatMap(({ text, cue, quoted }, at) => {
    const isNext = LIKE_CUES.includes(tokens[at - 1]?.cue ?? "") && cue === "" && quoted === undefined;
    return isNext && text.length <= 12 ? [{ at, text }] : [];
  });
  for (const { at, text } of isLike ? [...texts, ...bare] : [])
    for (const { index, kind, table } of columns) {
      const isNamed = bestScore(linked.columns[index]) > 0.3 || bestScore(linked.tables[table]) > 0.6;
      if (kind === "text" && isNamed)
        uses.push({ kind: "text", column: index, start: at, end: at + 1, value: text, p: 0 });
    }
  return uses.slice(0, MOST_USES);
}
