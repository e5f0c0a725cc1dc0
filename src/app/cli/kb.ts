import { createReadStream, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { DocumentRow, KnowledgeBase, KnowledgeServices } from "../../domains/knowledge/index.ts";
import { mapBounded } from "../../kernel/concurrency.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/text.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Terminal } from "./command.ts";
import { Progress, printListing } from "./output.ts";
import { untilStopped, withData } from "./with-services.ts";

interface ImportInput {
  args: { folder: string };
  options: { workspace: string; base: string; json: boolean };
}

/** What became of one file. */
interface ImportedFile {
  file: string;
  documentId: number | null;
  status: "indexed" | "unchanged" | "failed";
  reason?: string;
}

const READERS = 2;

export async function importFolder({ args, options }: ImportInput, terminal: Terminal): Promise<number> {
  const root = requireFolder(args.folder);
  const results = await withData(async ({ knowledge, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const base = await requireBase(knowledge, caller, options.base);
    const progress = new Progress(terminal);
    const files = await filesBelow(root);
    if (files.length === 0) throw new AppError("not_found", `There are no files in ${args.folder}.`);
    return untilStopped(async (signal) => {
      const added = await addAll(knowledge, caller, base, { root, files, signal, progress });
      return finishAll(knowledge, added, { signal, progress });
    }).finally(() => progress.end());
  });
  report(results, options, terminal);
  return results.every(({ status }) => status === "failed") ? 1 : 0;
}

interface Adding {
  root: string;
  files: readonly string[];
  signal: AbortSignal;
  progress: Progress;
}

interface AddedFile extends ImportedFile {
  document?: DocumentRow;
}

/** One after the other: folders are made as they are needed, and a name that is there twice becomes a version. */
async function addAll(
  { knowledge, folders }: KnowledgeServices,
  caller: Caller,
  base: KnowledgeBase,
  { root, files, signal, progress }: Adding,
): Promise<AddedFile[]> {
  const known = new Map<string, number>([["", 0]]);
  const added: AddedFile[] = [];
  for (const [i, path] of files.entries()) {
    signal.throwIfAborted();
    const file = relative(root, path);
    progress.show(`${file}: storing`, i / files.length);
    try {
      const names = file.split(sep).slice(0, -1);
      const place = names.join("/");
      const folderId = known.get(place) ?? (await folders.ensurePath(base.id, names, caller.user.id));
      known.set(place, folderId);
      const wish = { baseId: base.id, folderId, name: basename(file), sourceType: "file" as const };
      const content = createReadStream(path);
      const { document, outcome } = await knowledge.add(caller, { ...wish, content }, signal);
      const status = outcome === "same" ? "unchanged" : "indexed";
      added.push({ file, documentId: document.id, status, document });
    } catch (error) {
      if (!isAppError(error) || signal.aborted) throw error;
      added.push({ file, documentId: null, status: "failed", reason: error.message });
    }
  }
  return added;
}

async function finishAll(
  { readings }: KnowledgeServices,
  added: readonly AddedFile[],
  { signal, progress }: Pick<Adding, "signal" | "progress">,
): Promise<ImportedFile[]> {
  let done = 0;
  return mapBounded(added, READERS, async ({ document, ...file }) => {
    const read = document === undefined ? undefined : await readings.finish(document, signal);
    signal.throwIfAborted();
    done += 1;
    progress.show(`${done} of ${added.length} read`, done / added.length);
    if (read === undefined || read.indexStatus === "success") return file;
    return { ...file, status: "failed", reason: read.indexError ?? `It is ${read.indexStatus}.` };
  });
}

function report(
  results: readonly ImportedFile[],
  { json }: ImportInput["options"],
  terminal: Terminal,
): void {
  const failed = results.filter(({ status }) => status === "failed");
  const count = (status: ImportedFile["status"]) => results.filter((each) => each.status === status).length;
  if (json) {
    terminal.out(
      `${JSON.stringify({ indexed: count("indexed"), unchanged: count("unchanged"), failed: failed.length, files: results }, null, 2)}\n`,
    );
    return;
  }
  const unchanged = count("unchanged");
  terminal.out(`${count("indexed")} documents are searchable now.`);
  if (unchanged > 0) terminal.out(` ${unchanged} were there already.`);
  terminal.out(failed.length > 0 ? ` ${failed.length} failed:\n` : "\n");
  for (const { file, reason } of failed) terminal.out(`  ${file}: ${reason}\n`);
}

/** By name or by id. */
async function requireBase(
  { bases }: KnowledgeServices,
  caller: Caller,
  word: string,
): Promise<KnowledgeBase> {
  const named = await bases.named(caller, word);
  const numbered = /^\d{1,15}$/.test(word) ? await bases.readable(caller, [Number(word)]) : [];
  const found = named.length > 0 ? named : numbered;
  if (found.length === 1) return found[0] as KnowledgeBase;
  if (found.length > 1) {
    throw new AppError("conflict", `${found.length} knowledge bases are called ${word}.`, {
      hint: `Say which by its id: ${found.map(({ id, level }) => `${id} (${level})`).join(", ")}.`,
    });
  }
  const meant = nearest(
    word,
    (await bases.allReadable(caller)).map(({ name }) => name),
  );
  throw new AppError(
    "not_found",
    `There is no knowledge base ${JSON.stringify(word)} in ${caller.workspace.slug}.`,
    {
      hint:
        meant === undefined
          ? "{tool:create_knowledge_base} makes one."
          : `Did you mean ${JSON.stringify(meant)}?`,
    },
  );
}

function requireFolder(folder: string): string {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new AppError("not_found", `There is no folder ${folder}.`, {
    hint: "Check the path; it is taken from the working directory.",
  });
}

/** All files below a folder by their paths, without hidden ones and without following links. */
async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (path) =>
        !relative(root, path)
          .split(sep)
          .some((part) => part.startsWith(".")),
    )
    .sort();
  return paths;
}

interface ReindexInput {
  options: { workspace: string | undefined; json: boolean };
}

/** Builds search indexes anew; a server that runs builds its own beside those that go on answering. */
export async function reindex({ options }: ReindexInput, terminal: Terminal): Promise<number> {
  const items = await withData(async ({ identity: { workspaces }, retrieval }) => {
    const { workspace } = options;
    const all = workspace === undefined ? await workspaces.list() : [await workspaces.bySlug(workspace)];
    const built = [];
    for (const { id, slug } of all)
      for (const kind of retrieval.kinds) {
        const collection = retrieval.of(kind);
        await collection.rebuild(id);
        const { entries, vectors } = await collection.stats(id);
        built.push({ workspace: slug, kind, entries, vectors });
      }
    return built;
  });
  printListing(terminal, {
    items,
    json: options.json,
    columns: {
      workspace: ({ workspace }) => workspace,
      kind: ({ kind }) => kind,
      entries: ({ entries }) => entries,
      "with vectors": ({ vectors }) => vectors,
    },
    empty: "There are no workspaces yet; make one with: kenning workspace create SLUG",
  });
  return 0;
}
