import { newUuid } from "../../kernel/ids.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Terminal } from "./command.ts";
import { logFailure } from "./failure.ts";

/** Resolves at the first signal to stop; a second one ends the process at once. */
export function stopRequested(terminal: Terminal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isAsked = false;
  const ask = () => {
    if (isAsked) process.exit(1);
    isAsked = true;
    terminal.err("Kenning is stopping; once more to stop at once.\n");
    setTimeout(() => {
      terminal.err(
        `kenning: The server did not stop within ${LIMITS.commandLine.stopMs} ms and was ended.\n`,
      );
      process.exit(1);
    }, LIMITS.commandLine.stopMs).unref();
    resolve();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  return promise;
}

/** A bug that nobody caught ends the server: going on in an unknown state would be worse. */
export function makeCrashesVisible(home: string, terminal: Terminal): void {
  const crash = (error: unknown) => {
    const id = newUuid();
    const file = logFailure(home, id, error);
    const where = file === null ? "" : `; details are in ${file}`;
    terminal.err(`kenning: The server crashed (error ${id})${where}.\n`);
    process.exit(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
}
