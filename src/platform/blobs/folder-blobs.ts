import { createHash, randomBytes } from "node:crypto";
import { type Dirent, existsSync } from "node:fs";
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { AppError } from "../../kernel/errors.ts";
import { abortError } from "../../kernel/time.ts";
import { abandonedNames, ownedName, ownedTempPath, sweepLeftovers } from "../temp/index.ts";
import { type FileAccess, makeFolder, makeFolders, sealFile, syncFolder } from "./durable-files.ts";
import { LIMITS } from "./limits.ts";

const TEMP = ".tmp";
const ABSENT = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

interface FolderBlobsOptions {
  folder: string;
  /** A group that may read the files by their paths (the one of a sandbox); otherwise only the owner can. */
  readerGid?: number;
}

export interface FolderBlobStore extends BlobStore {
  /** Where a blob lies, for engines that read local files. They must not write there. */
  pathOf(key: string): string;
  /** A new name, for the last part of a key, that tells which process is about to put it. */
  ownName(): string;
  /** Tells of such names whether that process has ended. */
  abandonedNames(): (name: string) => boolean;
}

/** Blobs as files. Opening clears away what a killed process was in the middle of writing. */
export async function openFolderBlobs({ folder, readerGid }: FolderBlobsOptions): Promise<FolderBlobStore> {
  await mkdir(dirname(folder), { recursive: true });
  await makeFolder(folder, { readerGid });
  await ensureStoreId(folder);
  await makeFolder(join(folder, TEMP), { readerGid: undefined });
  await sweepLeftovers(join(folder, TEMP));
  return new FolderBlobs(folder, { readerGid });
}

class FolderBlobs implements FolderBlobStore {
  readonly #folder: string;
  readonly #access: FileAccess;

  constructor(folder: string, access: FileAccess) {
    this.#folder = folder;
    this.#access = access;
  }

