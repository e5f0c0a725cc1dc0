import { withoutFloatNoise } from "../../../kernel/values.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { RowPage } from "../../../registry/asset-kind.ts";
import {
  both,
  type Column,
  call,
  column,
  constant,
  countRows,
  descending,
  either,
  following,
  ifElse,
  isNotNull,
  isNull,
  isOneOf,
  type RowQuery,
  type RowValue,
  rowQuery,
  sumOverGroups,
  truncated,
} from "../../data/index.ts";
import { LIMITS } from "../limits.ts";
import type { Grain, WidgetSpec } from "../shapes.ts";
import { wordsIn } from "../words.ts";
import { grainFor, momentOf, NONE, OTHER, type Points, pointsOf, type Row, ranked, textOf } from "./axis.ts";
import { captionOf, isAdditive, isTime, type Measure, type Plan } from "./plan.ts";
import { isNumber, type Source } from "./source.ts";

const { chartRows, groups: MOST_GROUPS, heatmapRows: MOST_ROWS, bars: MOST_BARS } = LIMITS.bi;

/** Numbers along an axis, put together by the engine; what is too much for a chart is asked for as "Other". */
export async function readPoints(
  spec: WidgetSpec,
  plan: Plan & { x: NonNullable<Plan["x"]> },
  source: Source,
  { most, locale }: { most: number; locale: string },
): Promise<Points> {
  const t = wordsIn(locale);
  const { x, group, measures } = plan;
  const grain = isTime(x) ? (spec.grain ?? (await grainOf(x, source))) : undefined;
  const along = grain === undefined ? column(x.name) : truncated(column(x.name), grain);
  const used = group === undefined ? measures : measures.slice(0, 1);
  const query = new PointsQuery(source, along, group && column(group.name), used);
  const isOrdered =
    grain !== undefined || spec.sort === "x" || (spec.sort === undefined && (isNumber(x) || isLine(plan)));
  const keepX = grain === undefined && !(isNumber(x) && isLine(plan)) ? roomFor(spec, plan, most) : undefined;
  // Of too many the largest are wanted, whatever their order along the axis is.
  const first = await query.read({ isOrdered: isOrdered && keepX === undefined });
  const cut = await query.fold(first, { keepX, keepG: spec.chart === "heatmap" ? MOST_ROWS : MOST_GROUPS });
  const isSingle = cut.most === 1;
  const numbers = used.map((each) => ({
    label: captionOf(each, isSingle, t),
    format: each.format,
    isAdditive: isAdditive(each),
  }));
  const isGiven = spec.sort === "given" && grain === undefined;
  const points = pointsOf(isOrdered && keepX !== undefined ? cut.rows.toSorted(byX) : cut.rows, {
    grain,
    numbers,
    isGrouped: group !== undefined,
    isOrdered,
    ...(isGiven && { order: await givenOrder(x, source) }),
  });
  const notes = cut.isCut ? [t`The first ${chartRows.toLocaleString(locale)} values are shown.`] : [];
  return { ...points, notes };
}

/** Numbers along the axis of a column chart, such as years, have room for more than names have. */
function roomFor({ top }: WidgetSpec, { chart, x }: Plan, most: number): number {
  return chart === "column" && top === undefined && x !== undefined && isNumber(x) ? MOST_BARS : most;
}

/** As the engine has them in order: by size or by letters, and what has no value last. */
function byX({ x: a }: Row, { x: b }: Row): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const [one, other] = [numberOf(a), numberOf(b)];
  if (one !== null && other !== null) return one - other;
  return textOf(a) < textOf(b) ? -1 : 1;
}

/** Where the rows have each value first. */
async function givenOrder({ name }: Column, source: Source): Promise<ReadonlyMap<string, number>> {
  const { rows } = await source.read(rowQuery({ select: [["k9x", column(name)]] }), chartRows);
  return new Map(rows.map(({ k9x }, i) => [textOf(k9x), i] as const).toReversed());
}

function isLine({ chart }: Plan): boolean {
  return chart === "line" || chart === "area";
}

/** Fine enough to see something, coarse enough to be read. */
export async function grainOf({ name, type }: Column, source: Source): Promise<Grain> {
  const [from, to] = await rangeOf(column(name), source);
  return from === undefined || to === undefined ? "day" : grainFor(from, to, !/^DATE$/i.test(type));
}

/** The first and the last moment. */
export async function rangeOf(time: RowValue, source: Source): Promise<(number | undefined)[]> {
  const select = [["k9a", call("min", time)] as const, ["k9b", call("max", time)] as const];
  const { rows } = await source.read(rowQuery({ select }), 1);
  return [momentOf(rows[0]?.k9a), momentOf(rows[0]?.k9b)];
}

