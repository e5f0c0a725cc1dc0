import type { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Connector,
  type Deadline,
  metadataOptions,
  type RowBatch,
  type RunOptions,
  readAll,
  type SourceTable,
  startDeadline,
} from "../connector.ts";
import type { RowLimits } from "../row-queue.ts";
import type { Dialect } from "./dialects.ts";
import { type Placeholder, quoteTable, type ReadStatement, readStatement } from "./read-statement.ts";

/** In what the databases that speak SQL differ. */
interface SqlEngine {
  dialect: Dialect;
  versionQuery: string;
  /** Schema (or NULL), name and kind of each table, in order; a kind that has "view" in it is a view. */
  tablesQuery: string;
  placeholder: Placeholder;
  /** The rows of one statement, on a connection that ends with the generator, however it ends. */
  rowsOf(statement: ReadStatement, options: RunOptions): AsyncGenerator<RowBatch>;
}

export function sqlConnector(engine: SqlEngine): Connector {
  const { dialect, versionQuery, tablesQuery, placeholder, rowsOf } = engine;
  const read = (text: string, signal: AbortSignal | undefined): Promise<RowBatch> =>
    readAll(rowsOf({ text, values: [] }, metadataOptions(signal)));

  return {
    async test(signal) {
      const { rows } = await read(versionQuery, signal);
      return { ok: true, serverVersion: String(rows[0]?.[0]).slice(0, 200) };
    },

    async tables(signal) {
      const { rows } = await read(`${tablesQuery} LIMIT ${LIMITS.datasources.tables}`, signal);
      return rows.map(
        ([schema, name, kind]): SourceTable => ({
          ...(schema === null ? {} : { schema: String(schema) }),
          name: String(name),
          kind: /view/i.test(String(kind)) ? "view" : "table",
        }),
      );
    },

    async columns(table, signal) {
      const { columns } = await read(`SELECT * FROM ${quoteTable(table, dialect)} LIMIT 0`, signal);
      return [...columns];
    },

    run: (query, options) => rowsOf(readStatement(query, options.parameters, dialect, placeholder), options),
  };
}

interface Session {
  stream(
    statement: ReadStatement,
    limits: RowLimits,
    deadline: Deadline,
  ): { batches(): AsyncGenerator<RowBatch> };
  /** Ends what may still run on the server, then the connection. Never throws. */
  close(): Promise<void>;
}

/** The rows of a statement, in one session that ends with the generator, however it ends. */
export function rowsBySession(
  open: (deadline: Deadline) => Promise<Session>,
  explain: (error: unknown) => AppError,
): SqlEngine["rowsOf"] {
  return async function* (statement: ReadStatement, options: RunOptions) {
    const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
    let session: Session | undefined;
    try {
      session = await open(deadline);
      yield* session.stream(statement, options, deadline).batches();
    } catch (error) {
      throw explain(error);
    } finally {
      await session?.close();
      deadline.clear();
    }
  };
}
