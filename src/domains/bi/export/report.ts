import { columnFormatter, measure, type Subject, shorten, totalOf } from "../../../platform/drawing/index.ts";
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

export type Cell = { place: Place; title: string; notes: string[] } & (
  | { svg: string }
  | { table: TableSubject }
);

/** Widgets side by side, which are never torn apart; or a table, which goes on as long as it needs. */
export type Block =
  | { kind: "band"; rows: number; cells: BandCell[] }
  | {
      kind: "table";
      title: string;
      notes: string[];
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
  blocks: Block[];
}

/** Rows that fit on a page; a higher band is taken apart into its widgets. */
const PAGE_ROWS = 17;

export function bandsOf(cells: readonly Cell[], locale = "en-US"): Block[] {
  const bands: Cell[][] = [];
  for (const cell of cells.toSorted((a, b) => a.place.row - b.place.row || a.place.col - b.place.col)) {
    const across = { ...cell.place, col: 1, sizeX: 24 };
    const last = bands.at(-1);
    if (last?.some(({ place }) => overlaps({ ...place, col: 1, sizeX: 24 }, across))) last.push(cell);
    else bands.push([cell]);
  }
  return bands.flatMap((band) => blocksOf(band, locale));
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
  if (rows <= PAGE_ROWS)
    return [{ kind: "band", rows, cells: drawn.map((cell) => cellOf(cell, top)) }, ...tables];
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
    return { kind: "band", rows: Math.max(...cells.map(({ sizeY }) => sizeY)), cells };
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
    value === null ? "–" : typeof value === "number" ? (write[at]?.(value) ?? String(value)) : value;
  return {
    kind: "table",
    title,
    notes,
    columns: table.columns.map(({ label, format }) => ({ label, isNumber: format !== undefined })),
    rows: table.rows.map((row) => row.map(cell)),
    totals: (table.totals ?? []).map((_, i, all) => totalOf(all, i, write[i] ?? String)),
  };
}
