import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { abortError } from "../../kernel/time.ts";
import { LIMITS } from "./limits.ts";
import { magicOf } from "./magic.ts";
import { headOf, type SourceFile, tooLarge } from "./source.ts";

/** A file that is not compressed. */
export interface PlainFile {
  path: string;
  /** False for a file of the operator's, which stays as it is. */
  isOurs: boolean;
  /** Its first bytes, which tell what it is. */
  head: Buffer;
  isUnpacked: boolean;
}

/** Compressed files are unpacked once. */
export async function unpack(
  source: SourceFile,
  folder: string,
  options: Pick<GunzipOptions, "signal" | "onProgress">,
): Promise<PlainFile> {
  const head = await headOf(source.path);
  if (magicOf(head) !== "gzip") return { ...source, head, isUnpacked: false };
  const path = join(folder, "unpacked");
  await gunzip(source.path, path, {
    ...options,
    bytes: source.bytes,
    maxBytes: LIMITS.files.sourceBytes,
  });
  if (source.isOurs) await rm(source.path);
  return { path, isOurs: true, head: await headOf(path), isUnpacked: true };
}

interface GunzipOptions {
  /** Of the compressed file. */
  bytes: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((fraction: number) => void) | undefined;
}

/** Each step costs the same for a large piece as for a small one. */
const CHUNK_BYTES = 256 * 1024;

/** Unpacks a file, and stops as soon as it grows beyond measure. Answers with its size. */
export async function gunzip(from: string, to: string, options: GunzipOptions): Promise<number> {
  const { bytes, maxBytes, signal, onProgress } = options;
  const source = createReadStream(from, { highWaterMark: CHUNK_BYTES });
  let unpacked = 0;
  const guard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      onProgress?.(Math.min(1, source.bytesRead / bytes));
      done(growthError(unpacked, bytes, maxBytes), chunk);
    },
  });
  try {
    const target = createWriteStream(to, { flags: "wx", mode: 0o600, highWaterMark: 4 * CHUNK_BYTES });
    await pipeline(
      source,
      createGunzip({ chunkSize: CHUNK_BYTES }),
      guard,
      target,
      signal === undefined ? {} : { signal },
    );
    return unpacked;
  } catch (error) {
    if (signal?.aborted) throw abortError(signal, "The import");
    if (isAppError(error) || !/^Z_/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    throw new AppError("bad_request", "The gzip file is damaged or cut off.", { cause: error });
  }
}

function growthError(unpacked: number, packed: number, maxBytes: number): AppError | null {
  if (unpacked > maxBytes) return tooLarge(maxBytes);
  const { compressionFreeBytes, compressionRatio } = LIMITS.files;
  if (unpacked <= compressionFreeBytes || unpacked <= packed * compressionRatio) return null;
  return new AppError("too_large", `The gzip file grows to more than ${compressionRatio} times its size.`, {
    hint: "Unpack it, and check what it is.",
  });
}
