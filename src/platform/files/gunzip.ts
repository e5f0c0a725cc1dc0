import { createReadStream, createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { abortError } from "../../kernel/time.ts";
import { LIMITS } from "./limits.ts";
import { tooLarge } from "./source.ts";

export interface GunzipOptions {
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
