import { extname, join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { readableFontFolders } from "../../../platform/drawing/index.ts";
import { ProcessPool } from "../../../platform/sandbox/index.ts";
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
  /** Whether there was a font for all that is written in it. */
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
  readonly #pool: ProcessPool;
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
    this.#pool = new ProcessPool({
      name: "document-process",
      module: join(import.meta.dirname, `document-worker${extname(import.meta.filename)}`),
      osUser: "documents",
      tempFolder,
      noun: "document",
      nouns: "documents",
      hint: "Export fewer widgets or rows.",
      processes,
      waiting,
      memoryMb,
      timeoutMs: ms,
      idleMs,
      maxResultBytes: bytes,
      allowRead: readableFontFolders(fontFolders),
      log,
    });
  }

  /** A process takes longer to start than most documents to be made: it starts while rows are still read. */
  prepare(scope: string): void {
    const isThere = performance.now() - this.#lastMs < idleMs / 2;
    this.#lastMs = performance.now();
    if (!isThere) void this.#pool.ask(scope, "prepare", null).catch(() => undefined);
  }

  pdf(report: Report, { scope, signal }: MadeFor): Promise<z.output<typeof pdfAnswer>> {
    const question: PdfQuestion = { report, fontFolders: this.#fontFolders };
    return this.#made(async () => pdfAnswer.parse(await this.#pool.ask(scope, "pdf", question, signal)));
  }

  /** An Excel workbook. */
  workbook(sheets: readonly SheetOfWorkbook[], { scope, signal }: MadeFor): Promise<Uint8Array> {
    return this.#made(async () =>
      workbookAnswer.parse(await this.#pool.ask(scope, "workbook", sheets, signal)),
    );
  }

  close(): Promise<void> {
    return this.#pool.close();
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
