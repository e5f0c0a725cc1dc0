import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { RowPage } from "../../../registry/asset-kind.ts";
import type { Column } from "../../data/index.ts";
import { LIMITS } from "../limits.ts";
import type { Grain, WidgetSpec } from "../shapes.ts";
import { allPeriods, grainFor, momentOf } from "./periods.ts";
import { isAdditive, isNumber, isTime, labelOf, type Measure, type Plan } from "./plan.ts";
import { quoted, type Source } from "./source.ts";

/** What comes along an axis: a period by its start, or any other value as text. */
export type Key = { period: number } | { text: string };

export interface Points {
  keys: Key[];
  grain: Grain | undefined;
  series: { label: string; data: (number | null)[] }[];
  /** What the numbers are. */
  label: string;
  measure: Measure;
  notes: string[];
}

interface Row {
  x: JsonValue;
  g: JsonValue;
  values: (number | null)[];
}

export const OTHER = "Other";
const { chartRows, groups: MOST_GROUPS } = LIMITS.bi;

/** Numbers along an axis, put together by the engine; what is too much for a chart is asked for as "Other". */
export async function readPoints(
  spec: WidgetSpec,
  plan: Plan & { x: NonNullable<Plan["x"]> },
  source: Source,
  most: number,
): Promise<Points> {
  const { x, group, measures } = plan;
  const grain = isTime(x) ? (spec.grain ?? (await grainOf(x, source))) : undefined;
  const xText = grain === undefined ? quoted(x.name) : `date_trunc(${quoted(x.name)}, ${grain})`;
  const used = group === undefined ? measures : measures.slice(0, 1);
  const query = new PointsQuery(source, xText, group && quoted(group.name), used);
  const isOrdered =
    grain !== undefined || isNumber(x) || spec.sort === "x" || (spec.sort === undefined && isLine(plan));
  const first = await query.read({ isOrdered });
  const cut = await query.fold(first, {
    keepX: grain === undefined && !(isNumber(x) && isLine(plan)) ? most : undefined,
  });
  const isSingle = cut.most === 1;
  const keys = grain === undefined ? textKeys(cut.rows, isOrdered) : periodKeys(cut.rows, grain);
  const notes = cut.isCut ? [`The first ${chartRows.toLocaleString("en")} values are shown.`] : [];
  const [measure] = used as [Measure];
  const missing = grain !== undefined && isAdditive(measure) ? 0 : null;
  const series =
    group === undefined
      ? used.map((each, i) => ({ label: labelOf(each, isSingle), data: along(keys, cut.rows, i, missing) }))
      : groupsOf(cut.rows).map((g) => ({
          label: g,
          data: along(
            keys,
            cut.rows.filter((row) => textOf(row.g) === g),
            0,
            missing,
          ),
        }));
  const label = group === undefined && used.length > 1 ? "" : labelOf(measure, isSingle);
  return { keys, grain, series, label, measure, notes };
}

function isLine({ chart }: Plan): boolean {
  return chart === "line" || chart === "area";
}

/** Fine enough to see something, coarse enough to be read. */
export async function grainOf({ name, type }: Column, source: Source): Promise<Grain> {
  const { rows } = await source.read(`select min(${quoted(name)}) as k9a, max(${quoted(name)}) as k9b`, 1);
  const [from, to] = [momentOf(rows[0]?.k9a), momentOf(rows[0]?.k9b)];
  return from === undefined || to === undefined ? "day" : grainFor(from, to, !/^DATE$/i.test(type));
}

interface Fetched {
  rows: Row[];
  /** Most rows of the data in one of these. */
  most: number;
  isCut: boolean;
}

class PointsQuery {
  readonly #source: Source;
  readonly #x: string;
  readonly #g: string | undefined;
  readonly #measures: readonly Measure[];

  constructor(source: Source, x: string, g: string | undefined, measures: readonly Measure[]) {
    this.#source = source;
    this.#x = x;
    this.#g = g;
    this.#measures = measures;
  }

