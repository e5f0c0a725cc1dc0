import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { EngineSpec, WireTableView } from "../wire.ts";
import { withConnection } from "./engine.ts";
import { whileRunning } from "./engine-errors.ts";
import { selectParts, viewSql } from "./table-view-sql.ts";

/** A database beside the engine's own. No query comes to it, because none may name a database or a schema. */
const DATABASE = quoteName("_scope_copies");
const MB = 1024 * 1024;
/** What one engine copies, at most; of its own memory limit no more than this part. */
const MOST_BYTES = 64 * MB;
const MEMORY_PART = 8;
const FIRST_USES = 4;
/** What each use pays for: about what copying it costs beside reading a file once more. */
const BYTES_PER_USE = MB;
/** What a value takes in memory; texts and everything nested take their length in addition. */
const VALUE_BYTES = 16;
const OF_ONE_SIZE =
  /^(?:BOOLEAN|U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*|DATE|TIME.*|UUID|INTERVAL)$/i;

/** Memory budget for copies that is left to the engines of a process. */
export interface Room {
  take(bytes: number, mostMb: number): boolean;
  give(bytes: number): void;
}

interface Copy {
  tableView: WireTableView;
  rows: string;
  bytes: number;
}

/**
 * Copies of an engine's small views in its memory. A file is decoded anew for each question, in groups of some
 * hundred thousand rows; to find a row in a copy takes a fifth of the time. They are compressed, because grouping
 * plain texts is slower than grouping those of a file. The views over the rows, with their policies, stay as they
 * are. A view is copied when it was used so often that reading it has cost as much as copying it will.
 */
export class Copies {
  readonly #instance: DuckDBInstance;
  readonly #spec: EngineSpec;
  readonly #room: Room;
  readonly #closing = new AbortController();
  #uses = 0;
  #state: "waiting" | "working" | "over" = "waiting";
  #wanted: Copy[] | undefined;
  #taken = 0;

  constructor(instance: DuckDBInstance, spec: EngineSpec, room: Room) {
    this.#instance = instance;
    this.#spec = spec;
    this.#room = room;
    if (spec.copyMb === 0) this.#state = "over";
  }

  /** Counts a use; what follows from it happens beside the query. */
  noteUse(): void {
    this.#uses += 1;
    if (this.#state !== "waiting" || this.#uses < FIRST_USES) return;
    if (this.#wanted !== undefined && bytesOf(this.#wanted) > this.#uses * BYTES_PER_USE) return;
    this.#state = "working";
    this.#work().then(
      (isOver) => {
        this.#state = isOver ? "over" : "waiting";
      },
      // The files are there as before, for whatever reason a copy could not be made.
      () => this.#stop(),
    );
  }

  close(): void {
    this.#closing.abort();
    this.#stop();
  }

  #stop(): void {
    this.#state = "over";
    this.#room.give(this.#taken);
    this.#taken = 0;
  }

  /** Finds out what is worth a copy, then makes it. True when there is nothing left to do. */
  async #work(): Promise<boolean> {
    return withConnection(this.#instance, (connection) =>
      whileRunning(connection, this.#closing.signal, async () => {
        this.#wanted ??= await smallOnes(connection, this.#spec);
        const bytes = bytesOf(this.#wanted);
        if (bytes === 0) return true;
        if (bytes > this.#uses * BYTES_PER_USE) return false;
        // Asked again with the next use, when others may have gone.
        if (!this.#room.take(bytes, this.#spec.copyMb)) return false;
        this.#taken = bytes;
        await copyAll(connection, this.#wanted);
        this.#closing.signal.throwIfAborted();
        return true;
      }),
    );
  }
}

function bytesOf(copies: readonly Copy[]): number {
  return copies.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** As many views as fit, the smallest first. */
async function smallOnes(connection: DuckDBConnection, spec: EngineSpec): Promise<Copy[]> {
  const most = Math.min(MOST_BYTES, spec.copyMb * MB, (spec.memoryMb * MB) / MEMORY_PART);
  const found: Copy[] = [];
  for (const tableView of spec.tableViews.filter(({ files }) => files.length > 0)) {
    const { files, columns, name } = tableView;
    const rows = await selectParts(connection, files, columns, name);
    const bytes = await sizeOf(connection, tableView, rows, most);
    if (bytes <= most) found.push({ tableView, rows, bytes });
  }
  const fitting: Copy[] = [];
  for (const copy of found.toSorted((a, b) => a.bytes - b.bytes)) {
    if (bytesOf(fitting) + copy.bytes <= most) fitting.push(copy);
  }
  return fitting;
}

async function sizeOf(
  connection: DuckDBConnection,
  { columns }: WireTableView,
  rows: string,
  most: number,
): Promise<number> {
  const count = await connection.runAndReadAll(`SELECT count(*) FROM (${rows})`);
  const values = Number(count.value(0, 0)) * columns.length * VALUE_BYTES;
  const long = columns.filter(({ type }) => !OF_ONE_SIZE.test(type));
  // How many rows there are stands in the files; to see how long their texts are, they have to be read.
  if (values > most || long.length === 0) return values;
  const lengths = long.map(({ name }) => `coalesce(sum(strlen(CAST(${quoteName(name)} AS VARCHAR))), 0)`);
  const total = await connection.runAndReadAll(`SELECT ${lengths.join(" + ")} FROM (${rows})`);
  return values + Number(total.value(0, 0));
}

async function copyAll(connection: DuckDBConnection, copies: readonly Copy[]): Promise<void> {
  await connection.run(`ATTACH ':memory:' AS ${DATABASE} (COMPRESS)`);
  const places = copies.map(
    ({ tableView }, index) => `${DATABASE}.${quoteName(`${tableView.name} ${index}`)}`,
  );
  try {
    for (const [index, { rows }] of copies.entries()) {
      await connection.run(`CREATE TABLE ${places[index]} AS ${rows}`);
    }
    // Only now they are compressed.
    await connection.run(`CHECKPOINT ${DATABASE}`);
  } catch (error) {
    await connection.run(`DETACH ${DATABASE}`);
    throw error;
  }
  for (const [index, { tableView }] of copies.entries()) {
    const names = tableView.columns.map(({ name }) => quoteName(name)).join(", ");
    await connection.run(viewSql(tableView, `SELECT ${names} FROM ${places[index]}`));
  }
}
