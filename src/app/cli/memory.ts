import { createReadStream, createWriteStream, statSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  exportMemories,
  type Imported,
  importMemories,
  type MemoryRecord,
  markdownName,
  type ReadRecord,
  readJsonLines,
  readMarkdown,
  writeGraphLines,
  writeMarkdown,
} from "../../domains/memory/index.ts";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Terminal } from "./command.ts";
import { Progress } from "./output.ts";
import { withData } from "./with-services.ts";

type Format = "jsonl" | "markdown" | "server-memory";

const SHOWN_FAILURES = 20;

export async function importPath(
  { args, options }: { args: { path: string }; options: { workspace: string; json: boolean } },
  terminal: Terminal,
): Promise<number> {
  const path = resolve(args.path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new AppError("not_found", `There is no file ${args.path}.`, {
      hint: "Check the path; it is taken from the working directory.",
    });
  const records = found.isDirectory() ? notesIn(path) : readJsonLines(linesOf(path));
  const imported = await withData(async ({ memory, callerFor }) => {
    const caller = await callerFor(options.workspace);
    const progress = new Progress(terminal);
    const show = (done: number) => progress.show(`${done} read`, undefined);
    return importMemories(memory, caller, records, show).finally(() => progress.end());
  });
  report(imported, options.json, terminal);
  return imported.stored + imported.present === 0 && imported.failed.length > 0 ? 1 : 0;
}

export async function exportPath(
  { args, options }: { args: { path: string }; options: { workspace: string; format: Format | undefined } },
  terminal: Terminal,
): Promise<number> {
  const format = options.format ?? (/\.jsonl?$/i.test(args.path) ? "jsonl" : "markdown");
  const path = resolve(args.path);
  const written = await withData(async ({ memory, callerFor }) => {
    const progress = new Progress(terminal);
    const records = counted(exportMemories(memory, await callerFor(options.workspace)), (done) =>
      progress.show(`${done} written`, undefined),
    );
    await (format === "markdown"
      ? writeNotes(path, records.all)
      : writeLines(path, records.all, format)
    ).finally(() => progress.end());
    return records.count();
  });
  terminal.out(`${written} memories were written to ${args.path}.\n`);
  return 0;
}

/** Opened when the first line is asked for: lines that come before are lost. */
async function* linesOf(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

/** All notes in a folder and below it, in the order of their names; hidden ones are left out. */
async function* notesIn(folder: string): AsyncGenerator<ReadRecord> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const notes = entries
    .filter((entry) => /\.(?:md|markdown)$/i.test(entry.name) && !entry.isDirectory())
    .map((entry) => ({ name: relative(folder, join(entry.parentPath, entry.name)), isFile: entry.isFile() }))
    .filter(({ name }) => !name.split(sep).some((part) => part.startsWith(".")))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, isFile } of notes)
    if (isFile) yield await noteAt(folder, name);
    else yield { at: name, reason: "It is a link or no file, and was not followed." };
}

async function noteAt(folder: string, name: string): Promise<ReadRecord> {
  try {
    return readMarkdown(name.replaceAll(sep, "/"), await readFile(join(folder, name), "utf8"));
  } catch (error) {
    return { at: name, reason: messageOf(error) };
  }
}

function counted(records: AsyncIterable<MemoryRecord>, onOne: (done: number) => void) {
  let done = 0;
  async function* all() {
    for await (const record of records) {
      done += 1;
      onOne(done);
      yield record;
    }
  }
  return { all: all(), count: () => done };
}

async function writeNotes(folder: string, records: AsyncIterable<MemoryRecord>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const taken = new Set<string>();
  for await (const record of records)
    await writeFile(join(folder, markdownName(record.memory_id ?? "", taken)), writeMarkdown(record));
}

/** The file has its name only when it is whole. */
async function writeLines(
  path: string,
  records: AsyncIterable<MemoryRecord>,
  format: Exclude<Format, "markdown">,
): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  try {
    await pipeline(
      Readable.from(format === "jsonl" ? jsonLines(records) : graphLines(records)),
      createWriteStream(part),
    );
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

async function* jsonLines(records: AsyncIterable<MemoryRecord>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

/** Relations name entities by their titles, which are known only when all were seen: they come last. */
async function* graphLines(records: AsyncIterable<MemoryRecord>): AsyncGenerator<string> {
  const names = new Map<string, string>();
  const later: MemoryRecord[] = [];
  for await (const record of records) {
    const [entity] = writeGraphLines({ ...record, relations: [] }, String);
    if (entity?.type === "entity") names.set(record.memory_id ?? "", entity.name);
    if (record.relations !== undefined) later.push({ ...record, content: "" });
    yield `${JSON.stringify(entity)}\n`;
  }
  for (const record of later)
    for (const line of writeGraphLines(record, (key) => names.get(key) ?? key).slice(1))
      yield `${JSON.stringify(line)}\n`;
}

function report(imported: Imported, json: boolean, terminal: Terminal): void {
  const { stored, present, related, failed, replaced } = imported;
  if (json) {
    terminal.out(`${JSON.stringify(imported, null, 2)}\n`);
    return;
  }
  terminal.out(`${stored} memories were stored, ${present} were there already, ${related} relations made.\n`);
  for (const [type, count] of Object.entries(replaced))
    terminal.out(`  ${count} relations of the unknown type ${type} became RELATED_TO\n`);
  if (failed.length > 0) terminal.out(`${failed.length} failed:\n`);
  for (const { at, reason } of failed.slice(0, SHOWN_FAILURES)) terminal.out(`  ${at}: ${reason}\n`);
  if (failed.length > SHOWN_FAILURES) terminal.out(`  and ${failed.length - SHOWN_FAILURES} more\n`);
}
