import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { messageOf } from "../kernel/errors.ts";
import { loggable } from "../kernel/logging.ts";
import type { Config } from "./config.ts";

/** Without a message of our own pino would take the error's, with all the values of a query in it. */
const hooks: NonNullable<LoggerOptions["hooks"]> = {
  logMethod([first, ...more], method) {
    const error = first instanceof Error ? first : (first as { err?: unknown } | null)?.err;
    const isBare = error instanceof Error && more.length === 0;
    method.apply(this, [first, ...(isBare ? [messageOf(error)] : more)] as Parameters<typeof method>);
  },
};

/** The log of the process. It goes to stderr: stdout belongs to what commands print. */
export function createLog(
  { operations }: Pick<Config, "operations">,
  destination: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger {
  const options = { level: operations.logLevel, base: null, serializers: { err: loggable }, hooks };
  return pino(options, destination);
}
