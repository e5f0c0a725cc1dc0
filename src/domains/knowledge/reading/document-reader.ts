import { constants } from "node:fs";
import { chmod, chown, copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { z } from "zod";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { FairQueue } from "../../../kernel/fair-queue.ts";
import {
  createSandbox,
  type OsUser,
  osUserOf,
  type Sandbox,
  type SandboxLog,
} from "../../../platform/sandbox/index.ts";
import { ownedTempPath, sweepLeftovers } from "../../../platform/temp/index.ts";
import { LIMITS } from "../limits.ts";
import type { Recognised } from "./file-pages.ts";
import { canOcr } from "./ocr.ts";
import { decodeText, isText, structureText } from "./plain-text.ts";
import type { ReadDocument } from "./read-document.ts";
import { split } from "./split.ts";

export interface ReadRequest {
  path: string;
  bytes: number;
  extension: string;
  scope: string;
  signal: AbortSignal;
}

const moduleOf = (name: string) => join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);

/** Texts that are read as they are, without a parser. */
const PLAIN = new Set(["txt", "text", "log", "md", "markdown", "csv", "tsv", "yaml", "yml", ""]);

/** Answers of the sandboxed process are untrusted. */
const answer = z.object({
  text: z.string().max(LIMITS.knowledge.textCharacters + 1_000),
  chunks: z
    .array(
      z.object({
        content: z.string(),
        titlePath: z.array(z.string()),
        page: z.int().nullable(),
        start: z.int().min(0),
      }),
    )
    .max(LIMITS.knowledge.chunks),
  pages: z.int().nullable(),
  notes: z.array(z.string().max(1_000)).max(100),
  mimeType: z.string().max(200).nullable(),
});
/** Some pages may have to be recognised first. */
const firstAnswer = z.union([
  z.object({
    scanned: z.union([z.literal("all"), z.array(z.int().min(1))]),
    mimeType: z.string().max(200).nullable(),
  }),
  answer,
]);
const recognisedAnswer = z.array(
  z.object({
    page: z.int(),
    text: z.string().max(LIMITS.knowledge.textCharacters),
    isRecognised: z.boolean(),
  }),
);

/**
 * Turns files into texts and their pieces. Small plain texts are read here; everything else in a process of its own,
 * which sees that one file and nothing else, so that a hostile file fails alone.
 */
export class DocumentReader {
  readonly #folder: string;
  readonly #log: SandboxLog;
  readonly #queue = new FairQueue({
    what: "documents",
    places: LIMITS.knowledge.readers,
    placesPerScope: LIMITS.knowledge.readersPerWorkspace,
    waiting: LIMITS.knowledge.waitingReaders,
    waitingPerScope: LIMITS.knowledge.waitingReaders,
    waitMs: LIMITS.knowledge.readMs,
  });
  readonly #accounts = Array.from({ length: LIMITS.knowledge.readers }, (_, number) => number);
  readonly #sandboxes = new Set<Sandbox>();

  private constructor(folder: string, log: SandboxLog) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Clears away what a killed process was in the middle of reading. */
  static async open(folder: string, log: SandboxLog): Promise<DocumentReader> {
    await mkdir(folder, { recursive: true });
    // The processes that read step through it to theirs, without being able to see what else is there.
    await chmod(folder, 0o711);
    await sweepLeftovers(folder);
    return new DocumentReader(folder, log);
  }

  async read(request: ReadRequest): Promise<ReadDocument> {
    const read = await this.#readText(request);
    if (read.text.trim() === "") throw new AppError("bad_request", "There is no text in it.");
    return read;
  }

  async #readText(request: ReadRequest): Promise<ReadDocument> {
    const { path, bytes, extension } = request;
    if (PLAIN.has(extension) && bytes <= LIMITS.knowledge.plainTextBytes) {
      const content = await readFile(path);
      if (isText(content) && !content.subarray(0, 5).equals(RTF))
        return split(structureText(decodeText(content), extension));
    }
    const leave = await this.#queue.enter(request.scope, request.signal);
    const number = this.#accounts.pop() ?? 0;
    try {
      return await this.#readApart(request, osUserOf("documentReader", number));
    } finally {
      this.#accounts.push(number);
      leave();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sandboxes].map((sandbox) => sandbox.close()));
  }

  async #readApart({ path, extension, signal }: ReadRequest, user: OsUser): Promise<ReadDocument> {
    const folder = ownedTempPath(this.#folder);
    await mkdir(folder, { mode: 0o700 });
    const sandbox = this.#sandbox("reader-worker", folder, user);
    const input = `../${basename(folder)}/input`;
    try {
      await copyFile(path, join(folder, "input"), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      await letIn(folder, user);
      const params = { path: input, extension };
      const first = firstAnswer.parse(await sandbox.call("read", params, { signal }));
      if (!("scanned" in first)) return documentOf(first);
      const pages = first.mimeType === "application/pdf" ? first.scanned : null;
      const recognised = await this.#recognise({ path: input, pages }, { folder, user, signal });
      const second = await sandbox.call("complete", { ...params, recognised }, { signal });
      return documentOf(answer.parse(second));
    } catch (error) {
      throw readError(error);
    } finally {
      await this.#end(sandbox);
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The texts of pages that are pictures, in another process of its own; null where that is not installed. */
  async #recognise(
    params: { path: string; pages: readonly number[] | "all" | null },
    { folder, user, signal }: { folder: string; user: OsUser; signal: AbortSignal },
  ): Promise<Recognised> {
    if (!canOcr()) return null;
    const sandbox = this.#sandbox("ocr-worker", folder, user);
    try {
      return recognisedAnswer.parse(await sandbox.call("recognise", params, { signal }));
    } catch (error) {
      // A picture that nobody can read must not cost the text around it.
      if (signal.aborted || !isAppError(error) || params.pages === "all") throw error;
      this.#log.warn({ err: error }, "no text was recognised in the pictures of a document");
      return [];
    } finally {
      await this.#end(sandbox);
    }
  }

  #sandbox(name: string, folder: string, user: OsUser): Sandbox {
    const sandbox = createSandbox({
      name: name.replace("worker", "process"),
      module: moduleOf(name),
      tempFolder: this.#folder,
      memoryMb: LIMITS.knowledge.readerMemoryMb,
      requestTimeoutMs: LIMITS.knowledge.readMs,
      allowRead: [folder],
      permissionModel: "addons",
      user,
      log: this.#log,
    });
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  async #end(sandbox: Sandbox): Promise<void> {
    this.#sandboxes.delete(sandbox);
    await sandbox.close();
  }
}

function documentOf({ mimeType, ...read }: z.output<typeof answer>): ReadDocument {
  return { ...read, ...(mimeType !== null && { mimeType }) };
}

const RTF = Buffer.from("{\\rtf");

/** As root, the reader is somebody else, who gets to this folder and this file and no further. */
async function letIn(folder: string, user: OsUser): Promise<void> {
  if (user === undefined) return;
  await chown(folder, 0, user.gid);
  await chmod(folder, 0o710);
  await chown(join(folder, "input"), 0, user.gid);
  await chmod(join(folder, "input"), 0o640);
}

/** A process that ran out of its memory, or died of the file, would do so again. */
function readError(error: unknown): unknown {
  if (!isAppError(error) || !["memory", "crash"].includes(String(error.data.reason))) return error;
  const { readerMemoryMb } = LIMITS.knowledge;
  return new AppError("too_large", `The file could not be read within ${readerMemoryMb} MB of memory.`, {
    cause: error,
  });
}
