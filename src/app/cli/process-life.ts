import { newUuid } from "../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import type { Terminal } from "./command.ts";
import { logFailure } from "./failure.ts";

/** Two signals this close together are the same one. */
const ECHO_MS = 500;

/**
 * Resolves at the first signal to stop; a second one ends the process at once. SIGHUP says that the terminal is
 * gone: a server that writes to none (nohup, a service) goes on. Whether the signal was ignored when we were
 * started cannot be asked, because Node forgets it.
 */
export function stopRequested(
  terminal: Terminal,
  { hasTerminal = process.stdout.isTTY || process.stderr.isTTY } = {},
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let askedAtMs: number | undefined;
  const ask = () => {
    if (askedAtMs !== undefined) {
      // A supervisor signals the whole group, and npm passes its own signal on: one wish, heard twice.
      if (performance.now() - askedAtMs > ECHO_MS) process.exit(1);
      return;
    }
    askedAtMs = performance.now();
    terminal.err("Kenning is stopping; once more to stop at once.\n");
    setTimeout(() => {
      terminal.err(
        `kenning: The server did not stop within ${LIMITS.commandLine.stopMs} ms and was ended.\n`,
      );
      process.exit(1);
    }, LIMITS.commandLine.stopMs).unref();
    resolve();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, ask);
  process.on("SIGHUP", hasTerminal ? ask : () => {});
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
