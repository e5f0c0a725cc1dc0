import type { JsonValue } from "../../../platform/analytics/index.ts";
import { judge } from "../evaluation/judge.ts";
import { likelihood, oddsOf } from "./classifiers.ts";
import { aggregateIndex, type Slots } from "./condition-sets.ts";
import type { Condition, Draft } from "./draft.ts";
import { type Candidate, PARTS } from "./enumerate.ts";
import { bestScore, type Linked } from "./link.ts";
import type { RankModels } from "./models.ts";
import type { Column, LinkSchema, Table } from "./schema.ts";
import { HEADS } from "./sketch.ts";

/** What of the ranking is known before anything is run; plain data, since it leaves its thread. */
export interface Known {
  logP: number;
  /** Numbers that need no result. */
  own: number[];
  /** The rules read the question so, too. */
  isRuled?: true;
  /** The rules alone do, so that nothing is known of its parts. */
  isAlien?: true;
  /** It leaves out a period that was named. */
  isTimeless?: true;
  /** Each word that names something is in it. */
  isWhole: boolean;
  /** It is of what no draft can say: metrics, ratios, growth, days between dates. */
  isBeyond: boolean;
}

export type Drafted = Pick<Known, "logP" | "own">;

/** A candidate, and the datasets that its statement reads. */
export interface Runnable {
  candidate: Candidate;
  read: ReadonlySet<string>;
}

type Says = (draft: Draft) => boolean;

const allConditions = ({ where, other = [], except }: Draft): Condition[] => [
  ...where,
  ...other,
  ...(except?.where ?? []),
];
const anyAgg =
  (agg: string): Says =>
  ({ select, order, having, where }) =>
    [...select, ...(order === undefined ? [] : [order]), ...(having === undefined ? [] : [having])].some(
      (item) => item.agg === agg,
    ) || where.some(({ against }) => against === agg);
const isChosen = (direction: "asc" | "desc"): Says => {
  const agg = anyAgg(direction === "desc" ? "max" : "min");
  return (draft) => agg(draft) || (draft.limit !== undefined && draft.direction === direction);
};
const EQUAL = new Set(["=", "!=", "like", "not like"]);

/** What cues want a query to have. */
const AGREEMENTS: readonly (readonly [cues: readonly string[], says: Says])[] = [
  [["COUNT"], (draft) => anyAgg("count")(draft)],
  [["AVG"], anyAgg("avg")],
  [["SUM"], anyAgg("sum")],
  [["MAX", "MAXA", "POP"], isChosen("desc")],
  [["MIN", "YOUNG", "UNPOP"], isChosen("asc")],
  [["EACH"], ({ group }) => group !== undefined],
  [["ORD", "ASC", "DESC"], ({ order }) => order !== undefined],
  [
    ["NOT", "EXC"],
    ({ except, where }) => except !== undefined || where.some(({ op }) => op === "!=" || op === "not like"),
  ],
  [
    ["GT", "LT", "GE", "LE", "AFTER", "BEFORE", "BTW"],
    (draft) => draft.having !== undefined || allConditions(draft).some(({ op }) => !EQUAL.has(op)),
  ],
  [["BOTH"], ({ other }) => other !== undefined],
  [["OR", "EITHER"], ({ isAny, kind }) => isAny === true || kind === "union"],
  [
    ["DIST"],
    ({ isDistinct, select, group }) =>
      isDistinct || group !== undefined || select.some((item) => item.isDistinct === true),
  ],
  [["LIKE", "START", "END"], (draft) => allConditions(draft).some(({ op }) => /like/.test(op))],
];

const flag = (value: boolean) => (value ? 1 : 0);

