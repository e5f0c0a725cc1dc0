import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { firstPasswordFile, keepFirstPassword } from "../admin-password.ts";
import { compose } from "../compose.ts";
import { type Config, loadConfig } from "../config.ts";
import { requireHome } from "../home/home-folder.ts";
import type { Terminal } from "./command.ts";
import { makeCrashesVisible, stopRequested } from "./process-life.ts";
import { renderWelcome } from "./welcome.ts";

/** Runs the server until it is asked to stop. An empty home gets the demo workspace, while the server answers already. */
export async function serve(options: { demo: boolean }, terminal: Terminal): Promise<number> {
  const config = loadConfig();
  requireHome(config.storage.home);
  makeCrashesVisible(config.storage.home, terminal);
  const stopping = stopRequested(terminal);
  await listen({ listen: () => tryPort(config) }, config);
  const app = await compose(config, { consoleFolder: builtConsole() });
  try {
    const { home } = config.storage;
    const admin = await app.identity.ensureFirstAdmin({ keep: (made) => keepFirstPassword(home, made) });
    const hasDemo = options.demo && config.operations.demo;
    if (hasDemo && admin !== null) await app.demo.create();
    const { url } = await listen(app, config);
    if (hasDemo) app.demo.begin();
    const { appUrl } = config.server;
    const passwordFile = firstPasswordFile(home);
    const demo = await app.demo.status();
    const hasTerminal = process.stdout.isTTY === true;
    const program = programName();
    terminal.out(renderWelcome({ url, appUrl, admin, passwordFile, demo, program, hasTerminal }));
    await stopping;
  } finally {
    await app.close();
  }
  terminal.err("Kenning has stopped.\n");
  return 0;
}

/** The launcher builds it, where that is possible. */
function builtConsole(): string | undefined {
  const folder = join(import.meta.dirname, "../../../web/dist");
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}

/** Before anything is opened: a second server would begin to take jobs of the first one, and then be told that it is one. */
async function tryPort({ server: { port, host } }: Config): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

async function listen<T>(app: { listen(): Promise<T> }, config: Config): Promise<T> {
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
