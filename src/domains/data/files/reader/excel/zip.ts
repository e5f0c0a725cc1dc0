import type { FileHandle } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { AppError } from "../../../../../kernel/errors.ts";
import { LIMITS } from "../../../../../platform/files/limits.ts";
import { megabytes } from "../../excerpts.ts";
import { fileChunks } from "../file-chunks.ts";

export interface ZipEntry {
  name: string;
  packedBytes: number;
  bytes: number;
  method: number;
  crc: number;
  /** Of its local header. */
  offset: number;
  isEncrypted: boolean;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const LONGEST_COMMENT = 65_535;
const DEFLATE = 8;

/**
 * The files inside a zip file, by its central directory. Nothing is unpacked before their declared sizes have
 * been looked at, and what unpacks to more than it declared is refused then.
 */
export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly #file: FileHandle;

  private constructor(file: FileHandle, entries: ReadonlyMap<string, ZipEntry>) {
    this.#file = file;
    this.entries = entries;
  }

  static async open(file: FileHandle): Promise<ZipFile> {
    const { size } = await file.stat();
    const { at, length, count } = await findDirectory(file, size);
    if (count > LIMITS.files.zipEntries) {
      throw tooLarge(`holds more than ${LIMITS.files.zipEntries.toLocaleString("en")} files`);
    }
    if (length < count * CENTRAL_BYTES || length > count * (CENTRAL_BYTES + 3 * 0xffff) || at + length > size)
      throw damaged();
    const entries = parseDirectory(await readAt(file, at, length), count);
    refuseBomb(entries, size);
    return new ZipFile(file, new Map(entries.map((entry) => [entry.name.toLowerCase(), entry])));
  }

  /** Names are found whatever their case, as Excel does. */
  find(name: string): ZipEntry | undefined {
    return this.entries.get(name.toLowerCase());
  }

  async *read(entry: ZipEntry): AsyncGenerator<Buffer> {
    if (entry.isEncrypted)
      throw new AppError("unsupported", "The Excel file has a password.", { hint: "Save it without one." });
    const start = await dataStart(this.#file, entry);
    let bytes = 0;
    let crc = 0;
    try {
      for await (const chunk of this.#unpacked(entry, start)) {
        bytes += chunk.length;
        if (bytes > entry.bytes) throw tooLarge("unpacks to more than it says");
        crc = crc32(chunk, crc);
        yield chunk;
      }
    } catch (error) {
      throw /^(?:Z_|ERR_)/.test((error as NodeJS.ErrnoException).code ?? "") ? damaged(error) : error;
    }
    if (bytes !== entry.bytes || crc !== entry.crc) throw damaged();
  }

  #unpacked(entry: ZipEntry, start: number): AsyncIterable<Buffer> {
    const packed = fileChunks(this.#file, { start, end: start + entry.packedBytes });
    if (entry.method === 0) return packed;
    if (entry.method !== DEFLATE) throw damaged();
    const inflate = createInflateRaw({ chunkSize: 256 * 1024 });
    // The callback only keeps the error from being thrown a second time: the reader of the last stream gets it.
    pipeline(Readable.from(packed), inflate, () => undefined);
    return inflate;
  }
}

interface Directory {
  at: number;
  length: number;
  count: number;
}

async function findDirectory(file: FileHandle, size: number): Promise<Directory> {
  const tailBytes = Math.min(size, END_BYTES + LONGEST_COMMENT);
  const tail = await readAt(file, size - tailBytes, tailBytes);
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END) continue;
    const end = size - tailBytes + at;
    const isLarge = tail.readUInt16LE(at + 10) === 0xffff || tail.readUInt32LE(at + 16) === 0xffffffff;
    if (isLarge) return findLargeDirectory(file, end);
    return {
      at: tail.readUInt32LE(at + 16),
      length: tail.readUInt32LE(at + 12),
      count: tail.readUInt16LE(at + 10),
    };
  }
  throw damaged();
}

/** Zip64, which some programs write even for small files. */
async function findLargeDirectory(file: FileHandle, end: number): Promise<Directory> {
  const locator = end >= 20 ? await readAt(file, end - 20, 20) : undefined;
  if (locator?.readUInt32LE(0) !== END_64_LOCATOR) throw damaged();
  const record = await readAt(file, numberAt(locator, 8), 56);
  if (record.readUInt32LE(0) !== END_64) throw damaged();
  return { at: numberAt(record, 48), length: numberAt(record, 40), count: numberAt(record, 32) };
}

function parseDirectory(directory: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL) throw damaged();
    const nameEnd = at + CENTRAL_BYTES + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    const next = extraEnd + directory.readUInt16LE(at + 32);
    if (next > directory.length) throw damaged();
    const sizes = {
      bytes: directory.readUInt32LE(at + 24),
      packedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    };
    entries.push({
      name: directory.toString("utf8", at + CENTRAL_BYTES, nameEnd).replaceAll("\\", "/"),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      ...largeSizes(sizes, directory.subarray(nameEnd, extraEnd)),
    });
    at = next;
  }
  return entries;
}

/** What does not fit into 32 bits stands in an extra field, in this order, and only that. */
function largeSizes<T extends Record<string, number>>(sizes: T, extra: Buffer): T {
  const missing = Object.keys(sizes).filter((name) => sizes[name] === 0xffffffff);
  if (missing.length === 0) return sizes;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    if (at + 4 + missing.length * 8 > extra.length) throw damaged();
    const found = missing.map((name, index) => [name, numberAt(extra, at + 4 + index * 8)]);
    return { ...sizes, ...Object.fromEntries(found) };
  }
  throw damaged();
}

function refuseBomb(entries: readonly ZipEntry[], size: number): void {
  const { unpackedBytes, compressionFreeBytes, compressionRatio } = LIMITS.files;
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > unpackedBytes) throw tooLarge(`unpacks to more than ${megabytes(unpackedBytes)}`);
  if (total > compressionFreeBytes && total > size * compressionRatio) {
    throw tooLarge(`unpacks to more than ${compressionRatio} times its size`);
  }
}

async function dataStart(file: FileHandle, { offset }: ZipEntry): Promise<number> {
  const header = await readAt(file, offset, LOCAL_BYTES);
  if (header.readUInt32LE(0) !== LOCAL) throw damaged();
  return offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw damaged();
  return buffer;
}

function numberAt(buffer: Buffer, at: number): number {
  const value = buffer.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged();
  return Number(value);
}

export function damaged(cause?: unknown): AppError {
  return new AppError("bad_request", "The Excel file is damaged or cut off.", {
    hint: "Open it in a spreadsheet program, save it again, and send it whole.",
    cause,
  });
}

function tooLarge(what: string): AppError {
  return new AppError("too_large", `The Excel file ${what}.`, {
    hint: "Save only the sheet that is needed, or as CSV.",
  });
}