/** What is known of each candidate before it is run. */
export function knownOf(
  schema: LinkSchema,
  linked: Linked,
  slots: Slots,
  candidates: readonly Runnable[],
): Drafted[] {
  const most = candidates[0]?.candidate.logP ?? 0;
  const { tokens } = linked;
  const hasCue = AGREEMENTS.map(([cues]) => tokens.some(({ cue }) => cues.includes(cue)));
  const shares = sharesOf(candidates, most);
  return candidates.map(({ candidate, read }, place) => {
    const { draft, parts, logP, tree } = candidate;
    const columns = columnsIn(draft);
    const shown = [...new Set(draft.select.flatMap(({ column }) => (column >= 0 ? [column] : [])))];
    const tables = new Set([...tree.tables, ...(draft.except?.tables ?? [])]);
    // A table that changes nothing of the statement says none of the words.
    const isRead = (table: number) => read.has(schema.tables[table]?.ds ?? "");
    const left = uncovered(linked, columns, new Set([...tables].filter(isRead)), candidate);
    const dropped = slots.uses.filter(
      (use) => use.p > 0.2 && !candidate.uses.some((each) => each.start < use.end && use.start < each.end),
    );
    const of = (index: number) => schema.columns[index] as Column;
    const shownP = shown.map((column) => slots.shown.get(column) ?? 0);
    const unshown = [...slots.shown].filter(([column]) => !shown.includes(column)).map(([, p]) => p);
    const stray = [...tables].filter(
      (table) =>
        (slots.tables[table] ?? 0) < 0.2 && ![...columns].some((column) => of(column).table === table),
    );
    const aggP = draft.select.flatMap(({ agg, column, isDistinct }) =>
      agg !== "" && column >= 0 && isDistinct !== true
        ? [slots.aggregates(column)[aggregateIndex(agg)] ?? 0]
        : [],
    );
    const tableP = (isIn: boolean) =>
      schema.tables
        .filter(({ index }) => tables.has(index) === isIn)
        .map(({ index }) => slots.tables[index] ?? 0);
    const { group, order } = draft;
    const orderColumn = order?.column ?? -1;
    const own = [
      ...PARTS.map((part) => parts[part] ?? 0),
      ...shares(draft),
      logP,
      logP - most,
      place,
      ...HEADS.kind.map((kind) => flag(kind === draft.kind)),
      slots.sketch.kind[(HEADS.kind as readonly string[]).indexOf(draft.kind)] ?? 0,
      draft.select.length,
      draft.select.filter(({ agg }) => agg !== "").length,
      slots.sketch.shown[Math.min(4, draft.select.filter(({ agg }) => agg !== "count").length)] ?? 0,
      tables.size,
      draft.where.length,
      Math.min(1, ...shownP),
      Math.max(0, ...unshown),
      Math.max(0, ...dropped.map(({ p }) => p)),
      dropped.length,
      left.columns,
      left.tables,
      left.values,
      ...AGREEMENTS.map(([, says], i) => {
        const [isSaid, isThere] = [hasCue[i] === true, says(draft)];
        return flag(isSaid) - flag(isThere) + (isSaid && isThere ? 0.5 : 0);
      }),
      draft.tables.length,
      stray.length,
      flag(group !== undefined && shown.includes(group)),
      flag(orderColumn >= 0 && shown.includes(orderColumn)),
      flag(new Set(shown.map((column) => of(column).field)).size < shown.length),
      Math.max(0, ...tableP(false)),
      Math.min(1, ...tableP(true)),
      new Set(shown.map((column) => of(column).table)).size,
      draft.where.filter(({ column }) => shown.includes(column)).length,
      Math.min(1, ...candidate.uses.map(({ p }) => p)),
      shown.filter((column) => of(column).isId).length,
      Math.min(1, ...aggP),
      group === undefined ? -1 : flag(shown.some((column) => of(column).table === of(group).table)),
      group === undefined ? -1 : (slots.grouped.get(group) ?? 0),
      orderColumn < 0 ? -1 : (slots.ordered.get(orderColumn) ?? 0),
      shown[0] === undefined ? -1 : Math.log1p((schema.tables[of(shown[0]).table] as Table).rows),
      bestScore(shown[0] === undefined ? undefined : linked.columns[shown[0]]),
    ];
    return { logP, own };
  });
}

/** The same numbers for a query that no draft became. */
export const NOT_DRAFTED: readonly number[] = Array.from(
  { length: PARTS.length + HEADS.kind.length + AGREEMENTS.length + 37 },
  () => -1,
);

/** How much of all likelihood is with candidates that have the same parts, whatever else they are. */
function sharesOf(candidates: readonly Runnable[], most: number): (draft: Draft) => number[] {
  const partsOf = ({ select, where, having, other, isAny, kind, group, order, ...rest }: Draft) =>
    [
      select,
      [where, having, other, isAny],
      [kind, group, order, rest.direction, rest.limit],
      rest.tables,
    ].map((part) => JSON.stringify(part));
  const sums = new Map<string, number>();
  let all = 0;
  for (const { candidate } of candidates) {
    const weight = Math.exp((candidate.logP - most) * WEIGHT);
    all += weight;
    for (const [i, part] of partsOf(candidate.draft).entries())
      sums.set(`${i} ${part}`, (sums.get(`${i} ${part}`) ?? 0) + weight);
  }
  return (draft) => partsOf(draft).map((part, i) => (sums.get(`${i} ${part}`) ?? 0) / all);
}

/** How far likelihoods are trusted: what is twice as likely weighs less than twice as much. */
const WEIGHT = 0.7;

