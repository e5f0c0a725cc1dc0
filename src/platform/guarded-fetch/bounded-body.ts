import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { AppError } from "../../kernel/errors.ts";
import { BrokenOffError } from "./fetch-errors.ts";

export const ACCEPTED_ENCODINGS = "gzip, br, zstd";

/** Of what a decompressor gives out at a time. */
const CHUNK_BYTES = 64 * 1024;

const DECOMPRESSORS = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;

/** Pieces of the wire have up to 64 kB: with room for a few, the connection is not stopped and started for each. */
export const BUFFER_BYTES = 256 * 1024;

/**
 * The body in the clear. Both what comes over the wire and what comes out of the decompressor are counted:
 * a bomb is stopped at `maxBytes`, and so is an endless stream that decompresses to nothing.
 */
export function boundedBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
  explain: (error: unknown) => Error,
): Readable {
  const name = (encoding ?? "identity").trim().toLowerCase();
  if (name === "identity" || name === "") return new BoundedStream(body, maxBytes, explain);
  if (!Object.hasOwn(DECOMPRESSORS, name)) {
    body.on("error", () => undefined).destroy();
    throw new AppError("unsupported", `The answer is compressed in an unknown way (${name.slice(0, 40)}).`);
  }
  const decompressor = DECOMPRESSORS[name as keyof typeof DECOMPRESSORS]({ chunkSize: CHUNK_BYTES });
  // The callback only keeps the error from being thrown a second time: the reader of the last stream gets it.
  pipeline(new BoundedStream(body, maxBytes, explain), decompressor, () => undefined);
  return new BoundedStream(decompressor, maxBytes, explain);
}

/**
 * Passes pieces on as they are, up to a limit. A class and not a generator: those cost several turns of the event
 * loop and a copy for each piece, which was most of the time that a large download took.
 */
class BoundedStream extends Readable {
  readonly #source: Readable;

  constructor(source: Readable, maxBytes: number, explain: (error: unknown) => Error) {
    super({ highWaterMark: BUFFER_BYTES });
    this.#source = source;
    let bytes = 0;
    // Nothing flows before somebody reads.
    source.pause();
    source.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) this.destroy(tooLarge(maxBytes));
      else if (!this.push(chunk)) source.pause();
    });
    source.once("end", () => this.push(null));
    source.on("error", (error) => this.destroy(explain(error)));
    source.once("close", () => {
      if (!source.readableEnded) this.destroy(explain(new BrokenOffError()));
    });
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#source.destroy();
    done(error);
  }
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The answer is larger than ${maxBytes.toLocaleString("en")} bytes.`);
}
