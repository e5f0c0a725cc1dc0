import type { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import type { RowBatch, RunOptions } from "../connector.ts";
import { type Deadline, startDeadline } from "../deadline.ts";
import type { RowLimits } from "../row-queue.ts";
import type { ReadStatement } from "./read-statement.ts";
import type { SqlEngine } from "./sql-connector.ts";

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