function columnsIn(draft: Draft): Set<number> {
  const { select, group, order } = draft;
  const all = [
    ...select.map(({ column }) => column),
    ...allConditions(draft).map(({ column }) => column),
    group ?? -1,
    order?.column ?? -1,
    draft.having?.column ?? -1,
  ];
  return new Set(all.filter((column) => column >= 0));
}

/** Words that name something, and nothing of the query. */
function uncovered(
  { tokens, columns: columnMentions, tables: tableMentions, marks }: Linked,
  columns: ReadonlySet<number>,
  tables: ReadonlySet<number>,
  { uses }: Candidate,
): { columns: number; tables: number; values: number } {
  const covered = new Uint8Array(tokens.length);
  const cover = ({ start, end }: { start: number; end: number }) => covered.fill(1, start, end);
  for (const column of columns)
    for (const mention of columnMentions[column] ?? []) if (mention.score > 0.5) cover(mention);
  for (const table of tables)
    for (const mention of tableMentions[table] ?? []) if (mention.score > 0.5) cover(mention);
  for (const use of uses) cover(use);
  const left = marks.filter((_, i) => covered[i] === 0);
  return {
    columns: left.filter((mark) => mark === "C").length,
    tables: left.filter((mark) => mark === "T").length,
    values: left.filter((mark) => mark === "V" || mark === "N").length,
  };
}

type Rows = readonly (readonly JsonValue[])[];

/** Each candidate as numbers: what was known of it, what came of it, and how many others, or the rules, came to the same. */
export function rankRows(known: readonly Known[], results: readonly (Rows | null)[]): Float32Array[] {
  const drafted = known.filter(({ isAlien }) => isAlien !== true);
  const most = Math.max(...drafted.map(({ logP }) => logP));
  const keys = results.map(resultKey);
  const ruled = known.findIndex(({ isRuled }) => isRuled === true);
  const mass = new Map<string, number>();
  const count = new Map<string, number>();
  let all = 0;
  for (const [i, { logP, isAlien }] of known.entries()) {
    const key = keys[i] as string;
    if (isAlien === true) continue;
    const weight = Math.exp((logP - most) * WEIGHT);
    all += weight;
    mass.set(key, (mass.get(key) ?? 0) + weight);
    count.set(key, (count.get(key) ?? 0) + 1);
  }
  return known.map(({ own, isAlien }, i) => {
    const rows = results[i] ?? [];
    const key = keys[i] as string;
    const [first] = rows;
    const holes = rows.filter((row) => row.some((value) => value === null)).length;
    const isNothing = rows.length === 1 && first?.length === 1 && (first[0] === 0 || first[0] === null);
    return Float32Array.from([
      ...own,
      flag(isAlien === true),
      ruled === -1 ? -1 : keys[ruled] === key ? 1 : isWithin(results[ruled], results[i]) ? 0.5 : 0,
      keys.length,
      mass.size,
      Math.max(0, ...mass.values()) / Math.max(all, 1e-9),
      (mass.get(key) ?? 0) / Math.max(all, 1e-9),
      count.get(key) ?? 0,
      Math.log1p(rows.length),
      flag(rows.length === 0),
      flag(rows.length === 1),
      rows.length === 0 ? 0 : holes / rows.length,
      flag(isNothing),
      flag(results[i] === null),
      first?.length ?? 0,
    ]);
  });
}

/** Rows that are compared one by one. */
const COMPARED = 200;

/** Whether some rows are all in others, with more columns: names beside their numbers. */
export function isWithin(some: Rows | null | undefined, others: Rows | null | undefined): boolean {
  if (some == null || others == null || some.length === 0 || some.length > COMPARED) return false;
  if (some.length !== others.length || (some[0]?.length ?? 0) >= (others[0]?.length ?? 0)) return false;
  const rows = others.map((row) => [...row]);
  return judge({ rows: some.map((row) => [...row]) }, { outcome: "answer", rows }) === "right";
}

/** The same for the same rows, in whatever order and however often. */
export function resultKey(rows: Rows | null | undefined): string {
  if (rows === null || rows === undefined) return "failed";
  const texts = rows.map((row) => row.map(textOf).join("\u0001"));
  return [...new Set(texts)].sort().join("\u0002");
}

function textOf(value: JsonValue): string {
  if (value === null) return "~";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(5);
  return String(value).trim().toLowerCase();
}

export interface Ranked {
  /** Place among the candidates. */
  index: number;
  p: number;
  score: number;
}

/** The candidates, the best first, with how likely each is to be right. */
export function ranked(rows: readonly Float32Array[], { point, list }: RankModels): Ranked[] {
  return rows
    .map((row, index) => ({
      index,
      p: likelihood(point, row),
      score: 0.5 * oddsOf(point, row) + 0.5 * oddsOf(list, row),
    }))
    .toSorted((a, b) => b.score - a.score);
}
