import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, isAppError, nameTools } from "../../kernel/errors.ts";
import { type Loggable, loggable } from "../../kernel/logging.ts";
import { newUuid } from "../../kernel/text.ts";
import { requireHome } from "../home/home-folder.ts";
import { LIMITS } from "../limits.ts";
import type { Terminal } from "./command.ts";

/** Says in one sentence what went wrong. What was not expected is logged with an id, its insides are not shown. */
export async function reportFailure(error: unknown, terminal: Terminal): Promise<void> {
  const expected = expectedIn(error);
  if (expected !== undefined) {
    terminal.err(`kenning: ${oneLine(adviceOf(expected))}\n`);
    return;
  }
  const id = newUuid();
  const { home, isVerbose } = await surroundings();
  const file = home === null ? null : logFailure(home, id, error);
  const where = file === null ? "KENNING_LOG_LEVEL=debug shows more" : `details are in ${file}`;
  const what = systemFailure(error) ?? "Something went wrong that should not have";
  terminal.err(`kenning: ${what} (error ${id}); ${where}.\n`);
  if (isVerbose) terminal.err(`${stackOf(error)}\n`);
}

/** A text that names tools, with each as one calls it here. */
export function inShell(text: string): string {
  return nameTools(text, ({ tool, argument }) =>
    argument === undefined ? `kenning call ${tool}` : `kenning call ${tool} --arg ${argument}=…`,
  );
}

function adviceOf({ code, message, hint }: AppError): string {
  const options = hint === undefined ? {} : { hint: inShell(hint) };
  return new AppError(code, inShell(message), options).advice;
}

/** Libraries wrap what they were thrown. */
function expectedIn(error: unknown): AppError | undefined {
  if (isAppError(error)) return error.code === "internal" ? undefined : error;
  return error instanceof Error && error.cause !== undefined ? expectedIn(error.cause) : undefined;
}

const SYSTEM_FAILURES: Readonly<Record<string, (path: string) => string>> = {
  EEXIST: (path) => `${path} exists already`,
  ENOENT: (path) => `There is no ${path}`,
  EISDIR: (path) => `${path} is a folder`,
  ENOTDIR: (path) => `${path} is below something that is no folder`,
  EACCES: (path) => `This user may not use ${path}`,
  EPERM: (path) => `This user may not use ${path}`,
  EROFS: (path) => `${path} is on storage that can only be read`,
  ENOSPC: (path) => `There is no room left on the disk for ${path}`,
  EDQUOT: (path) => `The disk quota is used up: there is no room for ${path}`,
  EMFILE: (path) => `This process has too many files open to open ${path}`,
};

/** What the operating system refused, in words; whoever asked can often mend it. */
function systemFailure(error: unknown): string | undefined {
  const { code = "", path } = error as NodeJS.ErrnoException;
  return SYSTEM_FAILURES[code]?.(path ?? "a file");
}

/** Appends an unexpected error to `<home>/logs/errors.log`; null when that is not possible. */
export function logFailure(home: string, id: string, error: unknown): string | null {
  const folder = join(home, "logs");
  const file = join(folder, "errors.log");
  const entry = { time: new Date().toISOString(), id, pid: process.pid, error: stackOf(error) };
  try {
    requireHome(home);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    keepSmall(file);
    appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    return file;
  } catch {
    return null;
  }
}

/** One older file is kept, so that the log is bounded. */
function keepSmall(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LIMITS.commandLine.errorLogBytes) renameSync(file, `${file}.1`);
}

/** The stack with its causes. */
function stackOf(error: unknown): string {
  const texts: string[] = [];
  for (let current: Loggable | undefined = loggable(error); current !== undefined; current = current.cause)
    texts.push(current.stack ?? current.message);
  return texts.join("\ncaused by: ");
}

/** Loaded late and with care: the settings themselves may be what is wrong. */
async function surroundings(): Promise<{ home: string | null; isVerbose: boolean }> {
  try {
    const { loadConfig } = await import("../config.ts");
    const { storage, operations } = loadConfig();
    return { home: storage.home, isVerbose: ["debug", "trace"].includes(operations.logLevel) };
  } catch {
    return { home: null, isVerbose: false };
  }
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}
