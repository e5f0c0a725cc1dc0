import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from "@duckdb/node-api";
import { LastingEngine } from "../engine/engine.ts";
import { asEngineError, isReopened, whileRunning } from "../engine/engine-errors.ts";
import { readSums, type Sums } from "./exact-sums.ts";
import { parseTree, readSources, type Sources, type Tree } from "./syntax-tree.ts";

/** A statement that waits for a text, on a connection of its own: a connection does one thing at a time. */
interface Ready {
  instance: DuckDBInstance;
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
  /** Without any data, for what needs nothing else. */
  readonly engine: LastingEngine;
  readonly #ready: Ready[] = [];
  readonly #known = new Map<string, Sources & { sums: Sums }>();

  constructor(open: () => Promise<DuckDBInstance>) {
    this.engine = new LastingEngine(open);
  }

  /** The tree of a text, as JSON. */
  async serialize(sql: string, signal: AbortSignal): Promise<string> {
    const text = await this.#tree(sql, signal);
    if (sql.length <= KNOWN_CHARACTERS && !this.#known.has(sql)) this.#learn(sql, parseTree(text));
    return text;
  }

  /** What a text selects from and adds up. Fails when it is not one SELECT. */
  async sourcesOf(sql: string, signal: AbortSignal): Promise<Sources & { sums: Sums }> {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    const tree = parseTree(await this.#tree(sql, signal));
    const sources = readSources(tree);
    if (sources instanceof Error) {
      // Said by the parser itself, it comes with the place where it went wrong.
      if (tree.error && tree.error_type !== "not implemented") await this.#complain(sql);
      throw sources;
    }
    return this.#learn(sql, tree) ?? { ...sources, sums: readSums(tree) };
  }

  #learn(sql: string, tree: Tree): (Sources & { sums: Sums }) | undefined {
    const sources = readSources(tree);
    if (sources instanceof Error || sql.length > KNOWN_CHARACTERS) return undefined;
    const read = { ...sources, sums: readSums(tree) };
    this.#known.set(sql, read);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_TEXTS && oldest !== undefined) this.#known.delete(oldest);
    return read;
  }

  /** Texts of all workspaces are parsed here: what failed because of another one is parsed once more. */
  async #tree(sql: string, signal: AbortSignal): Promise<string> {
    const parse = () => this.#parse(sql, signal);
    return parse().catch((error: unknown) => (isReopened(error) ? parse() : Promise.reject(error)));
  }

  async #parse(sql: string, signal: AbortSignal): Promise<string> {
    const instance = await this.engine.instance();
    let ready: Ready | undefined;
    let isReusable = false;
    try {
      ready = this.#take(instance) ?? (await prepare(instance));
      const { connection, statement } = ready;
      const text = await whileRunning(connection, signal, async () => {
        statement.bindVarchar(1, sql);
        return String((await statement.runAndReadAll()).value(0, 0));
      });
      statement.clearBindings();
      // An interruption that came too late must not hit the next text.
      isReusable = !signal.aborted && this.#ready.length < MOST_READY;
      return text;
    } catch (error) {
      await this.engine.mend(instance);
      throw asEngineError(error);
    } finally {
      if (ready !== undefined && isReusable) this.#ready.push(ready);
      else if (ready !== undefined) discard(ready);
    }
  }

  /** One of this engine: those of a broken one are of no use. */
  #take(instance: DuckDBInstance): Ready | undefined {
    for (let ready = this.#ready.pop(); ready !== undefined; ready = this.#ready.pop()) {
      if (ready.instance === instance) return ready;
      discard(ready);
    }
    return undefined;
  }

  async #complain(sql: string): Promise<void> {
    await this.engine.use((connection) => connection.extractStatements(sql));
  }
}

async function prepare(instance: DuckDBInstance): Promise<Ready> {
  const connection = await instance.connect();
  try {
    const statement = await connection.prepare("SELECT json_serialize_sql($1::VARCHAR)");
    return { instance, connection, statement };
  } catch (error) {
    connection.disconnectSync();
    throw error;
  }
}

function discard({ connection, statement }: Ready): void {
  statement.destroySync();
  connection.disconnectSync();
}