  async put(key: string, content: BlobContent, options: PutOptions = {}): Promise<StoredBlob> {
    const segments = keySegments(key);
    const temp = ownedTempPath(this.#tempFolder());
    try {
      const { bytes, sha256 } = await writeDurably(temp, content, options, this.#access);
      await this.#publish(temp, segments);
      return { key, bytes, sha256 };
    } catch (error) {
      await rm(temp, { force: true });
      throw error;
    }
  }

  async get(key: string, { range }: GetOptions = {}): Promise<Readable> {
    const handle = await open(this.pathOf(key), "r").catch(orNotFound);
    try {
      const info = await handle.stat();
      if (!info.isFile()) throw notFound();
      const { start = 0, end = info.size - 1 } = range ?? {};
      const isInside =
        Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end >= start && start < info.size;
      if (range !== undefined && !isInside)
        throw new AppError("bad_request", `The range does not lie within ${info.size} bytes.`);
      return handle.createReadStream(range === undefined ? {} : { start, end });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async stat(key: string): Promise<BlobInfo | undefined> {
    const info = await stat(this.pathOf(key)).catch(orUndefined);
    return info?.isFile() ? { key, bytes: info.size, modifiedAt: info.mtime } : undefined;
  }

  async delete(key: string): Promise<boolean> {
    const path = this.pathOf(key);
    const info = await stat(path).catch(orUndefined);
    if (!info?.isFile()) return false;
    try {
      await unlink(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
    await syncFolder(dirname(path)).catch(orUndefined);
    await this.#removeEmptyFolders(keySegments(key).slice(0, -1));
    return true;
  }

  async *list(prefix: string): AsyncGenerator<BlobInfo> {
    const segments = prefixSegments(prefix);
    const entries = await readdir(join(this.#folder, ...segments), { withFileTypes: true }).catch(
      orUndefined,
    );
    for (const entry of entries ?? []) yield* this.#listed(prefix, entry);
  }

  pathOf(key: string): string {
    return join(this.#folder, ...keySegments(key));
  }

  ownName(): string {
    return ownedName(this.#tempFolder());
  }

  abandonedNames(): (name: string) => boolean {
    return abandonedNames(join(this.#folder, TEMP));
  }

  /** On a volume that came loose, what is written now would be out of sight when it comes back. */
  #tempFolder(): string {
    if (!existsSync(storeIdFile(this.#folder))) throw storageGone(this.#folder);
    return join(this.#folder, TEMP);
  }

  async *#listed(prefix: string, entry: Dirent): AsyncGenerator<BlobInfo> {
    const key = `${prefix}${entry.name}`;
    if (!isBlobKey(key)) return;
    if (entry.isDirectory()) {
      yield* this.list(`${key}/`);
    } else {
      const info = await this.stat(key);
      if (info !== undefined) yield info;
    }
  }

  /** The folder is most often there. Another call may also remove it as soon as it is empty, so it is made again. */
  async #publish(temp: string, segments: readonly string[]): Promise<void> {
    const path = join(this.#folder, ...segments);
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > 1) await makeFolders(this.#folder, segments.slice(0, -1), this.#access);
        await rename(temp, path);
        await syncFolder(dirname(path));
        return;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? "";
        if (["ENOTDIR", "EISDIR", "EEXIST", "ENOTEMPTY"].includes(code)) throw belowAnother(error);
        if (code !== "ENOENT" || attempt === 6) throw error;
      }
    }
  }

  async #removeEmptyFolders(segments: readonly string[]): Promise<void> {
    for (let length = segments.length; length > 0; length -= 1) {
      try {
        await rmdir(join(this.#folder, ...segments.slice(0, length)));
      } catch {
        return; // It is in use, which is what this asks.
      }
    }
  }
}

async function writeDurably(
  path: string,
  content: BlobContent,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: PutOptions,
  access: FileAccess,
): Promise<{ bytes: number; sha256: string }> {
  const handle = await open(path, "wx", 0o600);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      if (signal?.aborted) throw abortError(signal, "Storing");
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new AppError("too_large", `The content is larger than ${maxBytes} bytes.`);
      hash.update(chunk);
      await handle.appendFile(chunk);
    }
    await sealFile(handle, access);
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

function belowAnother(cause: unknown): AppError {
  return new AppError("conflict", "A blob cannot lie below another blob.", { cause });
}

function storageGone(folder: string): AppError {
  return new AppError(
    "unavailable",
    "The server's storage for files is not there, so nothing can be stored.",
    {
      hint: "Whoever runs the server finds the folder that is missing by: kenning doctor",
      cause: new Error(`${storeIdFile(folder)} is missing`),
    },
  );
}

function notFound(cause?: unknown): AppError {
  return new AppError("not_found", "This blob does not exist.", { cause });
}

function orNotFound(error: NodeJS.ErrnoException): never {
  throw ABSENT.has(error.code ?? "") ? notFound(error) : error;
}

function orUndefined(error: NodeJS.ErrnoException): undefined {
  if (!ABSENT.has(error.code ?? "")) throw error;
}

/** Begins with no dot: ".." is impossible and ".tmp" is ours. Ends with none: Windows would drop it. */
const SEGMENT = /^[A-Za-z0-9_](?:[A-Za-z0-9._=-]*[A-Za-z0-9_=-])?$/;

function isBlobKey(key: string): boolean {
  const segments = key.split("/");
  const { keyCharacters, segmentCharacters } = LIMITS.blobs;
  return (
    key.length <= keyCharacters &&
    segments.length <= LIMITS.blobs.segments &&
    segments.every((segment) => segment.length <= segmentCharacters && SEGMENT.test(segment))
  );
}

/** The parts of a key. Keys come from our own code, so a bad one is a bug and not an expected failure. */
function keySegments(key: string): string[] {
  if (!isBlobKey(key)) throw new TypeError(`not a key of a blob: ${JSON.stringify(key.slice(0, 80))}`);
  return key.split("/");
}

function prefixSegments(prefix: string): string[] {
  if (prefix === "") return [];
  if (!prefix.endsWith("/"))
    throw new TypeError(`not a prefix of blobs: ${JSON.stringify(prefix.slice(0, 80))}`);
  return keySegments(prefix.slice(0, -1));
}

/**
 * Bytes under a key. A key is made of parts joined by "/" (`parts/12/3f2a.parquet`); no blob's key may be the
 * beginning of another one's parts (`a` beside `a/b`). What a blob is and who may see it stands in the catalog.
 */
export interface BlobStore {
  /** Once it has answered, the blob is there to stay; before that, nothing of it can be seen. Replaces an older one. */
  put(key: string, content: BlobContent, options?: PutOptions): Promise<StoredBlob>;
  /** Fails with `not_found`. A range that begins behind the end is a `bad_request`. */
  get(key: string, options?: GetOptions): Promise<Readable>;
  stat(key: string): Promise<BlobInfo | undefined>;
  /** True when there was one. */
  delete(key: string): Promise<boolean>;
  /** All blobs below a prefix that ends with "/" (or all: ""), in no particular order. */
  list(prefix: string): AsyncIterable<BlobInfo>;
}

export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>;

interface PutOptions {
  maxBytes?: number;
  signal?: AbortSignal;
}

interface GetOptions {
  /** Both ends count, as in HTTP; without `end` up to the last byte. */
  range?: { start: number; end?: number };
}

interface StoredBlob {
  key: string;
  bytes: number;
  sha256: string;
}

export interface BlobInfo {
  key: string;
  bytes: number;
  modifiedAt: Date;
}

/** Begins with a dot, so it is no blob. */
const FILE = ".store-id";

export function storeIdFile(folder: string): string {
  return join(folder, FILE);
}

/** Identity of the storage; undefined where there is none, or none that was ever opened. */
export async function readStoreId(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(storeIdFile(folder), "utf8")).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** For a storage that changes hands: whoever knew it by its id does not know it any more. */
export async function replaceStoreId(folder: string): Promise<string> {
  await rm(storeIdFile(folder), { force: true });
  return ensureStoreId(folder);
}

/** Gives the storage an id unless it has one. Servers that do so at once agree, because only one can link the file. */
export async function ensureStoreId(
  folder: string,
  wanted = randomBytes(12).toString("hex"),
): Promise<string> {
  const known = await readStoreId(folder);
  if (known !== undefined) return known;
  await makeFolder(folder, { readerGid: undefined });
  const draft = `${storeIdFile(folder)}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `${wanted}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, storeIdFile(folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  return (await readStoreId(folder)) ?? wanted;
}
