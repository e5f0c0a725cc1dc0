import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { newUuid } from "../../kernel/ids.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { compose } from "../compose.ts";
import { type Config, loadConfig } from "../config.ts";
import { ensureFirstAdmin, passwordFile } from "../first-admin.ts";
import type { Terminal } from "./command.ts";
import { logFailure } from "./failure.ts";
import { renderWelcome } from "./welcome.ts";

/** Runs the server until it is asked to stop. Demo data comes with a later slice; the switch is accepted now. */
export async function serve(_options: { demo: boolean }, terminal: Terminal): Promise<number> {
  const config = loadConfig();
  makeCrashesVisible(config.storage.home, terminal);
  const stopping = stopRequested(terminal);
  const app = await compose(config);
  try {
    const admin = await ensureFirstAdmin(app.identity, config.storage.home);
    const { url } = await listen(app, config);
    const kept = passwordFile(config.storage.home);
    terminal.out(
      renderWelcome({
        url,
        appUrl: config.server.appUrl,
        admin,
        passwordFile: existsSync(kept) ? kept : null,
        program: programName(),
      }),
    );
    await stopping;
  } finally {
    await app.close();
  }
  terminal.err("Kenning has stopped.\n");
  return 0;
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function stopRequested(terminal: Terminal): Promise<void> {
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
function makeCrashesVisible(home: string, terminal: Terminal): void {
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

async function listen(app: { listen(): Promise<{ url: string }> }, config: Config): Promise<{ url: string }> {
  try {
    return await app.listen();
  } catch (error) {
    throw isAppError(error) ? error : (explainListen(error, config) ?? error);
  }
}

function explainListen(error: unknown, { server: { port, host } }: Config): AppError | undefined {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const [message, hint] =
    {
      EADDRINUSE: [
        `Port ${port} on ${host} is taken.`,
        "Is Kenning running already? Otherwise choose another PORT.",
      ],
      EACCES: [`This user may not listen on port ${port}.`, "Choose a PORT above 1023."],
      EADDRNOTAVAIL: [`This machine has no address ${host}.`, "Change KENNING_HOST."],
      ENOTFOUND: [`The host name ${host} is not known.`, "Change KENNING_HOST."],
    }[code] ?? [];
  return message === undefined
    ? undefined
    : new AppError("unavailable", message, { hint: hint ?? "", cause: error });
}

/** How to call this program again from the folder we are in. */
function programName(): string {
  const launcher = join(import.meta.dirname, "../../../bin/kenning");
  return launcher.startsWith(join(process.cwd(), "/"))
    ? `.${launcher.slice(process.cwd().length)}`
    : launcher;
}
