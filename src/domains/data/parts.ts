import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { and, asc, desc, eq, gt, inArray, isNull, max } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import type { Part } from "../../platform/analytics/index.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import { datasetParts, datasets } from "./data.tables.ts";
import type { DatasetPart } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import { LIMITS } from "./limits.ts";

/** The longest stretch of small parts side by side, if it is long enough: what is put together must not change places. */
export function smallParts(parts: readonly DatasetPart[]): DatasetPart[] {
  let longest: DatasetPart[] = [];
  let run: DatasetPart[] = [];
  for (const part of parts) {
    run = part.bytes < LIMITS.data.smallPartBytes ? [...run, part] : [];
    if (run.length > longest.length) longest = run;
  }
  return longest.length < LIMITS.data.smallParts ? [] : longest;
}

/** A part as the catalog keeps it. */
export function storedPart({ key, rows, bytes, sha256 }: Part): DatasetPart {
  return { blobKey: key, rowCount: rows, bytes, sha256: sha256 === "" ? null : sha256 };
}

/** Chunk size for hashing: a fraction of a millisecond each. */
const PIECE_BYTES = 256 * 1024;
const AT_ONCE = 4;
/** Files that are remembered; then all are looked at again. */
const KNOWN = 500_000;

type Checked = Pick<DatasetPart, "blobKey" | "bytes" | "sha256">;

/** The SHA-256 of a file, or undefined when there is none. */
export async function sha256Of(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) hash.update(piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return hash.digest("hex");
}

/**
 * Verifies checksums of the files of datasets, when each is read for the first time since the
 * start: a disk that flips bits would otherwise be believed. Of large files the first readers do not wait for it.
 */
export class PartVerifier {
  readonly #blobs: Pick<FolderBlobStore, "pathOf">;
  readonly #onDamage: (blobKey: string) => void;
  readonly #whole = new Set<string>();
  /** Corrupt files, with the state of each, which somebody may put right. */
  readonly #damaged = new Map<string, string>();
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(blobs: Pick<FolderBlobStore, "pathOf">, onDamage: (blobKey: string) => void = () => undefined) {
    this.#blobs = blobs;
    this.#onDamage = onDamage;
  }

