import type { FileHandle } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import {
  type Entry,
  fromRandomAccessReaderPromise,
  type ZipFile as OpenZip,
  RandomAccessReader,
} from "yauzl";
import { type AppError, isAppError } from "../../kernel/errors.ts";
import { megabytes } from "./excerpts.ts";
import { LIMITS } from "./limits.ts";

/** A file inside a zip file. Its name is a label: nothing is ever written where it says. */
export interface ZipEntry {
  name: string;
  bytes: number;
  inside: Entry;
}

/** What is said of a file of this sort. */
export interface ZipErrors {
  damaged(cause?: unknown): AppError;
  /** `what` goes on after the name of the file: `unpacks to more than it says`. */
  tooLarge(what: string): AppError;
  /** It has a password. */
  locked(): AppError;
}

const DEFLATE = 8;

/**
 * The files inside a zip file, by its central directory. Nothing is unpacked before their declared sizes have
 * been looked at, and what unpacks to more than it declared is refused then.
 */
export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly #file: FileHandle;
  readonly #zip: OpenZip;
  readonly #errors: ZipErrors;

  private constructor(file: FileHandle, zip: OpenZip, entries: readonly ZipEntry[], errors: ZipErrors) {
    this.#file = file;
    this.#zip = zip;
    this.#errors = errors;
    this.entries = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  }

  static async open(file: FileHandle, errors: ZipErrors): Promise<ZipFile> {
    const { size } = await file.stat();
    // Names are left as they are: a bad one among those that nobody asks for does no harm.
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false } as const;
    const end = await endOf(file, size);
    const zip = await fromRandomAccessReaderPromise(new HandleReader(file), end, options).catch(
      (error: unknown) => {
        throw asDamage(error, errors);
      },
    );
    const most = LIMITS.files.zipEntries;
    if (zip.entryCount > most) throw errors.tooLarge(`holds more than ${most.toLocaleString("en")} files`);
    const entries: ZipEntry[] = [];
    try {
      for await (const inside of zip.eachEntry()) {
        const name = inside.fileNameRaw.toString("utf8").replaceAll("\\", "/");
        entries.push({ name, bytes: inside.uncompressedSize, inside });
      }
    } catch (error) {
      throw asDamage(error, errors);
    }
    refuseBomb(entries, size, errors);
    return new ZipFile(file, zip, entries, errors);
  }

  /** Names are found whatever their case, as Office programs do. */
  find(name: string): ZipEntry | undefined {
    return this.entries.get(name.toLowerCase());
  }

  async *read({ bytes: said, inside }: ZipEntry): AsyncGenerator<Buffer> {
    if (inside.isEncrypted()) throw this.#errors.locked();
    let bytes = 0;
    let crc = 0;
    for await (const chunk of this.#unpacked(inside)) {
      bytes += chunk.length;
      if (bytes > said) throw this.#errors.tooLarge("unpacks to more than it says");
      crc = crc32(chunk, crc);
      yield chunk;
    }
    if (bytes !== said || crc !== inside.crc32) throw this.#errors.damaged();
  }

  async *#unpacked(inside: Entry): AsyncGenerator<Buffer> {
    const { compressionMethod, compressedSize } = inside;
    try {
      const { fileDataStart: start } = await this.#zip.readLocalFileHeaderPromise(inside, { minimal: true });
      const packed = fileChunks(this.#file, { start, end: start + compressedSize });
      if (compressionMethod === 0) yield* packed;
      else if (compressionMethod === DEFLATE) yield* inflated(packed);
      else throw this.#errors.damaged();
    } catch (error) {
      throw asDamage(error, this.#errors);
    }
  }
}

/** The bytes of a file that somebody else has open. */
class HandleReader extends RandomAccessReader {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytes?: number) => void,
  ): void {
    this.#file.read(buffer, offset, length, position).then(
      ({ bytesRead }) => done(null, bytesRead),
      (error: Error) => done(error),
    );
  }
}

const END_MARK = Buffer.from("PK\x05\x06", "latin1");
const END_BYTES = 22;
const COMMENT_BYTES = 0xffff;

/** Where an archive ends: some programs and mail servers leave bytes behind it. */
async function endOf(file: FileHandle, size: number): Promise<number> {
  const tail = Buffer.alloc(Math.min(size, END_BYTES + COMMENT_BYTES));
  await file.read(tail, 0, tail.length, size - tail.length);
  const mark = tail.lastIndexOf(END_MARK);
  if (mark === -1 || mark + END_BYTES > tail.length) return size;
  const end = size - tail.length + mark + END_BYTES + tail.readUInt16LE(mark + END_BYTES - 2);
  return Math.min(end, size);
}

function inflated(packed: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 });
  // The callback only keeps the error from being thrown a second time: the reader of the last stream gets it.
  pipeline(Readable.from(packed), inflate, () => undefined);
  return inflate;
}

function refuseBomb(entries: readonly ZipEntry[], size: number, errors: ZipErrors): void {
  const { unpackedBytes, compressionFreeBytes, compressionRatio } = LIMITS.files;
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > unpackedBytes) throw errors.tooLarge(`unpacks to more than ${megabytes(unpackedBytes)}`);
  if (total > compressionFreeBytes && total > size * compressionRatio) {
    throw errors.tooLarge(`unpacks to more than ${compressionRatio} times its size`);
  }
}

/** Whatever is wrong with the bytes; what the operating system says (EIO) is not the file's fault. */
function asDamage(error: unknown, errors: ZipErrors): unknown {
  const isOurs = isAppError(error) || /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? "");
  return isOurs ? error : errors.damaged(error);
}

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
