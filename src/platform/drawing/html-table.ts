import type { TableColumn } from "./drawing.ts";
import { columnFormatter } from "./formats.ts";
import { LIMITS } from "./limits.ts";
import { totalOf } from "./plain-svg.ts";
import { escapeXml, printable } from "./text.ts";

export interface HtmlTable {
  columns: readonly TableColumn[];
  rows: readonly (readonly (string | number | null)[])[];
  totals?: readonly (number | null)[] | undefined;
}

/** Texts of a column that are never broken, such as dates. */
const SHORT = 24;

/** A table as HTML. As one text: a template for each of some thousand cells would take longer than the query. */
export function htmlTableOf({ columns, rows, totals = [] }: HtmlTable, locale: string): string {
  const write = columns.map(({ format }, i) =>
    columnFormatter(format, [...rows.map((row) => row[i]), totals[i]], locale),
  );
  const kinds = columns.map(({ format }, i) => {
    if (format !== undefined) return ' class="number"';
    return rows.every((row) => String(row[i] ?? "").length <= SHORT) ? ' class="short"' : "";
  });
  const text = (value: string) => escapeXml(printable(value, LIMITS.drawing.cellCharacters));
  const cell = (value: string | number | null, at: number) =>
    value === null ? "–" : typeof value === "number" ? escapeXml(write[at]?.(value) ?? "") : text(value);
  const head = columns.map(({ label }, i) => `<th scope="col"${kinds[i]}>${text(label)}</th>`).join("");
  const body = rows.map(
    (row) => `<tr>${row.map((value, i) => `<td${kinds[i]}>${cell(value, i)}</td>`).join("")}</tr>`,
  );
  const foot = totals.map(
    (_, i) => `<td${kinds[i]}>${escapeXml(totalOf(totals, i, write[i] ?? String, locale))}</td>`,
  );
  const last = foot.length === 0 ? "" : `<tfoot><tr>${foot.join("")}</tr></tfoot>`;
  return `<table><thead><tr>${head}</tr></thead>\n<tbody>${body.join("\n")}</tbody>${last}</table>`;
}
