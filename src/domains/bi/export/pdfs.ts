import { extname, join } from "node:path";
import type { Logger } from "pino";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { ThreadPool } from "../../../platform/threads/index.ts";
import { LIMITS } from "../limits.ts";
import type { PdfAnswer, PdfQuestion } from "./pdf-worker.ts";
import type { Report } from "./report.ts";

const { threads, waiting, memoryMb, ms, idleMs } = LIMITS.pdf;

const NOTHING: Report = {
  title: "",
  description: "",
  filters: [],
  asOf: "",
  printed: "",
  locale: "en",
  blocks: [],
};

/** Makes PDFs in a thread beside the server's own, for it takes some time. */
export class Pdfs {
  readonly #log: Pick<Logger, "error">;
  readonly #fontFolders: readonly string[];
  readonly #pool = new ThreadPool<PdfQuestion, PdfAnswer>({
    noun: "PDF",
    nouns: "PDFs",
    work: { doing: "Making", done: "made", did: "made" },
    hint: "Export fewer widgets or rows.",
    module: join(import.meta.dirname, `pdf-worker${extname(import.meta.filename)}`),
    threads,
    waiting,
    memoryMb,
    timeoutMs: ms,
    idleMs,
  });

  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Logger, "error">, fontFolders: readonly string[]) {
    this.#log = log;
    this.#fontFolders = fontFolders;
  }

  /** The thread takes longer to start than most PDFs to be made: it starts while rows are still read. */
  prepare(scope: string): void {
    const isThere = performance.now() - this.#lastMs < idleMs / 2;
    this.#lastMs = performance.now();
    if (!isThere) void this.#ask(NOTHING, scope).catch(() => undefined);
  }

  async make(
    report: Report,
    { scope, signal }: { scope: string; signal?: AbortSignal | undefined },
  ): Promise<PdfAnswer> {
    try {
      return await this.#ask(report, scope, signal);
    } catch (error) {
      if (isAppError(error)) throw error;
      this.#log.error({ err: error }, "a PDF could not be made");
      throw new AppError("internal", "The PDF could not be made.", { cause: error });
    }
  }

  #ask(report: Report, scope: string, signal?: AbortSignal): Promise<PdfAnswer> {
    return this.#pool.ask(scope, signal, () => ({ value: { report, fontFolders: this.#fontFolders } }));
  }
}
