import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import { type ReceivedFiles, readSource, type SourceFile } from "../../platform/files/index.ts";
import type { GuardedFetch } from "../../platform/guarded-fetch/index.ts";
import type { RateLimiter, SharedState } from "../../platform/state/index.ts";
import { ownedTempPath, sweepLeftovers } from "../../platform/temp/index.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { JobOwner } from "../identity/index.ts";
import type { AddedDocument } from "./documents.store.ts";
import { extensionOf, isBinary, isTextual } from "./file-kinds.ts";
import type { Knowledge } from "./knowledge.ts";
import { LIMITS } from "./limits.ts";

interface Upload {
  baseId: number;
  folderId: number;
  content?: string | undefined;
  fileUrl?: string | undefined;
  fileName?: string | undefined;
}

interface UploadContext {
  signal: AbortSignal;
  onProgress?: (fraction: number | undefined) => void;
}

/** So much of a content tells whether it has words. */
const HEAD_CHARACTERS = 1_000;

interface UploadParts {
  fetch: Pick<GuardedFetch, "download">;
  received: ReceivedFiles;
  knowledge: Knowledge;
}

/** Documents that callers send, or have us fetch. */
export class Uploads {
  readonly #folder: string;
  readonly #fetch: Pick<GuardedFetch, "download">;
  readonly #received: ReceivedFiles;
  readonly #knowledge: Knowledge;

  private constructor(folder: string, { fetch, received, knowledge }: UploadParts) {
    this.#folder = folder;
    this.#fetch = fetch;
    this.#received = received;
    this.#knowledge = knowledge;
  }

  /** Clears away what a killed process was in the middle of receiving. */
  static async open(folder: string, parts: UploadParts): Promise<Uploads> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sweepLeftovers(folder);
    return new Uploads(folder, parts);
  }

  /** `note`: what was assumed about the content. */
  async add(
    caller: Caller,
    upload: Upload,
    { signal, onProgress }: UploadContext,
  ): Promise<AddedDocument & { note?: string | undefined }> {
    const { content: inline, fileName, baseId, folderId } = upload;
    const sent = await this.#received.find(caller, upload.fileUrl);
    const fileUrl = sent === undefined ? upload.fileUrl : undefined;
    if (inline !== undefined && (fileName ?? "").trim() === "")
      throw new AppError("bad_request", "A document that is sent as content needs a file name.", {
        hint: "Give it one with its ending, such as report.pdf.",
      });
    const folder = ownedTempPath(this.#folder);
    await mkdir(folder, { mode: 0o700 });
    try {
      const extension = extensionOf(fileName ?? "");
      const source = await readSource(
        { content: inline, fileUrl, ...sent },
        {
          fetch: this.#fetch,
          folder,
          // Of an ending that nobody knows, what has words is a text.
          isBinary: isBinary(extension) || (extension !== "" && !isTextual(extension) && !hasWords(inline)),
          maxBytes: LIMITS.knowledge.documentBytes,
          signal,
          onProgress,
        },
      );
      const name = nameOf(fileName, source, fileUrl);
      const sourceType = fileUrl !== undefined ? "web" : "file";
      const file = { baseId, folderId, name, sourceType, sourceUrl: fileUrl } as const;
      const content = createReadStream(source.path);
      return { ...(await this.#knowledge.add(caller, { ...file, content }, signal)), note: source.note };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function hasWords(content = ""): boolean {
  return content.trim().slice(0, HEAD_CHARACTERS).includes(" ");
}

/** What is fetched may have a better name at its server than in its address, and at least a host. */
function nameOf(given: string | undefined, source: SourceFile, fileUrl: string | undefined): string {
  const name = given?.trim() || source.fileName || new URL(fileUrl ?? "").hostname;
  const isPage = /^text\/html/i.test(source.contentType ?? "") && !/\.x?html?$/i.test(name);
  return isPage ? `${name}.html` : name;
}

export const UPLOAD_HEADER = "X-Upload-Token";

const CONTEXT = "document upload";
const LIFETIME_MS = LIMITS.knowledge.uploadSeconds * 1_000;
const claims = z.object({
  id: z.string(),
  baseId: z.int(),
  folder: z.string(),
  name: z.string(),
  untilMs: z.number(),
  owner: z.custom<JobOwner>((value) => typeof value === "object" && value !== null && "userId" in value),
});

/** Where one file goes, and in whose name. */
type UploadTicket = Omit<z.output<typeof claims>, "id" | "untilMs">;

/** Short-lived tokens with which one file can be sent that is too large for a message. */
export class UploadTickets {
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #uses: RateLimiter;

  constructor(vault: Vault, clock: Clock, state: Pick<SharedState, "limiter">) {
    this.#vault = vault;
    this.#clock = clock;
    this.#uses = state.limiter("document_uploads", { points: 1, windowMs: LIFETIME_MS });
  }

  issue(ticket: UploadTicket): string {
    const untilMs = this.#clock.now().getTime() + LIFETIME_MS;
    return this.#vault.seal(JSON.stringify({ ...ticket, id: randomUUID(), untilMs }), CONTEXT);
  }

  /** Throws `unauthorized` for what is missing, forged or too old. */
  verify(token: string | undefined): UploadTicket & { spend: () => Promise<void> } {
    const { id, untilMs, ...ticket } = this.#open(token);
    if (untilMs < this.#clock.now().getTime()) throw refused();
    return { ...ticket, spend: () => this.#spend(id) };
  }

  /** Throws where the token has brought a file already. */
  async #spend(id: string): Promise<void> {
    const { allowed } = await this.#uses.consume(id);
    if (!allowed) throw refused();
  }

  #open(token: string | undefined): z.output<typeof claims> {
    try {
      return claims.parse(JSON.parse(this.#vault.open(token ?? "", CONTEXT).reveal()));
    } catch (cause) {
      throw refused(cause);
    }
  }
}

function refused(cause?: unknown): AppError {
  return new AppError("unauthorized", "The upload token is missing, wrong, too old, or was used already.", {
    hint: `Ask for a new one and send it as ${UPLOAD_HEADER}.`,
    cause,
  });
}
