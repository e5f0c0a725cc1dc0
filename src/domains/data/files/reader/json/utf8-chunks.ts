import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { AppError } from "../../../../../kernel/errors.ts";
import { excerptOf, fileChunks } from "../../../../../platform/files/index.ts";
import { markedEncoding } from "../../detect-format.ts";

const CHUNK_BYTES = 1024 * 1024;

/** The bytes of a text file as UTF-8 without a byte order mark; with a range, only those. */
export async function* utf8Chunks(
  file: FileHandle,
  encoding: string | undefined,
  range: { start: number; end: number } = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<{ chunk: Buffer; fraction: number }> {
  const { size } = await file.stat();
  let read = 0;
  let written = 0;
  for await (const { bytes, rawBytes } of recoded(file, encoding)) {
    read += rawBytes;
    const from = Math.max(0, range.start - written);
    const until = Math.min(bytes.length, range.end - written);
    written += bytes.length;
    if (from < until) yield { chunk: bytes.subarray(from, until), fraction: Math.min(1, read / size) };
    if (written >= range.end) return;
  }
}

async function* recoded(
  file: FileHandle,
  wanted: string | undefined,
): AsyncGenerator<{ bytes: Buffer; rawBytes: number }> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of fileChunks(file, { chunkBytes: CHUNK_BYTES })) {
    if (isFirst) decoder = decoderFor(wanted ?? markedEncoding(chunk) ?? "utf-8");
    const hasMark = isFirst && markedEncoding(chunk) === "utf-8";
    isFirst = false;
    if (decoder !== undefined)
      yield { bytes: Buffer.from(decoder.decode(chunk, { stream: true })), rawBytes: chunk.length };
    else yield { bytes: hasMark ? chunk.subarray(3) : chunk, rawBytes: chunk.length };
  }
  if (decoder !== undefined) yield { bytes: Buffer.from(decoder.decode()), rawBytes: 0 };
}

/** Undefined for UTF-8, which is left as it is. */
function decoderFor(label: string): TextDecoder | undefined {
  try {
    const decoder = new TextDecoder(label);
    return decoder.encoding === "utf-8" ? undefined : decoder;
  } catch {
    throw new AppError("unsupported", `The encoding "${excerptOf(label)}" is not known.`, {
      hint: "Save the file as UTF-8.",
    });
  }
}
