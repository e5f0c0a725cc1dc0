import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from "@duckdb/node-api";
import { withConnection } from "../engine/engine.ts";
import { asEngineError, breaksEngine } from "../engine/engine-errors.ts";
import { whileRunning } from "../engine/interruption.ts";
import { readSources, type Sources } from "./sql-surface.ts";
import { parseTree, type Tree } from "./syntax-tree.ts";

/** A statement that waits for a text, on a connection of its own: a connection does one thing at a time. */
interface Ready {
  connection: DuckDBConnection;
  statement: DuckDBPreparedStatement;
}

const MOST_READY = 4;
const KNOWN_TEXTS = 500;
const KNOWN_CHARACTERS = 4_000;

/**
 * DuckDB's own parser. For a small text, planning the statement that asks for its tree takes longer than the tree,
 * so statements are kept. What texts select from is kept too: most are parsed for the guard and then run, or are
 * run again.
 */
export class Parser {
  readonly #open: () => Promise<DuckDBInstance>;
  #instance: Promise<DuckDBInstance> | undefined;
  #ready: Ready[] = [];
  readonly #known = new Map<string, Sources>();

  constructor(open: () => Promise<DuckDBInstance>) {
    this.#open = open;
  }

  /** The tree of a text, as JSON. */
  async serialize(sql: string, signal: AbortSignal): Promise<string> {
    const text = await this.#tree(sql, signal);
    if (sql.length <= KNOWN_CHARACTERS && !this.#known.has(sql)) this.#learn(sql, parseTree(text));
    return text;
  }

  /** What a text selects from. Fails when it is not one SELECT. */
  async sourcesOf(sql: string, signal: AbortSignal): Promise<Sources> {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    const tree = parseTree(await this.#tree(sql, signal));
    const sources = readSources(tree);
    if (sources instanceof Error) {
      // Said by the parser itself, it comes with the place where it went wrong.
      if (tree.error && tree.error_type !== "not implemented") await this.#complain(sql);
      throw sources;
    }
    this.#learn(sql, tree);
    return sources;
  }

  /** An engine without any data, for what needs nothing else. */
  async instance(): Promise<DuckDBInstance> {
    this.#instance ??= this.#open();
    try {
      return await this.#instance;
    } catch (error) {
      this.#instance = undefined;
      throw error;
    }
  }

  #learn(sql: string, tree: Tree): void {
    const sources = readSources(tree);
    if (sources instanceof Error || sql.length > KNOWN_CHARACTERS) return;
    this.#known.set(sql, sources);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_TEXTS && oldest !== undefined) this.#known.delete(oldest);
  }

  async #tree(sql: string, signal: AbortSignal): Promise<string> {
    const ready = this.#ready.pop() ?? (await this.#prepare());
    const { connection, statement } = ready;
    let isReusable = false;
    try {
      const text = await whileRunning(connection, signal, async () => {
        statement.bindVarchar(1, sql);
        return String((await statement.runAndReadAll()).value(0, 0));
      });
      statement.clearBindings();
      // An interruption that came too late must not hit the next text.
      isReusable = !signal.aborted && this.#ready.length < MOST_READY;
      return text;
    } catch (error) {
      if (breaksEngine(error)) this.#forget();
      throw asEngineError(error);
    } finally {
      if (isReusable) this.#ready.push(ready);
      else discard(ready);
    }
  }

  async #prepare(): Promise<Ready> {
    const connection = await (await this.instance()).connect();
    try {
      return { connection, statement: await connection.prepare("SELECT json_serialize_sql($1::VARCHAR)") };
    } catch (error) {
      connection.disconnectSync();
      throw asEngineError(error);
    }
  }

  async #complain(sql: string): Promise<void> {
    await withConnection(await this.instance(), (connection) => connection.extractStatements(sql));
  }

  /** A broken engine refuses everything: the next text gets a new one. */
  #forget(): void {
    this.#instance = undefined;
    for (const ready of this.#ready.splice(0)) discard(ready);
  }
}

function discard({ connection, statement }: Ready): void {
  statement.destroySync();
  connection.disconnectSync();
}
