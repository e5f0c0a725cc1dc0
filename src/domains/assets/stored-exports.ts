import type { Readable } from "node:stream";
import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { JobOwner } from "../identity/index.ts";
import { LIMITS } from "./limits.ts";

/** The folder of the blob storage that files for download are in. */
const EXPORTS = "exports";
const CONTEXT = "export";
/** A download that began in time may go on a little longer. */
const KEPT_LONGER_MS = 10 * MS.minute;

const claims = z.object({
  key: z.string(),
  name: z.string(),
  mimeType: z.string(),
  bytes: z.number(),
  untilMs: z.number(),
  owner: z.custom<JobOwner>((value) => typeof value === "object" && value !== null && "userId" in value),
});

/** A file that waits to be fetched, as its ticket says. */
export type StoredExport = z.output<typeof claims>;

export interface StoredExportsParts {
  blobs: FolderBlobStore;
  vault: Vault;
  clock: Clock;
  /** The address of this server. */
  appUrl: string;
}

/**
 * Files that are too large for an answer: each is kept for a while, for whoever has its ticket, which is sealed by the
 * vault and is all that is known of it.
 */
export class StoredExports {
  readonly #parts: StoredExportsParts;

  constructor(parts: StoredExportsParts) {
    this.#parts = parts;
  }

  async keep(
    owner: JobOwner,
    { name, mimeType, content }: { name: string; mimeType: string; content: Buffer },
  ): Promise<{ url: string; uri: string; expiresAt: Date }> {
    const { blobs, vault, clock, appUrl } = this.#parts;
    const key = `${EXPORTS}/${blobs.ownName()}`;
    await blobs.put(key, content);
    const expiresAt = new Date(clock.now().getTime() + LIMITS.exports.keptMs);
    const facts = { key, name, mimeType, bytes: content.length, untilMs: expiresAt.getTime(), owner };
    const ticket = vault.seal(JSON.stringify(facts), CONTEXT);
    return { url: `${appUrl}/files/data/${ticket}`, uri: `kenning://exports/${ticket}`, expiresAt };
  }

  /** Throws `not_found` for a ticket that is forged, too old, or whose file has gone. */
  open(ticket: string): StoredExport {
    const file = this.#read(ticket);
    if (file.untilMs < this.#parts.clock.now().getTime()) throw gone();
    return file;
  }

  content({ key }: StoredExport): Promise<Readable> {
    return this.#parts.blobs.get(key).catch((cause: unknown) => {
      throw gone(cause);
    });
  }

  async sweep(): Promise<void> {
    const { blobs, clock } = this.#parts;
    const before = clock.now().getTime() - LIMITS.exports.keptMs - KEPT_LONGER_MS;
    for await (const { key, modifiedAt } of blobs.list(`${EXPORTS}/`)) {
      if (modifiedAt.getTime() < before) await blobs.delete(key);
    }
  }

  #read(ticket: string): StoredExport {
    try {
      return claims.parse(JSON.parse(this.#parts.vault.open(ticket, CONTEXT).reveal()));
    } catch (cause) {
      throw gone(cause);
    }
  }
}

function gone(cause?: unknown): AppError {
  return new AppError("not_found", "There is no such file, or not any more.", {
    hint: "Export it again: {tool:export_data}.",
    cause,
  });
}
