import {
  columnFormatter,
  measure,
  printable,
  type Subject,
  shorten,
  totalOf,
} from "../../../platform/drawing/index.ts";
import { LIMITS as DRAWING } from "../../../platform/drawing/limits.ts";
import { inShelves, overlaps } from "../layout.ts";
import type { Place } from "../shapes.ts";

/** A dashboard in pixels: its 24 columns are 1,200 wide. */
export const COLUMN_PX = 50;
export const ROW_PX = 40;
export const GAP_PX = 12;
export const HEADING_PX = 26;

/** Titles in the page's 8.5 points, between margins of 3 mm. */
const TITLE = { size: 13.2, weight: 600, measure } as const;
const TITLE_MARGIN_PX = 28;

type TableSubject = Extract<Subject, { kind: "table" }>;

export type Cell = { place: Place; title: string; notes: string[]; stretch: number } & (
  | { svg: string }
  | { table: TableSubject }
);

/** Widgets side by side, which are never torn apart; or a table, which goes on as long as it needs. */
type Block =
  | { kind: "band"; rows: number; stretch: number; cells: BandCell[] }
  | {
      kind: "table";
      title: string;
      notes: string[];
      /** How often it stands side by side on a page. */
      across: number;
      isWide: boolean;
      columns: { label: string; isNumber: boolean }[];
      rows: string[][];
      totals: string[];
    };

interface BandCell {
  title: string;
  notes: string[];
  col: number;
  row: number;
  sizeX: number;
  sizeY: number;
  svg: string;
}

/** What is handed to the page maker, as plain data. */
export interface Report {
  title: string;
  description: string;
  filters: string[];
  asOf: string;
  printed: string;
  locale: string;
  cells: readonly Cell[];
}

/** Rows that fit on a page; a higher band is taken apart into its widgets. */
const PAGE_ROWS = 17;

export function bandsOf(cells: readonly Cell[], locale = "en-US"): Block[] {
  return inBands(cells).flatMap((band) => blocksOf(band, locale));
}

/** What stands side by side, from top to bottom. */
function inBands<T extends { place: Place }>(all: readonly T[]): T[][] {
  const bands: T[][] = [];
  for (const one of all.toSorted((a, b) => a.place.row - b.place.row || a.place.col - b.place.col)) {
    const across = { ...one.place, col: 1, sizeX: 24 };
    const last = bands.at(-1);
    if (last?.some(({ place }) => overlaps({ ...place, col: 1, sizeX: 24 }, across))) last.push(one);
    else bands.push([one]);
  }
  return bands;
}

/** In millimetres, as in report.typ. */
const ROW_MM = 9.1;
const PAGE_MM = { width: 273, height: 182 };
const MOST_STRETCHED = 1.25;

/**
 * How much higher than on the dashboard the bands of each page are drawn, so that they fill it: by place. Behind a table,
 * which is as long as it is, nobody knows where a page begins.
 */
export function stretches(
  all: readonly { place: Place; isTable: boolean }[],
  headMm: number,
): Map<Place, number> {
  const found = new Map<Place, number>();
  let [page, used, room, last]: [Place[], number, number, number] = [[], 0, PAGE_MM.height - headMm, 1];
  const close = (stretch: number): void => {
    for (const place of page) found.set(place, stretch);
    [page, used, room, last] = [[], 0, PAGE_MM.height, stretch];
  };
  for (const band of inBands(all)) {
    const places = band.map(({ place }) => place);
    const top = Math.min(...places.map(({ row }) => row));
    const rows = Math.max(...places.map(({ row, sizeY }) => row + sizeY)) - top;
    if (rows > PAGE_ROWS || band.some(({ isTable }) => isTable)) break;
    const height = rows * ROW_MM;
    if (used + height > room) close(Math.min(MOST_STRETCHED, room / used));
    page.push(...places);
    used += height;
  }
  // The last page looks like the one before it, where there is room for that.
  if (used > 0) close(Math.min(last, room / used));
  return found;
}

