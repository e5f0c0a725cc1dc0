import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import {
  diffModels,
  type Examination,
  examine,
  type ModelFile,
  type ModelsServices,
  type Problem,
  printDiff,
  publishAll,
} from "../../domains/models/index.ts";
import { LIMITS } from "../../domains/models/limits.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Terminal } from "./command.ts";
import { withData } from "./with-services.ts";

interface OfFile {
  args: { file: string };
  options: { workspace: string };
}

/** Publishes the models of a file or folder: all of them, or none if one has an error. */
export async function publishModel(
  { args, options }: OfFile & { options: { replace: boolean; "dry-run": boolean } },
  terminal: Terminal,
): Promise<number> {
  const files = readFiles(args.file);
  return withData(async ({ models: { models, modelsStore }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const examination = await examine(models, caller, files, never());
    printProblems(examination, terminal);
    if (options["dry-run"]) {
      if (!examination.isUnreadable) await printChanges(modelsStore, caller, examination, terminal);
      return hasErrors(examination) ? 1 : 0;
    }
    if (hasErrors(examination)) {
      terminal.err("Nothing was published.\n");
      return 1;
    }
    const how = { isReplacing: options.replace };
    for (const { name, publishedVersion } of await publishAll(models, caller, examination, how)) {
      terminal.err(`Published ${name}, version ${publishedVersion}.\n`);
    }
    return 0;
  });
}

/** What publishing would change. */
async function printChanges(
  store: ModelsServices["modelsStore"],
  { workspace }: Caller,
  { models }: Examination,
  terminal: Terminal,
): Promise<void> {
  for (const { model } of models) {
    const published = await store.publishedBy(workspace.id, { name: model.name });
    const changes = diffModels(published?.document ?? null, model);
    terminal.out(`${model.name}:\n${changes.length === 0 ? "no differences" : printDiff(changes)}\n`);
  }
}

export function printProblems({ problems }: Examination, terminal: Terminal): void {
  for (const problem of problems) terminal.err(`${lineOf(problem)}\n`);
}

function lineOf({ severity, message, hint, file, line }: Problem): string {
  const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  return `${place}${severity}: ${message}${hint === undefined ? "" : ` ${hint}`}`;
}

function hasErrors({ problems, isUnreadable }: Examination): boolean {
  return isUnreadable || problems.some(({ severity }) => severity === "error");
}

/** A file, or every model file below a folder. */
export function readFiles(path: string): ModelFile[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new AppError("not_found", `There is no file or folder ${path}.`);
  if (!stat.isDirectory()) return [{ name: basename(path), text: readText(path) }];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ya?ml|json)$/i.test(name) && statSync(join(path, name)).isFile())
    .sort();
  if (names.length === 0) throw new AppError("bad_request", `There are no .yaml or .json files in ${path}.`);
  const bytes = names.reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
  if (bytes > LIMITS.models.modelBytes) throw tooLarge(path);
  return names.map((name) => ({ name, text: readText(join(path, name)) }));
}

function tooLarge(path: string): AppError {
  const megabytes = LIMITS.models.modelBytes / 1024 / 1024;
  return new AppError("too_large", `${path} is larger than ${megabytes} MB, which is too large for models.`);
}

function readText(path: string): string {
  const { size } = statSync(path);
  if (size > LIMITS.models.modelBytes) throw tooLarge(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new AppError("bad_request", `${path} is not a text in UTF-8.`, { cause: error });
  }
}

/** A command is ended by its process. */
function never(): AbortSignal {
  return new AbortController().signal;
}
