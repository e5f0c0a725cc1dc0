import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Subject } from "../../../platform/drawing/index.ts";
import { LIMITS as DRAWING } from "../../../platform/drawing/limits.ts";
import type { ChartSpec } from "../answer.ts";
import { axisLabel } from "./chart.ts";
import type { Format } from "./format.ts";
import { cell, numberOf, type ShownColumn, type View } from "./view.ts";

/** Columns of a table that a picture has room for. */
const COLUMNS = 6;

const CURRENCIES: Record<string, string> = { "€": "EUR", $: "USD", "£": "GBP", CHF: "CHF", "¥": "JPY" };

/** What a client that shows pictures is shown: the chart, or else the number or the first rows. */
export function pictureOf(
  view: View,
  [chart]: readonly ChartSpec[],
  { title, cut }: { title: string; cut: ReadonlySet<string> },
): Subject | undefined {
  const { columns, keys, numbers, rows, totalRows } = view;
  const [main, second] = numbers;
  if (chart !== undefined && main !== undefined) {
    const isCloud = chart.type === "scatter";
    const formats = isCloud
      ? { x: formatName(main.format), y: formatName((second ?? main).format) }
      : { y: formatName(main.format) };
    return { kind: "spec", chart: { ...chart, formats, ...partialIn(view, chart, cut) } };
  }
  const [first] = rows;
  if (first === undefined) return undefined;
  const value = main === undefined ? undefined : numberOf(first, main);
  if (rows.length === 1 && keys.length === 0 && numbers.length === 1 && main && value !== undefined)
    return { kind: "number", title, label: axisLabel([main]), value, format: formatName(main.format) };
  const shown = columns.slice(0, COLUMNS);
  return {
    kind: "table",
    title,
    columns: shown.map((column) => ({
      label: column.label,
      ...(numbers.includes(column) && { format: formatName(column.format) }),
    })),
    rows: rows
      .slice(0, DRAWING.drawing.tableRows)
      .map((row) => shown.map((column) => cellOf(row, column, numbers.includes(column)))),
    rowCount: totalRows,
  };
}

/** The places of periods that are not whole. */
function partialIn({ keys, rows }: View, { categories = [] }: ChartSpec, cut: ReadonlySet<string>) {
  const time = keys.find(({ format }) => format.kind === "period");
  if (time === undefined || cut.size === 0) return {};
  const parts = rows.filter((row) => cut.has(String(row[time.index])));
  // Lines are told apart by written periods, and bars by the values themselves.
  const names = new Set(parts.flatMap((row) => [cell(row, time), String(row[time.index])]));
  const partial = categories.flatMap((name, i) => (names.has(name) ? [i] : []));
  return partial.length === 0 ? {} : { partial };
}

function cellOf(row: readonly JsonValue[], column: ShownColumn, isNumber: boolean): string | number | null {
  const value = row[column.index];
  if (value === null || value === undefined) return null;
  if (isNumber) return numberOf(row, column) ?? null;
  if (column.format.kind === "period") return cell(row, column);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The name that a format has in drawings. */
export function formatName(format: Format): string {
  switch (format.kind) {
    case "money": {
      const code = CURRENCIES[format.symbol.trim()];
      return code === undefined ? "number" : `money:${code}`;
    }
    case "percent":
      return format.by === 1 ? "percent:whole" : "percent";
    case "integer":
      return "integer";
    default:
      return "number";
  }
}
