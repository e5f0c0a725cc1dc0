import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { compile } from "../../src/domains/agent/compile/compile.ts";
import { ifCarried } from "../../src/domains/agent/compile/paths.ts";
import type { Knowledge } from "../../src/domains/agent/knowledge/build-knowledge.ts";
import type { SlotModels } from "../../src/domains/agent/reader/models.ts";
import { type Ruled, runnable } from "../../src/domains/agent/reader/propose.ts";
import type { Known } from "../../src/domains/agent/reader/rank.ts";
import { datesIn } from "../../src/domains/agent/understand/candidates/dates.ts";
import type { Question, Reading } from "../../src/domains/agent/understand/reading.ts";
import { understand } from "../../src/domains/agent/understand/understand.ts";
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
  /** What the rules alone make of it. */
  ruled: Ruled;
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
    const asked = { text: example.question.question, timeZone: "UTC", now: example.now ?? NOW };
    const ruled = ruledFor(asked, knowledge);
    const dates = datesIn(asked, knowledge).map(({ start, end }) => asked.text.slice(start, end));
    const { proposals: all, unknown } = runnable(schema, linked, knowledge, models, { ...ruled, dates });
    const results: (Rows | null)[] = [];
    for (const { sql } of all) results.push(await this.rows(path, sql));
    return {
      known: all.map(({ known }) => known),
      results,
      ruled,
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

/** Where nothing else is said. */
const NOW = "2026-03-31T12:00:00";

/** What the rules alone make of a question, without what is near to words that nothing is called by. */
function ruledFor(question: Question, knowledge: Knowledge): Ruled {
  const { readings, missing, unclear } = understand(question, knowledge);
  if (missing.length > 0) return { k: "refuse" };
  if (unclear.length > 0) return { k: "clarify" };
  const isCarried = ({ ask }: Reading) => ifCarried(() => compile(knowledge.schema, ask)) !== undefined;
  const first = readings.find(isCarried);
  if (first === undefined) return { k: "refuse" };
  const { ask, cost, assumptions } = first;
  return { k: "run", ask, cost, readings: readings.length, assumptions: assumptions.length };
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
function isTied(goldSql: string, sql: string): boolean {
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

/** Whether what came of a statement is right for a question, which one with a strange word never is. */
export function isRightFor(
  { question: { rows, gold_sql }, isSpoiled, hasGaps }: Pick<Example, "question" | "isSpoiled" | "hasGaps">,
  got: Rows | null,
  { isExact = false, tiedBy }: { isExact?: boolean; tiedBy?: string | undefined } = {},
): boolean {
  if (isSpoiled === true || got === null) return false;
  const isFull = (row: Rows[number]) => row.slice(1).some((value) => value !== null && value !== 0);
  const [wanted, found] = hasGaps === true ? [rows.filter(isFull), got.filter(isFull)] : [rows, got];
  return isRight(wanted, found, { isExact, isTied: tiedBy !== undefined && isTied(gold_sql, tiedBy) });
}

/** More that share a place were hardly meant. */
const MOST_TIED = 5;

function isFit(wanted: ReadonlySet<string>, got: ReadonlySet<string>, isTied: boolean): boolean {
  if (!isTied && got.size !== wanted.size) return false;
  return [...wanted].every((each) => got.has(each));
}