/** What the heading of a report takes of its first page. */
export function headMmOf({
  title,
  description,
  facts,
}: {
  title: string;
  description: string;
  facts: number;
}) {
  const POINT_MM = 0.353;
  const lines = (text: string, size: number, weight: 400 | 600) =>
    Math.ceil((measure(text, size, weight) * POINT_MM) / PAGE_MM.width);
  return 5 + lines(title, 17, 600) * 7.5 + lines(description, 9, 400) * 5.5 + (facts > 0 ? 6 : 0);
}

function blocksOf(band: readonly Cell[], locale: string): Block[] {
  const drawn = band.flatMap((cell) => ("svg" in cell ? [cell] : []));
  const tables = band.flatMap((cell) => ("table" in cell ? [tableOf(cell, locale)] : []));
  const top = Math.min(...band.map(({ place }) => place.row));
  const rows = Math.max(0, ...drawn.map(({ place }) => place.row + place.sizeY)) - top;
  const cellOf = ({ title, notes, place, svg }: (typeof drawn)[number], from: number): BandCell => ({
    title: shorten(title, place.sizeX * COLUMN_PX - GAP_PX - TITLE_MARGIN_PX, TITLE),
    notes,
    svg,
    ...place,
    row: place.row - from,
  });
  if (drawn.length === 0) return tables;
  const stretch = band[0]?.stretch ?? 1;
  if (rows <= PAGE_ROWS)
    return [{ kind: "band", rows, stretch, cells: drawn.map((cell) => cellOf(cell, top)) }, ...tables];
  // Too high for a page: in reading order, as many side by side as there is room for.
  const places = inShelves(
    drawn.map(({ place }) => place),
    [],
  );
  const tops = [...new Set(places.map(({ row }) => row))];
  const shelves = tops.map((from): Block => {
    const cells = drawn.flatMap((cell, i) => {
      const place = places[i] as Place;
      return place.row === from
        ? [cellOf({ ...cell, place: { ...place, sizeY: cell.place.sizeY } }, from)]
        : [];
    });
    return { kind: "band", rows: Math.max(...cells.map(({ sizeY }) => sizeY)), stretch: 1, cells };
  });
  return [...shelves, ...tables];
}

function tableOf(
  { title, notes, table }: { title: string; notes: string[]; table: TableSubject },
  locale: string,
): Block {
  const write = table.columns.map(({ format }, i) =>
    columnFormatter(format, [...table.rows.map((row) => row[i]), table.totals?.[i]], locale),
  );
  const cell = (value: string | number | null, at: number) =>
    value === null ? "–" : typeof value === "number" ? (write[at]?.(value) ?? String(value)) : words(value);
  const columns = table.columns.map(({ label, format }) => ({
    label: words(label),
    isNumber: format !== undefined,
  }));
  const rows = table.rows.map((row) => row.map(cell));
  const totals = (table.totals ?? []).map((_, i, all) => totalOf(all, i, write[i] ?? String, locale));
  const widthMm = widthOf([columns.map(({ label }) => label), ...rows, totals]);
  const fitting = Math.floor((PAGE_MM.width + COLUMNS_GAP_MM) / (widthMm + COLUMNS_GAP_MM));
  const across = rows.length > FEW_ROWS ? Math.max(1, Math.min(MOST_ACROSS, fitting)) : 1;
  return {
    kind: "table",
    title,
    notes,
    across,
    isWide: widthMm > PAGE_MM.width * 0.6,
    columns,
    rows,
    totals,
  };
}

/** As much of a text as has a place in a table, which may be broken where it has no spaces of its own. */
function words(text: string): string {
  return printable(text, DRAWING.drawing.cellCharacters).replaceAll(/\S{30}(?=\S)/gu, "$&\u200b");
}

/** A table of fewer rows stands on a page as it is; longer ones as often side by side as there is room for. */
const FEW_ROWS = 30;
const MOST_ACROSS = 3;
const COLUMNS_GAP_MM = 10;

/** Of a table as it is printed, in millimetres. */
function widthOf(lines: readonly (readonly string[])[]): number {
  const [head = []] = lines;
  return head.reduce((sum, _, i) => {
    const widest = Math.max(...lines.map((line) => measure(line[i] ?? "", 8, 600)));
    return sum + widest * 0.353 + 4.2;
  }, 0);
}
