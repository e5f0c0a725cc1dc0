import { extname, join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { readableFontFolders } from "../../../platform/drawing/index.ts";
import { type ProcessCall, WorkerPool } from "../../../platform/workers/index.ts";
import { LIMITS } from "../limits.ts";
import type { Report } from "./report.ts";

const { processes, waiting, memoryMb, ms, idleMs, bytes } = LIMITS.documents;

/** What is asked of the process that makes documents. */
export interface PdfQuestion {
  report: Report;
  fontFolders: readonly string[];
}

/** A sheet of a workbook; its first line has the names of its columns. */
export interface SheetOfWorkbook {
  name: string;
  lines: (string | number | null)[][];
}

const pdfAnswer = z.object({
  pdf: z.instanceof(Uint8Array),
  pages: z.int().min(0),
  /** True if there was a font for all that is written in it. */
  hasAllGlyphs: z.boolean(),
});
const workbookAnswer = z.instanceof(Uint8Array);

interface MadeFor {
  /** A workspace. */
  scope: string;
  signal?: AbortSignal | undefined;
}

/**
 * Makes PDFs and workbooks in sandboxed processes with a bound on their memory: what they are made of was written by
 * anybody, Typst is native code that panics at some texts, and a panic ends its process (decision 0025).
 */
export class Documents {
  readonly #log: Pick<Logger, "error" | "warn">;
  readonly #fontFolders: readonly string[];
  readonly #pool: WorkerPool<ProcessCall, unknown>;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor({
    log,
    tempFolder,
    fontFolders,
  }: {
    log: Pick<Logger, "error" | "warn">;
    tempFolder: string;
    fontFolders: readonly string[];
  }) {
    this.#log = log;
    this.#fontFolders = fontFolders;
    this.#pool = new WorkerPool({
      module: join(import.meta.dirname, `document-worker${extname(import.meta.filename)}`),
      sandbox: {
        name: "document-process",
        osUser: "documents",
        tempFolder,
        maxResultBytes: bytes,
        allowRead: readableFontFolders(fontFolders),
        log,
      },
      noun: "document",
      nouns: "documents",
      hint: "Export fewer widgets or rows.",
      workers: processes,
      waiting,
      memoryMb,
      timeoutMs: ms,
      idleMs,
    });
  }

  /** A process takes longer to start than most documents to be made: it starts while rows are still read. */
  prepare(scope: string): void {
    const isThere = performance.now() - this.#lastMs < idleMs / 2;
    this.#lastMs = performance.now();
    if (!isThere) void this.#ask("prepare", null, { scope }).catch(() => undefined);
  }

  pdf(report: Report, madeFor: MadeFor): Promise<z.output<typeof pdfAnswer>> {
    const question: PdfQuestion = { report, fontFolders: this.#fontFolders };
    return this.#made(async () => pdfAnswer.parse(await this.#ask("pdf", question, madeFor)));
  }

  /** An Excel workbook. */
  workbook(sheets: readonly SheetOfWorkbook[], madeFor: MadeFor): Promise<Uint8Array> {
    return this.#made(async () => workbookAnswer.parse(await this.#ask("workbook", sheets, madeFor)));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #ask(method: string, params: unknown, { scope, signal }: MadeFor): Promise<unknown> {
    return this.#pool.ask(scope, signal, () => ({ value: { method, params } }));
  }

  async #made<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isAppError(error)) throw error;
      this.#log.error({ err: error }, "a document could not be made");
      throw new AppError("internal", "The document could not be made.", { cause: error });
    }
  }
}