  async read({
    isOrdered,
    x = this.#x,
    g = this.#g,
    where = "",
  }: {
    isOrdered: boolean;
    x?: string;
    g?: string | undefined;
    where?: string;
  }): Promise<Fetched> {
    const keys = [`${x} as k9x`, ...(g === undefined ? [] : [`${g} as k9g`])];
    const values = this.#measures.map(({ formula }, i) => `${formula} as k9v${i}`);
    const order = isOrdered ? "1" : `${keys.length + 1} desc, 1`;
    const by = keys.map((_, i) => i + 1).join(", ");
    const text = `select ${[...keys, ...values].join(", ")}, count(*) as k9n${where} group by ${by} order by ${order}`;
    return this.#fetched(await this.#source.read(text, chartRows));
  }

  #fetched({ rows, totalRows }: RowPage): Fetched {
    return {
      rows: rows.map((row) => ({
        x: row.k9x ?? null,
        g: row.k9g ?? null,
        values: this.#measures.map((_, i) => numberOf(row[`k9v${i}`])),
      })),
      most: Math.max(0, ...rows.map((row) => numberOf(row.k9n) ?? 0)),
      isCut: totalRows > rows.length,
    };
  }

  /** Puts small ones together: by their sum where all are here and add up, else by asking the engine. */
  async fold(fetched: Fetched, { keepX }: { keepX: number | undefined }): Promise<Fetched> {
    const xs = ranked(fetched.rows, "x");
    const gs = this.#g === undefined ? [] : ranked(fetched.rows, "g");
    const topX = keepX !== undefined && xs.length > keepX ? xs.slice(0, keepX - 1) : undefined;
    const topG = gs.length > MOST_GROUPS ? gs.slice(0, MOST_GROUPS - 1) : undefined;
    if (topX === undefined && topG === undefined && !fetched.isCut) return fetched;
    if (topX === undefined && topG === undefined && keepX === undefined) return fetched;
    if (!fetched.isCut && this.#measures.every(isAdditive))
      return { ...fetched, rows: this.#summed(fetched.rows, topX, topG) };
    const x = topX === undefined ? this.#x : this.#grouped(this.#x, topX);
    const g = topG === undefined ? this.#g : this.#grouped(this.#g as string, topG);
    return this.read({ isOrdered: false, x, g });
  }

  /** The value itself where it is one of the first, else "Other". */
  #grouped(field: string, kept: readonly JsonValue[]): string {
    const values = kept.filter((value) => value !== null).map(literal);
    const isKept = [
      ...(values.length > 0 ? [`${field} in (${values.join(", ")})`] : []),
      ...(kept.includes(null) ? [`${field} is null`] : []),
    ].join(" or ");
    return `case when ${isKept} then ifnull(concat(${field}, ''), '–') else '${OTHER}' end`;
  }

  #summed(
    rows: readonly Row[],
    topX: readonly JsonValue[] | undefined,
    topG: readonly JsonValue[] | undefined,
  ): Row[] {
    const put = (value: JsonValue, kept: readonly JsonValue[] | undefined) =>
      kept === undefined || kept.includes(value) ? value : OTHER;
    const sums = new Map<string, Row>();
    for (const row of rows) {
      const [x, g] = [put(row.x, topX), put(row.g, topG)];
      const key = JSON.stringify([x, g]);
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { x, g, values: [...row.values] });
      else for (const [i, value] of row.values.entries()) sum.values[i] = add(sum.values[i] ?? null, value);
    }
    return [...sums.values()];
  }
}

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

/** The different values of a key, those with the largest numbers first. */
function ranked(rows: readonly Row[], key: "x" | "g"): JsonValue[] {
  const sums = new Map<JsonValue, number>();
  for (const row of rows) sums.set(row[key], (sums.get(row[key]) ?? 0) + Math.abs(row.values[0] ?? 0));
  return [...sums].toSorted((a, b) => b[1] - a[1]).map(([value]) => value);
}

function literal(value: JsonValue): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return `'${String(typeof value === "object" ? JSON.stringify(value) : value).replaceAll("'", "''")}'`;
}

function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function textOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function groupsOf(rows: readonly Row[]): string[] {
  return otherLast(ranked(rows, "g").map(textOf));
}

function otherLast(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => name !== OTHER)), ...(names.includes(OTHER) ? [OTHER] : [])];
}

