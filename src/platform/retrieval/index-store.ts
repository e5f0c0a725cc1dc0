import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { ANALYSIS } from "./lexical/analysis.ts";
import { LexicalIndex, type LexicalParts } from "./lexical/lexical-index.ts";
import type { SlotColumns } from "./lexical/slots.ts";
import { RECIPES } from "./recipes.ts";
import type { Kind } from "./types.ts";
import type { Which } from "./wire.ts";

interface Facts {
  analysis: number;
  fingerprint: string;
  speakerNames: string[];
  terms: string[];
  languageNames: string[];
  threadKeys: string[];
}

/** The indexes on disk, which only spare the time to build them again. */
export class IndexStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    removeHalves(folder);
  }

  /** The index as it was sealed, or an empty one where there is none that is whole, of this version and this model. */
  load({ kind, workspaceId, fingerprint }: Which): LexicalIndex {
    const segment = readSegment(this.#pathOf(kind, workspaceId));
    return new LexicalIndex(RECIPES[kind], fingerprint, segment && toParts(segment, fingerprint));
  }

  empty({ kind, fingerprint }: Which): LexicalIndex {
    return new LexicalIndex(RECIPES[kind], fingerprint);
  }

  /** As it is now, whatever changes while it is written. */
  async save({ kind, workspaceId, fingerprint }: Which, index: LexicalIndex): Promise<void> {
    const { terms, postings, slots, vectors } = index.parts();
    const { columns, languageNames, threadKeys, speakerNames } = slots;
    // Names only come to these lists, so that none that is needed is missing.
    const facts = { analysis: ANALYSIS, fingerprint, terms, languageNames, threadKeys, speakerNames };
    const views: Record<string, AnyArray> = { ...postings, ...columns };
    const arrays = Object.fromEntries(Object.entries(views).map(([name, array]) => [name, array.slice()]));
    await writeSegment(this.#pathOf(kind, workspaceId), {
      facts,
      arrays: { ...arrays, vectors: vectors.bytes },
    });
  }

  #pathOf(kind: Kind, workspaceId: number): string {
    return join(this.#folder, `${kind}-${workspaceId}.index`);
  }
}

/** How long writing a segment may take at most; what is older was left behind by a process that was killed. */
const HALF_MS = 10 * 60_000;

function removeHalves(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (name.endsWith(".half") && modifiedMs < Date.now() - HALF_MS) rmSync(path, { force: true });
  }
}

function toParts(segment: Segment, fingerprint: string): LexicalParts | undefined {
  const { analysis, fingerprint: kept, terms, ...names } = segment.facts as Facts;
  if (analysis !== ANALYSIS || kept !== fingerprint) return undefined;
  const { heads, tails, blocks, counts, words, vectors, ...columns } = segment.arrays as Record<
    string,
    AnyArray
  >;
  return {
    terms,
    postings: { heads, tails, blocks, counts, words } as LexicalParts["postings"],
    slots: { columns: columns as unknown as SlotColumns, ...names },
    vectors: { slots: columns.ids!.length, bytes: vectors as Int8Array },
  };
}

/** Another one when anything in the file means something else than before. */
const MAGIC = "KENNIX01";
/** Magic, length of the description, checksum of all that follows. */
const HEAD_BYTES = 16;
const PIECE_BYTES = 64 * 1024 * 1024;
/** A multiple of eight; searches wait for one of them at most. */
const WRITTEN_BYTES = 4 * 1024 * 1024;

const TYPES = { Uint8Array, Int8Array, Uint32Array, Int32Array, Float32Array, Float64Array } as const;
type AnyArray = Uint8Array | Int8Array | Uint32Array | Int32Array | Float32Array | Float64Array;

interface Description {
  facts: unknown;
  arrays: { name: string; type: keyof typeof TYPES; length: number }[];
}

interface Segment {
  facts: unknown;
  arrays: Record<string, AnyArray>;
}

/** Puts arrays and facts about them on the disk, whole or not at all; in pieces, between which others have their turn. */
async function writeSegment(path: string, { facts, arrays }: Segment): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const half = `${path}.${process.pid}.half`;
  const file = await open(half, "w", 0o600);
  try {
    const description: Description = {
      facts,
      arrays: Object.entries(arrays).map(([name, array]) => {
        return { name, type: array.constructor.name as keyof typeof TYPES, length: array.length };
      }),
    };
    const text = padded(Buffer.from(JSON.stringify(description)), " ");
    let sum = 0;
    let at = HEAD_BYTES;
    for (const array of [text, ...Object.values(arrays)]) {
      const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
      for (let from = 0; from < bytes.length; from += WRITTEN_BYTES) {
        const piece = padded(bytes.subarray(from, from + WRITTEN_BYTES), "\0");
        sum = crc32(piece, sum);
        await writeAll(file, piece, at);
        at += piece.length;
      }
    }
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(MAGIC, "latin1");
    head.writeUInt32LE(text.length, 8);
    head.writeUInt32LE(sum, 12);
    await writeAll(file, head, 0);
    await file.sync();
  } catch (error) {
    await file.close();
    await rm(half, { force: true });
    throw error;
  }
  await file.close();
  await rename(half, path);
  if (process.platform === "win32") return;
  const folder = await open(dirname(path), "r");
  await folder.sync();
  await folder.close();
}

/** What was written there, or nothing where there is none or it is not whole. */
function readSegment(path: string): Segment | undefined {
  const bytes = readWhole(path);
  if (bytes === undefined || bytes.length < HEAD_BYTES) return undefined;
  const head = Buffer.from(bytes.buffer, 0, HEAD_BYTES);
  const textEnd = HEAD_BYTES + head.readUInt32LE(8);
  if (head.toString("latin1", 0, 8) !== MAGIC || crc32(bytes.subarray(HEAD_BYTES)) !== head.readUInt32LE(12))
    return undefined;
  const text = Buffer.from(bytes.buffer, HEAD_BYTES, textEnd - HEAD_BYTES).toString("utf8");
  const { facts, arrays } = JSON.parse(text) as Description;
  let at = textEnd;
  const views = arrays.map(({ name, type, length }) => {
    const view = new TYPES[type](bytes.buffer, at, length);
    at += roundUp(view.byteLength);
    return [name, view];
  });
  return { facts, arrays: Object.fromEntries(views) };
}

function readWhole(path: string): Uint8Array<ArrayBuffer> | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    const bytes = new Uint8Array(fstatSync(file).size);
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(file, bytes, at, Math.min(PIECE_BYTES, bytes.length - at), at);
      if (read === 0) return undefined;
      at += read;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
}

/** Numbers of eight bytes can be read in place only where a multiple of eight bytes comes before. */
function padded(bytes: Buffer, filling: string): Buffer {
  const rest = roundUp(bytes.length) - bytes.length;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(rest, filling)]);
}

function roundUp(length: number): number {
  return Math.ceil(length / 8) * 8;
}
