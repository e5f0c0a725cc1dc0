import { readFileSync } from "node:fs";
import { AppError, messageOf } from "../../kernel/errors.ts";
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

/** A secret from a file or standard input: never from the words of the command, which other users of the machine can see. */
export async function readSecret(
  noun: "key" | "secret",
  { file, isStdin }: { file: string | undefined; isStdin: boolean },
  terminal: Terminal,
): Promise<string | undefined> {
  if (file !== undefined && isStdin)
    throw new AppError("bad_request", `Give --${noun}-file or --${noun}-stdin, and not both.`);
  if (isStdin) return terminal.readAll();
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("bad_request", `The file of the ${noun} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
