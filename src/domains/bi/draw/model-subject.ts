import { formatter } from "../../../platform/drawing/index.ts";
import type { ModelTable } from "../../agent/index.ts";
import { type Points, pointsOf, type Row } from "../query/axis.ts";
import { numberOf } from "../query/points.ts";
import type { WidgetSpec } from "../shapes.ts";
import { wordsIn } from "../words.ts";
import { drawNumber, drawPoints, leftOut, mostOf, type Shown, type Writing } from "./subject.ts";

/** Renders a widget on a semantic model. Its metrics cannot be added up here, so a surplus is left out, with a note. */
export function showModel(title: string, spec: WidgetSpec, table: ModelTable, writing: Writing): Shown {
  const t = wordsIn(writing.locale);
  const { columns, rows } = table;
  const keys = [spec.x, spec.group].filter((field) => field !== undefined).length;
  if (rows.length === 0 || columns.length === keys)
    return { subject: { kind: "empty", title, why: t`No rows are left by the filters.` }, notes: [] };
  if (spec.chart === "datagrid2") return tableOf(title, spec, table, keys, writing);
  const values = (row: ModelTable["rows"][number]) => row.slice(keys).map(numberOf);
  if (spec.chart === "scatter") return scatterOf(title, table, keys);
  const first = columns[keys];
  const value = values(rows[0] ?? [])[0] ?? null;
  const drawn =
    spec.x === undefined
      ? undefined
      : drawPoints(title, spec, shortened(spec, table, keys, writing), columns[0]?.label ?? "", writing);
  if (drawn !== undefined) return drawn;
  if (first === undefined || value === null)
    return { subject: { kind: "empty", title, why: t`There is no value.` }, notes: [] };
  return { subject: drawNumber(title, spec, { ...first, value }, writing), notes: [] };
}

function shortened(spec: WidgetSpec, { columns, rows }: ModelTable, keys: number, writing: Writing): Points {
  const grain = columns[0]?.grain;
  const all = rows.map(
    (row): Row => ({
      x: row[0] ?? null,
      g: spec.group === undefined ? null : (row[1] ?? null),
      values: row.slice(keys).map(numberOf),
    }),
  );
  const isOrdered = grain !== undefined || spec.sort === "x";
  const isGrouped = spec.group !== undefined;
  const numbers = columns.slice(keys, isGrouped ? keys + 1 : undefined);
  const points = pointsOf(all, { grain, numbers, isGrouped, isOrdered });
  const most = spec.top ?? mostOf(spec, writing);
  if (most === undefined || grain !== undefined || points.keys.length <= most) return points;
  const t = wordsIn(writing.locale);
  return {
    ...points,
    keys: points.keys.slice(0, most),
    series: points.series.map(({ label, data }) => ({ label, data: data.slice(0, most) })),
    notes: [t`The ${most} largest of ${points.keys.length}`],
  };
}

function tableOf(
  title: string,
  spec: WidgetSpec,
  { columns, rows: all, isTruncated }: ModelTable,
  keys: number,
  { room, locale }: Writing,
): Shown {
  const most = Math.min(room.rows, Math.max(1, Math.floor(room.cells / columns.length)));
  const rows = spec.top === undefined ? all : topRows(spec.top, spec.sort, all, keys);
  const shown = rows
    .slice(0, most)
    .map((row) =>
      row.map((value, i) => (i < keys ? (value === null ? null : String(value)) : numberOf(value))),
    );
  const subject = {
    kind: "table" as const,
    title,
    columns: columns.map(({ label, format }, i) => ({
      label,
      ...(i >= keys && { format: spec.format ?? format }),
    })),
    rows: shown,
    rowCount: rows.length,
  };
  const count = formatter("integer", "full", locale);
  const rowCount = isTruncated && spec.top === undefined ? `${count(rows.length)}+` : rows.length;
  return { subject, notes: leftOut(subject, rowCount, locale) };
}

/** Top rows by the first metric, unless another order is wanted. */
function topRows(
  top: number,
  sort: WidgetSpec["sort"],
  rows: ModelTable["rows"],
  keys: number,
): ModelTable["rows"] {
  const size = (row: ModelTable["rows"][number]) => numberOf(row[keys]) ?? Number.NEGATIVE_INFINITY;
  const isBySize = sort === undefined || sort === "value";
  const ordered = isBySize ? rows.toSorted((a, b) => size(b) - size(a) || 0) : rows;
  return ordered.slice(0, top);
}

/** Two metrics of each thing. */
function scatterOf(title: string, { columns, rows }: ModelTable, keys: number): Shown {
  const [x, y] = columns.slice(keys);
  const points = rows.map((row) => ({
    x: numberOf(row[keys]),
    y: numberOf(row[keys + 1]),
    label: String(row[0] ?? "–"),
  }));
  const labels = { xAxisLabel: x?.label, yAxisLabel: y?.label };
  const formats = { x: x?.format, y: y?.format };
  return {
    subject: { kind: "spec", chart: { type: "scatter", title, points, ...labels, formats } },
    notes: [],
  };
}