/** Largest first, or in their own order: numbers by size, months and days of the week as they follow each other. */
function textKeys(rows: readonly Row[], isOrdered: boolean): Key[] {
  if (isOrdered) return otherLast(rows.map(({ x }) => textOf(x))).map((text) => ({ text }));
  const names = otherLast(ranked(rows, "x").map(textOf));
  const calendar = CALENDARS.find((each) => names.every((name) => each.includes(name.toLowerCase())));
  const inOrder =
    calendar === undefined
      ? names
      : names.toSorted((a, b) => calendar.indexOf(a.toLowerCase()) - calendar.indexOf(b.toLowerCase()));
  return inOrder.map((text) => ({ text }));
}

const CALENDARS = [
  "january february march april may june july august september october november december",
  "jan feb mar apr may jun jul aug sep oct nov dec",
  "januar februar märz april mai juni juli august september oktober november dezember",
  "monday tuesday wednesday thursday friday saturday sunday",
  "mon tue wed thu fri sat sun",
  "montag dienstag mittwoch donnerstag freitag samstag sonntag",
].map((names) => names.split(" "));

function periodKeys(rows: readonly Row[], grain: Grain): Key[] {
  const known = [...new Set(rows.flatMap(({ x }) => momentOf(x) ?? []))].toSorted((a, b) => a - b);
  return allPeriods(known, grain).map((period) => ({ period }));
}

function along(
  keys: readonly Key[],
  rows: readonly Row[],
  measure: number,
  missing: number | null,
): (number | null)[] {
  const values = new Map(rows.map(({ x, values }) => [momentOf(x) ?? textOf(x), values[measure] ?? null]));
  const byText = new Map(rows.map(({ x, values }) => [textOf(x), values[measure] ?? null]));
  return keys.map((key) =>
    "period" in key ? (values.get(key.period) ?? missing) : (byText.get(key.text) ?? null),
  );
}

/** One number for all rows. */
export async function readNumber({ formula }: Measure, source: Source): Promise<number | null> {
  const { rows } = await source.read(`select ${formula} as k9v`, 1);
  return numberOf(rows[0]?.k9v);
}

export interface Table {
  columns: { name: string; isNumber: boolean }[];
  rows: (string | number | null)[][];
  totalRows: number;
}

/** The rows as they are, of the fields that are named or of all. */
export async function readTable({ x, group, measures }: Plan, source: Source, most: number): Promise<Table> {
  const named = [x, group, ...measures.map(({ field }) => field)].filter((column) => column != null);
  const columns = named.length === 0 ? source.columns : named;
  const text = named.length === 0 ? "" : `select ${columns.map(({ name }) => quoted(name)).join(", ")}`;
  const page = await source.read(text, most);
  return {
    columns: columns.map((column) => ({ name: column.name, isNumber: isNumber(column) })),
    rows: page.rows.map((row) => columns.map((column) => cellOf(row[column.name], isNumber(column)))),
    totalRows: page.totalRows,
  };
}

function cellOf(value: JsonValue | undefined, isNumeric: boolean): string | number | null {
  if (value === null || value === undefined) return null;
  // What has more digits than a number can carry stays a text.
  const number = isNumeric ? numberOf(value) : null;
  if (number !== null && Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number;
  return textOf(value);
}

export async function readScatter({ x, group, measures }: Plan, source: Source) {
  const y = measures[0]?.field;
  if (x === undefined || y == null) return { points: [], totalRows: 0 };
  const fields = [
    `${quoted(x.name)} as k9x`,
    `${quoted(y.name)} as k9y`,
    ...(group ? [`${quoted(group.name)} as k9g`] : []),
  ];
  const known = `where ${quoted(x.name)} is not null and ${quoted(y.name)} is not null`;
  const { rows, totalRows } = await source.read(
    `select ${fields.join(", ")} ${known}`,
    LIMITS.bi.scatterPoints,
  );
  const points = rows.map((row) => ({
    x: numberOf(row.k9x),
    y: numberOf(row.k9y),
    ...(group !== undefined && { label: textOf(row.k9g) }),
  }));
  return { points, totalRows };
}