/** As a part of a total. */
const NOTHING = 1e-12;

interface Fetched {
  rows: Row[];
  /** Most rows of the data in one of these. */
  most: number;
  isCut: boolean;
  /** Of all rows, those that are not here included; of what adds up. */
  totals: (number | null)[];
}

class PointsQuery {
  readonly #source: Source;
  readonly #x: RowValue;
  readonly #g: RowValue | undefined;
  readonly #measures: readonly Measure[];

  constructor(source: Source, x: RowValue, g: RowValue | undefined, measures: readonly Measure[]) {
    this.#source = source;
    this.#x = x;
    this.#g = g;
    this.#measures = measures;
  }

  async read({
    isOrdered,
    x = this.#x,
    g = this.#g,
  }: {
    isOrdered: boolean;
    x?: RowValue;
    g?: RowValue | undefined;
  }): Promise<Fetched> {
    const keys = [["k9x", x] as const, ...(g === undefined ? [] : [["k9g", g] as const])];
    const values = this.#measures.map(({ value }, i) => [`k9v${i}`, value] as const);
    const totals = this.#addUp
      ? this.#measures.map(({ value }, i) => [`k9t${i}`, sumOverGroups(value)] as const)
      : [];
    const query = rowQuery({
      select: [...keys, ...values, ...totals, ["k9n", countRows()]],
      groupBy: keys.length,
      orderBy: isOrdered ? [1] : [descending(keys.length + 1), 1],
      // One more than is wanted tells that there are others; to count them would be to work all of it out again.
      limit: chartRows + 1,
    });
    return this.#fetched(await this.#source.read(query, chartRows + 1));
  }

