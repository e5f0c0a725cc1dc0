import { AppError } from "../../kernel/errors.ts";
import { clip, newUuid } from "../../kernel/text.ts";
import type { Clock } from "../../kernel/time.ts";
import type { FolderBlobStore } from "../blobs/index.ts";
import { megabytes } from "./excerpts.ts";
import { LIMITS } from "./limits.ts";
import { emptyFile } from "./source.ts";

const PREFIX = "received/";
const HANDLE = /^upload:([0-9a-f-]{36})\/([^/]*)$/;

/** Whose a received file is: nobody else can name it. */
export interface FileOwner {
  workspace: { id: number };
  user: { id: number };
}

export interface ReceivedFile {
  path: string;
  fileName: string;
}

/** Files that people sent ahead of the call that uses them, so that large ones do not travel inside of JSON. */
export class ReceivedFiles {
  readonly #blobs: FolderBlobStore;
  readonly #clock: Clock;

  constructor(blobs: FolderBlobStore, clock: Clock) {
    this.#blobs = blobs;
    this.#clock = clock;
  }

  /** The handle stands where tools take the URL of a file. */
  async keep(
    owner: FileOwner,
    name: string,
    content: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<{ handle: string; bytes: number }> {
    const id = newUuid();
    const maxBytes = LIMITS.files.receivedBytes - (await this.#keptBytes(owner));
    if (maxBytes <= 0) {
      throw new AppError("too_large", `Your files of today hold ${megabytes(LIMITS.files.receivedBytes)}.`, {
        hint: "Each is forgotten a day after it came.",
      });
    }
    const { bytes } = await this.#blobs.put(keyOf(owner, id), content, {
      maxBytes,
      ...(signal && { signal }),
    });
    if (bytes > 0) return { handle: `upload:${id}/${encodeURIComponent(name)}`, bytes };
    await this.#blobs.delete(keyOf(owner, id));
    throw emptyFile();
  }

  /** Undefined for what is no handle, such as a URL. */
  async find(owner: FileOwner, handle: string | undefined): Promise<ReceivedFile | undefined> {
    if (handle === undefined || !handle.startsWith("upload:")) return undefined;
    const [, id = "", name = ""] = HANDLE.exec(handle) ?? [];
    const key = keyOf(owner, id);
    if (id === "" || (await this.#blobs.stat(key)) === undefined) {
      throw new AppError("not_found", `There is no file ${clip(handle)} of yours.`, {
        hint: "Such a file is kept for a day, for whoever sent it. Send it again.",
      });
    }
    return { path: this.#blobs.pathOf(key), fileName: nameIn(name) };
  }

  async sweep(): Promise<void> {
    const oldest = this.#clock.now().getTime() - LIMITS.files.receivedMs;
    for await (const { key, modifiedAt } of this.#blobs.list(PREFIX))
      if (modifiedAt.getTime() < oldest) await this.#blobs.delete(key);
  }

  async #keptBytes(owner: FileOwner): Promise<number> {
    let sum = 0;
    for await (const { bytes } of this.#blobs.list(folderOf(owner))) sum += bytes;
    return sum;
  }
}

function folderOf({ workspace, user }: FileOwner): string {
  return `${PREFIX}${workspace.id}/${user.id}/`;
}

function keyOf(owner: FileOwner, id: string): string {
  return `${folderOf(owner)}${id}`;
}

function nameIn(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
