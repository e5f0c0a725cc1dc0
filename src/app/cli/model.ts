import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
  writeModel,
} from "../../domains/models/index.ts";
import { LIMITS } from "../../domains/models/limits.ts";
import { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { Terminal } from "./command.ts";
import { printListing } from "./output.ts";
import { withData } from "./with-services.ts";

/** Versions that an error names, the newest first. */
const SHOWN_VERSIONS = 10;

interface OfFile {
  args: { file: string };
  options: { workspace: string };
}

interface OfModel {
  args: { model: string };
  options: { workspace: string };
}

/** Publishes the models of a file or folder: all of them, or none if one has an error. */
export async function publishModel(
  { args, options }: OfFile & { options: { replace: boolean } },
  terminal: Terminal,
): Promise<number> {
  const files = readFiles(args.file);
  return withData(async ({ models: { models }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const examination = await examine(models, caller, files, never());
    printProblems(examination, terminal);
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

/** Writes a model that is guessed from datasets, and says what was guessed. */
export async function inferModel(
  {
    options,
  }: {
    options: {
      workspace: string;
      datasets: string | undefined;
      name: string | undefined;
      out: string | undefined;
    };
  },
  terminal: Terminal,
): Promise<number> {
  return withData(async ({ models: { inference }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const names = options.datasets?.split(",").map((name) => name.trim());
    // One dataset gives the model its name, so that a second one does not take the place of the first.
    const [only = options.workspace, ...others] = names ?? [];
    const name = options.name ?? (others.length > 0 ? options.workspace : only);
    const { document, guesses } = await inference.infer(caller, name, names);
    const yaml = writeModel(document);
    if (options.out === undefined || options.out === "-") terminal.out(yaml);
    else writeFileSync(options.out, yaml);
    for (const { sure, guess, why } of guesses) terminal.err(`${sure}: ${guess} (${why})\n`);
    return 0;
  });
}

/** Says what is wrong with the models of a file or folder, given the data of a workspace, and changes nothing. */
export async function validateModel({ args, options }: OfFile, terminal: Terminal): Promise<number> {
  const files = readFiles(args.file);
  return withData(async ({ models: { models }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const examination = await examine(models, caller, files, never());
    printProblems(examination, terminal);
    if (hasErrors(examination)) return 1;
    const names = examination.models.map(({ model }) => model.name).join(", ");
    terminal.err(`${names}: no errors.\n`);
    return 0;
  });
}

export async function listModels(
  { options }: { options: { workspace: string; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const items = await withData(async ({ models: { modelsStore }, callerFor }) => {
    const { workspace } = await callerFor(options.workspace);
    return modelsStore.list(workspace.id);
  });
  printListing(terminal, {
    items: items.map(({ id, uuid, name, publishedVersion, hasDraft, createdAt }) => ({
      id,
      uuid,
      name,
      publishedVersion,
      hasDraft,
      createdAt,
    })),
    json: options.json,
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      version: ({ publishedVersion }) => publishedVersion,
      draft: ({ hasDraft }) => hasDraft,
      uuid: ({ uuid }) => uuid,
      created: ({ createdAt }) => createdAt,
    },
    empty: `There are no semantic models yet; publish one with: kenning model publish FILE --workspace ${options.workspace}`,
  });
  return 0;
}

/** What publishing a file would change. */
export async function diffModel({ args, options }: OfFile, terminal: Terminal): Promise<number> {
  const files = readFiles(args.file);
  return withData(async ({ models: { models, modelsStore }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const examination = await examine(models, caller, files, never());
    if (examination.isUnreadable) {
      printProblems(examination, terminal);
      return 1;
    }
    for (const { model } of examination.models) {
      const published = await modelsStore.publishedBy(caller.workspace.id, { name: model.name });
      const changes = diffModels(published?.document ?? null, model);
      const text = changes.length === 0 ? "no differences" : printDiff(changes);
      terminal.out(`${model.name}:\n${text}\n`);
    }
    return 0;
  });
}

/** Writes a published model, or its draft, as a file. */
export async function exportModel(
  {
    args,
    options,
  }: OfModel & { options: { output: string | undefined; draft: boolean; version: string | undefined } },
  terminal: Terminal,
): Promise<number> {
  return withData(async ({ models: { models, modelsStore }, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const record = await models.require(caller, args.model);
    const version = options.version === undefined ? record.publishedVersion : versionIn(options.version);
    const document = options.draft
      ? (await modelsStore.draft(record.id))?.document
      : version === null
        ? undefined
        : await modelsStore.version(record.id, version);
    if (document === undefined) {
      throw await noSuchVersion(modelsStore, record, options);
    }
    const yaml = writeModel(document);
    if (options.output === undefined || options.output === "-") terminal.out(yaml);
    else writeFileSync(options.output, yaml);
    return 0;
  });
}

export function versionIn(text: string): number {
  const version = Number(text);
  if (/^\d{1,9}$/.test(text) && version > 0) return version;
  throw new AppError("bad_request", `--version must be the number of a version, not ${clip(text)}.`);
}

async function noSuchVersion(
  store: ModelsServices["modelsStore"],
  record: Awaited<ReturnType<ModelsServices["models"]["require"]>>,
  { draft, version }: { draft: boolean; version: string | undefined },
): Promise<AppError> {
  const what = draft ? "draft" : version === undefined ? "published version" : `version ${version}`;
  const numbers = (await store.versions(record)).map((each) => each.version);
  const shown = numbers.slice(0, SHOWN_VERSIONS).join(", ");
  const more = numbers.length > SHOWN_VERSIONS ? ` and ${numbers.length - SHOWN_VERSIONS} older ones` : "";
  const hints = [
    ...(numbers.length === 0 ? [] : [`It has the versions ${shown}${more}.`]),
    ...(record.hasDraft && !draft ? ["It has a draft: use --draft."] : []),
  ];
  return new AppError("not_found", `${record.name} has no ${what}.`, { hint: hints.join(" ") });
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