  #fetched({ rows }: RowPage): Fetched {
    return {
      rows: rows.slice(0, chartRows).map((row) => ({
        x: row.k9x ?? null,
        g: row.k9g ?? null,
        values: this.#measures.map((_, i) => numberOf(row[`k9v${i}`])),
      })),
      most: Math.max(0, ...rows.map((row) => numberOf(row.k9n) ?? 0)),
      isCut: rows.length > chartRows,
      totals: this.#measures.map((_, i) => numberOf(rows[0]?.[`k9t${i}`])),
    };
  }

  /** What all others are together follows from the total, in the same statement. */
  get #addUp(): boolean {
    return this.#g === undefined && this.#measures.every(isAdditive);
  }

  /** Puts small ones together: by their sum where all are here and add up, else by asking the engine. */
  async fold(
    fetched: Fetched,
    { keepX, keepG }: { keepX: number | undefined; keepG: number },
  ): Promise<Fetched> {
    const xs = ranked(fetched.rows, "x");
    const gs = this.#g === undefined ? [] : ranked(fetched.rows, "g");
    const topX = keepX !== undefined && xs.length > keepX ? xs.slice(0, keepX - 1) : undefined;
    const topG = gs.length > keepG ? gs.slice(0, keepG - 1) : undefined;
    if (topX === undefined && topG === undefined && !fetched.isCut) return fetched;
    if (topX === undefined && topG === undefined && keepX === undefined) return fetched;
    if (topX !== undefined && this.#addUp) return this.#withOthers(fetched, topX);
    if (!fetched.isCut && this.#measures.every(isAdditive))
      return { ...fetched, rows: this.#summed(fetched.rows, topX, topG) };
    const x = topX === undefined ? this.#x : this.#grouped(this.#x, topX);
    const g = topG === undefined ? this.#g : this.#grouped(this.#g as RowValue, topG);
    return this.read({ isOrdered: false, x, g });
  }

  #withOthers(fetched: Fetched, topX: readonly JsonValue[]): Fetched {
    const kept = fetched.rows.filter(({ x }) => topX.includes(x));
    const values = fetched.totals.map((total, i) => {
      if (total === null) return null;
      const rest = kept.reduce((left, row) => left - (row.values[i] ?? 0), total);
      // What is left of a sum of fractions is never quite nothing.
      return Math.abs(rest) < Math.abs(total) * NOTHING ? 0 : withoutFloatNoise(rest);
    });
    return { ...fetched, isCut: false, rows: [...kept, { x: OTHER, g: null, values }] };
  }

  /** The value itself where it is one of the first, else "Other". */
  #grouped(field: RowValue, kept: readonly JsonValue[]): RowValue {
    const values = kept.filter((value) => value !== null);
    const isKept = either(
      ...(values.length > 0 ? [isOneOf(field, values)] : []),
      ...(kept.includes(null) ? [isNull(field)] : []),
    );
    const text = call("ifnull", call("concat", field, constant("")), constant(NONE));
    return ifElse(isKept, text, constant(OTHER));
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
  return a === null ? b : b === null ? a : withoutFloatNoise(a + b);
}

export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** One number for all rows. */
export async function readNumber({ value }: Measure, source: Source): Promise<number | null> {
  const { rows } = await source.read(rowQuery({ select: [["k9v", value]] }), 1);
  return numberOf(rows[0]?.k9v);
}

/** What a table has room for. */
export interface TableRoom {
  rows: number;
  columns: number;
  cells: number;
  /** Columns before this one are not shown. */
  firstColumn: number;
}

export interface Table {
  columns: readonly Column[];
  /** Of all, with those that there was no room for. */
  columnCount: number;
  firstColumn: number;
  rows: (string | number | null)[][];
  totalRows: number;
  /** Sums of all rows, those that are not read included, under the columns that have one. */
  totals: (number | null)[] | undefined;
}

/**
 * The rows as they are, of the fields that are named or of all; undefined for all of all. The top are those with the
 * largest number, if there is one to go by.
 */
export function rawRows({ top, sort }: WidgetSpec, { x, group, measures }: Plan): RowQuery | undefined {
  const named = namedFields({ x, group, measures });
  const number = measures.find(({ field }) => field !== null && isNumber(field))?.field;
  const bySize = sort === "value" || (sort === undefined && top !== undefined);
  const orderBy =
    bySize && number != null
      ? [descending(column(number.name))]
      : sort === "x" && x !== undefined
        ? [column(x.name)]
        : [];
  if (named.length === 0 && orderBy.length === 0 && top === undefined) return undefined;
  return rowQuery({ select: named.map(({ name }) => name), orderBy, limit: top });
}

function namedFields({ x, group, measures }: Pick<Plan, "x" | "group" | "measures">): Column[] {
  return [x, group, ...measures.map(({ field }) => field)].filter((column) => column != null);
}

/** As many of them as there is room for: others are not read. */
export async function readTable(
  spec: WidgetSpec,
  plan: Plan,
  source: Source,
  room: TableRoom,
): Promise<Table> {
  const named = namedFields(plan);
  const all = named.length === 0 ? source.columns : named;
  const firstColumn = room.firstColumn < all.length ? room.firstColumn : 0;
  const columns = all.slice(firstColumn, firstColumn + room.columns);
  const raw = rawRows(spec, plan);
  const some =
    columns.length === all.length ? undefined : rowQuery({ select: columns.map(({ name }) => name) });
  const most = Math.min(room.rows, Math.max(1, Math.floor(room.cells / Math.max(1, columns.length))));
  const page = await source.read(following(raw, some), most);
  const kinds = columns.map((column) => [column.name, isNumber(column)] as const);
  return {
    columns,
    columnCount: all.length,
    firstColumn,
    rows: page.rows.map((row) => kinds.map(([name, isNumeric]) => cellOf(row[name], isNumeric))),
    totalRows: page.totalRows,
    totals: page.totalRows > 1 ? await readTotals(columns, plan.measures, raw, source) : undefined,
  };
}

/** Of the numbers that the widget names, and that add up. */
async function readTotals(
  columns: readonly Column[],
  measures: readonly Measure[],
  shown: RowQuery | undefined,
  source: Source,
): Promise<(number | null)[] | undefined> {
  const summed = measures.filter((measure) => measure.field !== null && measure.aggregate === "sum");
  if (summed.length === 0) return undefined;
  const sums = rowQuery({ select: summed.map(({ value }, i) => [`k9v${i}`, value] as const) });
  const { rows } = await source.read(following(shown, sums), 1);
  return columns.map((column) => {
    const at = summed.findIndex(({ field }) => field?.name === column.name);
    return at < 0 ? null : numberOf(rows[0]?.[`k9v${at}`]);
  });
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
  const [along, up] = [column(x.name), column(y.name)];
  const query = rowQuery({
    select: [["k9x", along], ["k9y", up], ...(group ? [["k9g", column(group.name)] as const] : [])],
    where: both(isNotNull(along), isNotNull(up)),
  });
  const { rows, totalRows } = await source.read(query, LIMITS.bi.scatterPoints, true);
  const points = rows.map((row) => ({
    x: numberOf(row.k9x),
    y: numberOf(row.k9y),
    ...(group !== undefined && { label: textOf(row.k9g) }),
  }));
  return { points, totalRows };
}
