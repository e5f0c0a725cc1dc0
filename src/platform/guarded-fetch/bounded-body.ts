import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { AppError } from "../../kernel/errors.ts";

export const ACCEPTED_ENCODINGS = "gzip, br, zstd";

const DECOMPRESSORS = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;

/**
 * The body in the clear. Both what comes over the wire and what comes out of the decompressor are counted:
 * a bomb is stopped at `maxBytes`, and so is an endless stream that decompresses to nothing.
 */
export function boundedBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
): AsyncIterable<Buffer> {
  const name = (encoding ?? "identity").trim().toLowerCase();
  if (name === "identity" || name === "") return counted(body, maxBytes);
  if (!Object.hasOwn(DECOMPRESSORS, name)) {
    body.on("error", () => undefined).destroy();
    throw new AppError("unsupported", `The answer is compressed in an unknown way (${name.slice(0, 40)}).`);
  }
  const decompressor = DECOMPRESSORS[name as keyof typeof DECOMPRESSORS]();
  // The callback only keeps the error from being thrown a second time: the reader of the last stream gets it.
  pipeline(Readable.from(counted(body, maxBytes)), decompressor, () => undefined);
  return counted(decompressor, maxBytes);
}

async function* counted(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The answer is larger than ${maxBytes.toLocaleString("en")} bytes.`);
}
