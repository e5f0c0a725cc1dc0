import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { AppError } from "../../kernel/errors.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { DatasetPart } from "./dataset.ts";
import { LIMITS } from "./limits.ts";

/** What is read at once: a fraction of a millisecond. */
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
 * Whether the files of datasets are still what was written, looked at when each is read for the first time since the
 * start: a disk that flips bits would otherwise be believed. Of large files the first readers do not wait for it.
 */
export class PartChecks {
  readonly #blobs: Pick<FolderBlobStore, "pathOf">;
  readonly #onDamage: (blobKey: string) => void;
  readonly #whole = new Set<string>();
  /** Those that were found damaged, with the state of the file, which somebody may put right. */
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
