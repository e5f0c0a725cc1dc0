import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { SlotModels } from "../../src/domains/agent/reader/models.ts";
import { runnable } from "../../src/domains/agent/reader/propose.ts";
import type { Known } from "../../src/domains/agent/reader/rank.ts";
import { quoteText } from "../../src/kernel/sql-text.ts";
import type { JsonValue } from "../../src/platform/analytics/index.ts";
import type { Example } from "./examples.ts";

export type Rows = JsonValue[][];

/** A question with its candidates, and what came of each. */
export interface Tried {
  known: Known[];
  results: (Rows | null)[];
  sql: string[];
  /** Words that name nothing. */
  unknown: number;
}

const MOST_ROWS = 600;
const MS = 1_500;

/** Runs statements over the rows of one set at a time. */
export class Runner {
  #path = "";
  #instance: DuckDBInstance | undefined;
  #connection: DuckDBConnection | undefined;

  async tried(example: Example, models: SlotModels): Promise<Tried> {
    const { schema, linked, collected } = example;
    const { knowledge, rows: path } = collected;
    const { proposals: all, unknown } = runnable(schema, linked, knowledge, models);
    const results: (Rows | null)[] = [];
    for (const { sql } of all) results.push(await this.rows(path, sql));
    return {
      known: all.map(({ known }) => known),
      results,
      unknown: unknown.length,
      sql: all.map(({ sql }) => sql),
    };
  }

  async rows(path: string, sql: string): Promise<Rows | null> {
    const connection = await this.#open(path);
    const timer = setTimeout(() => connection.interrupt(), MS);
    try {
      const reader = await connection.runAndReadUntil(sql, MOST_ROWS);
      const isNumber = reader
        .columnTypes()
        .map((type) => /INT|DOUBLE|FLOAT|DECIMAL|BIGNUM/.test(String(type)));
      const rows = reader.getRowsJson() as Rows;
      return rows
        .slice(0, MOST_ROWS)
        .map((row) =>
          row.map((value, i) => (isNumber[i] === true && value !== null ? Number(value) : value)),
        );
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(path: string): Promise<DuckDBConnection> {
    if (this.#connection !== undefined && this.#path === path) return this.#connection;
    this.close();
    this.#instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    this.#connection = await this.#instance.connect();
    await this.#connection.run(`ATTACH ${quoteText(path)} AS kept (READ_ONLY)`);
    await this.#connection.run("USE kept");
    this.#path = path;
    return this.#connection;
  }

  close(): void {
    this.#connection?.closeSync();
    this.#instance?.closeSync();
    this.#connection = undefined;
    this.#instance = undefined;
  }
}

function textOf(value: JsonValue): string {
  if (value === null) return "~";
  const text = String(value).trim().toLowerCase();
  const isNumber = text !== "" && /^-?[\d.]+(e[-+]?\d+)?$/.test(text) && Number.isFinite(Number(text));
  if (!isNumber) return text.replace(/[ t]00:00:00$/, "");
  return Number(text) === 0 ? "0" : Number(text).toPrecision(4);
}

/** How rows are held against the wanted ones. */
interface How {
  /** There are no other columns. */
  isExact?: boolean;
  /** Others that share the place are there as well: the gold cuts them off. */
  isTied?: boolean;
}

/** Whether a statement gives all that share the first place where the gold gives whichever comes first. */
export function isTied(goldSql: string, sql: string): boolean {
  return /limit 1\s*;?\s*$/i.test(goldSql) && /QUALIFY rank\(\)/.test(sql);
}

/** Whether rows are the wanted ones as sets, by some of their columns in some order. */
export function isRight(
  gold: Rows,
  got: Rows | null,
  { isExact = false, isTied = false }: How = {},
): boolean {
  if (got === null) return false;
  if (got.length === 0 || gold.length === 0) return got.length === gold.length;
  const width = gold[0]?.length ?? 0;
  const wide = got[0]?.length ?? 0;
  if (wide < width || (isExact && wide !== width)) return false;
  if (isTied && got.length > MOST_TIED) return false;
  const wanted = gold.map((row) => row.map(textOf));
  const found = got.map((row) => row.map(textOf));
  const column = (rows: string[][], i: number) => new Set(rows.map((row) => row[i] as string));
  const columns = Array.from({ length: wide }, (_, i) => column(found, i));
  const fitting = Array.from({ length: width }, (_, i) => {
    const own = column(wanted, i);
    return columns.flatMap((other, j) => (isFit(own, other, isTied) ? [j] : []));
  });
  const keys = new Set(wanted.map((row) => row.join("\u0001")));
  let tries = 0;
  const go = (picked: number[]): boolean => {
    if (picked.length < width)
      return (fitting[picked.length] ?? []).some((i) => !picked.includes(i) && go([...picked, i]));
    tries += 1;
    const own = new Set(found.map((row) => picked.map((i) => row[i]).join("\u0001")));
    return tries < 50 && isFit(keys, own, isTied);
  };
  return go([]);
}

/** More that share a place were hardly meant. */
const MOST_TIED = 5;

function isFit(wanted: ReadonlySet<string>, got: ReadonlySet<string>, isTied: boolean): boolean {
  if (!isTied && got.size !== wanted.size) return false;
  return [...wanted].every((each) => got.has(each));
}
