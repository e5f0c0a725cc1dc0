import { stringify } from "yaml";
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

const MOST_CELL_CHARACTERS = 60;
const MOST_LINE_CHARACTERS = 160;

/** What a tool answered, for people: short lists as tables, below the rest as YAML. */
export function readableText(output: Record<string, unknown>): string {
  const facts: Record<string, unknown> = {};
  const tables: [string, string][] = [];
  // Rows name their columns in their first line.
  for (const [name, value] of Object.entries(output)) {
    if (name === "columns" && Array.isArray(output.rows)) continue;
    const table = tableOf(value);
    if (table === undefined) facts[name] = value;
    else tables.push([name, table]);
  }
  const above = Object.keys(facts).length === 0 ? [] : [stringify(facts, { lineWidth: 0 })];
  return [
    ...above,
    ...tables.map(([name, text]) => (above.length + tables.length === 1 ? text : `${name}:\n${text}`)),
  ].join("\n");
}

/** Undefined where it is no list of records, or one that would not be read in lines. */
function tableOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined;
  const headings = [
    ...new Set(value.flatMap((row) => Object.keys(row).filter((key) => text(row[key]) !== ""))),
  ];
  const cells = value.map((row) => headings.map((heading) => text(row[heading]) || "-"));
  if (cells.some((row) => row.some((cell) => cell.length > MOST_CELL_CHARACTERS || cell.includes("\n"))))
    return undefined;
  const table = aligned([headings.map((heading) => heading.toUpperCase()), ...cells]);
  return table.indexOf("\n") > MOST_LINE_CHARACTERS ? undefined : table;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
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

/** What is done sooner needs no progress. */
const QUIET_MS = 1_000;
const EVERY_MS = 200;
const CLEAR_LINE = "\r\u001b[K";

/** How far a long piece of work has come, in one line that goes when it is done. Only for people who watch. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #isWatched: boolean;
  #nextMs = performance.now() + QUIET_MS;
  #isShown = false;

  constructor(terminal: Terminal, isWatched: boolean = process.stderr.isTTY === true) {
    this.#terminal = terminal;
    this.#isWatched = isWatched;
  }

  show(text: string, fraction: number | undefined): void {
    if (!this.#isWatched || performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + EVERY_MS;
    this.#isShown = true;
    const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)} %`;
    this.#terminal.err(`${CLEAR_LINE}${text}${percent}`);
  }

  end(): void {
    if (this.#isShown) this.#terminal.err(CLEAR_LINE);
  }
}
