import type { FileHandle } from "node:fs/promises";

/** The bytes of a file, or of a part of it. Unlike a stream, it leaves the file open for whoever reads it again. */
export async function* fileChunks(
  file: FileHandle,
  { start = 0, end = Number.POSITIVE_INFINITY, chunkBytes = 256 * 1024 } = {},
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(chunkBytes, end - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
