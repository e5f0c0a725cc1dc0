import type { Terminal } from "./command.ts";

type Cell = string | number | boolean | Date | null;

interface Listing<T> {
  items: readonly T[];
  json: boolean;
  /** Heading and cell of each column, in order. */
  columns: Readonly<Record<string, (item: T) => Cell>>;
  /** What to say, on the side, when there is nothing to list. */
  empty: string;
}

/** Prints a list for people (aligned columns) or for programs (JSON). */
export function printListing<T>(terminal: Terminal, listing: Listing<T>): void {
  const { items, columns, json, empty } = listing;
  if (json) terminal.out(`${JSON.stringify(items, null, 2)}\n`);
  else if (items.length === 0) terminal.err(`${empty}\n`);
  else {
    const headings = Object.keys(columns).map((heading) => heading.toUpperCase());
    const rows = items.map((item) => Object.values(columns).map((cell) => cellText(cell(item))));
    terminal.out(aligned([headings, ...rows]));
  }
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function cellText(cell: Cell): string {
  if (cell === null || cell === "") return "-";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return cell instanceof Date ? dayText(cell) : String(cell);
}

/** In UTC, like the logs; seconds are noise in a list. */
function dayText(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}