  /** It was written by this process, just now. */
  trust(blobKey: string): void {
    if (this.#whole.size >= KNOWN) this.#whole.clear();
    this.#whole.add(blobKey);
  }

  /** Throws when one of these files is not what was written. One that is missing is for others to notice. */
  async require(parts: readonly Checked[]): Promise<void> {
    const open = parts.filter(({ blobKey, sha256 }) => sha256 !== null && !this.#whole.has(blobKey));
    const isLarge = ({ bytes }: Checked) => bytes > LIMITS.data.checkedFirstBytes;
    for (const part of open.filter((part) => isLarge(part) && !this.#damaged.has(part.blobKey)))
      this.#check(part).catch(() => undefined);
    const waited = open.filter((part) => !isLarge(part) || this.#damaged.has(part.blobKey));
    for (let start = 0; start < waited.length; start += AT_ONCE) {
      const found = await Promise.all(waited.slice(start, start + AT_ONCE).map((part) => this.#check(part)));
      if (found.includes(false)) throw damaged();
    }
  }

  #check(part: Checked): Promise<boolean> {
    const { blobKey } = part;
    const running =
      this.#running.get(blobKey) ?? this.#look(part).finally(() => this.#running.delete(blobKey));
    this.#running.set(blobKey, running);
    return running;
  }

  async #look({ blobKey, sha256 }: Checked): Promise<boolean> {
    const path = this.#blobs.pathOf(blobKey);
    const state = await stateOf(path);
    if (state === undefined) return true;
    if (this.#damaged.get(blobKey) === state) return false;
    const found = await sha256Of(path);
    if (found === undefined) return true;
    if (found === sha256) {
      this.#damaged.delete(blobKey);
      this.trust(blobKey);
      return true;
    }
    this.#damaged.set(blobKey, state);
    this.#onDamage(blobKey);
    return false;
  }
}

async function stateOf(path: string): Promise<string | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info && `${info.ino} ${info.size} ${info.mtimeMs}`;
}

function damaged(): AppError {
  return new AppError("unavailable", "A file of this data is not what was written: it is damaged.", {
    hint: "Whoever runs the server finds it by: kenning doctor --deep",
    data: { reason: "part_damaged" },
  });
}

/** How many of the oldest and of the newest parts stand for all of them. */
const SAMPLED = 16;

/** Parts with rows that a dataset has now: each must be in blob storage, whatever is swept meanwhile. */
function current(afterId: number) {
  return and(isNull(datasetParts.untilVersion), gt(datasetParts.rowCount, 0), gt(datasetParts.id, afterId));
}

/** The keys of some parts that must be there, later ones than `afterId`. */
export async function sampleOfParts({ db }: Pick<Catalog, "db">, afterId: number): Promise<string[]> {
  const some = (order: typeof asc) =>
    db
      .select({ key: datasetParts.blobKey })
      .from(datasetParts)
      .where(current(afterId))
      .orderBy(order(datasetParts.id))
      .limit(SAMPLED);
  const found = [...(await some(asc)), ...(await some(desc))];
  return [...new Set(found.map(({ key }) => key))];
}

/** For whoever has to know what cannot be read: the datasets that some of these parts belong to. */
export async function datasetsWith(
  { db }: Pick<Catalog, "db">,
  keys: readonly string[],
): Promise<{ id: number; name: string }[]> {
  return db
    .selectDistinct({ id: datasets.id, name: datasets.name })
    .from(datasetParts)
    .innerJoin(datasets, eq(datasets.id, datasetParts.datasetId))
    .where(inArray(datasetParts.blobKey, [...keys]))
    .orderBy(asc(datasets.id));
}

/** The files of current parts whose SHA-256 is known, by pages: later ones than `afterId`. */
export async function checkableParts(
  { db }: Pick<Catalog, "db">,
  afterId: number,
  limit: number,
): Promise<{ id: number; key: string; sha256: string | null }[]> {
  return db
    .select({ id: datasetParts.id, key: datasetParts.blobKey, sha256: datasetParts.sha256 })
    .from(datasetParts)
    .where(current(afterId))
    .orderBy(asc(datasetParts.id))
    .limit(limit);
}

/** The keys of all parts that must be there, and the last id that a part has. */
export async function allParts(
  { db }: Pick<Catalog, "db">,
  afterId: number,
): Promise<{ keys: string[]; lastId: number }> {
  const rows = await db.select({ key: datasetParts.blobKey }).from(datasetParts).where(current(afterId));
  const [last] = await db.select({ id: max(datasetParts.id) }).from(datasetParts);
  return { keys: rows.map(({ key }) => key), lastId: last?.id ?? 0 };
}

/** The folder of the blob storage that parts of datasets are in. */
export const PARTS = "parts";

/** Parts of earlier processes are all looked up again, of which there may be very many. */
const SWEPT_AT_ONCE = 1_000;

interface Stores {
  datasets: DatasetsStore;
  blobs: FolderBlobStore;
}

/** Removes the files of parts that nobody reads any more, and those that a killed process left unfinished. */
export async function sweepParts({ datasets, blobs }: Stores, signal?: AbortSignal): Promise<void> {
  for (const key of await datasets.versions.forget()) await blobs.delete(key);
  const isAbandoned = blobs.abandonedNames();
  let keys: string[] = [];
  for await (const { key } of blobs.list(`${PARTS}/`)) {
    if (signal?.aborted) return;
    if (!isAbandoned(key.slice(PARTS.length + 1))) continue;
    keys.push(key);
    if (keys.length < SWEPT_AT_ONCE) continue;
    await removeUnused({ datasets, blobs }, keys);
    keys = [];
  }
  await removeUnused({ datasets, blobs }, keys);
}

async function removeUnused({ datasets, blobs }: Stores, keys: readonly string[]): Promise<void> {
  const referenced = await datasets.referenced(keys);
  for (const key of keys) if (!referenced.has(key)) await blobs.delete(key);
}
