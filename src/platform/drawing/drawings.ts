import { extname, join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { type ProcessCall, WorkerPool } from "../workers/index.ts";
import type { Subject } from "./drawing.ts";
import type { DrawingAnswer, DrawingQuestion } from "./drawing-worker.ts";
import { readableFontFolders } from "./fonts.ts";
import type { HtmlTable } from "./html-table.ts";
import { LIMITS } from "./limits.ts";
import { type Look, lookShape } from "./look.ts";
import type { Picture } from "./render-svg.ts";
import type { PngQuestion } from "./resvg.ts";
import type { Sheet, Tile } from "./sheet.ts";

interface SheetWish extends Omit<Sheet, "tiles"> {
  tiles: readonly (Omit<Tile, "look"> & { look: Partial<Look> })[];
}

const pngAnswer = z.object({
  png: z.instanceof(Uint8Array),
  /** Whether there was a font for all that is written in it. */
  hasAllGlyphs: z.boolean(),
});
export type Png = z.output<typeof pngAnswer>;

interface DrawnFor {
  /** A workspace, which never takes the last place from the others. */
  scope: string;
  signal?: AbortSignal | undefined;
}

/** Pictures of one question, which have the time of one. */
const AT_A_TIME = 10;

const moduleOf = (name: string) => join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);

interface DrawingsOptions {
  /** For what Inter has no letters for; those of the system are looked at as well. */
  fontFolders?: readonly string[];
  /** Working folders of processes are made in here. */
  tempFolder: string;
  log: Pick<Logger, "error" | "warn">;
}

/**
 * Draws charts, numbers and tables, in threads beside the server's own: one drawing for every place that shows one.
 * PNGs are made of the drawings by native code, in sandboxed processes (decision 0025). Throws nothing but AppErrors,
 * so that an answer need not fail with its picture.
 */
export class Drawings {
  readonly #log: DrawingsOptions["log"];
  readonly fontFolders: readonly string[];
  readonly #pool = new WorkerPool<DrawingQuestion, DrawingAnswer>({
    noun: "picture",
    nouns: "pictures",
    work: { doing: "Drawing", done: "drawn", did: "drew" },
    hint: "Draw fewer values.",
    module: moduleOf("drawing-worker"),
    workers: LIMITS.drawing.threads,
    waiting: LIMITS.drawing.waiting,
    memoryMb: LIMITS.drawing.memoryMb,
    timeoutMs: LIMITS.drawing.ms,
    idleMs: LIMITS.drawing.idleMs,
  });
  readonly #pngs: WorkerPool<ProcessCall, unknown>;

  constructor({ fontFolders = [], tempFolder, log }: DrawingsOptions) {
    this.#log = log;
    this.fontFolders = fontFolders;
    this.#pngs = new WorkerPool({
      module: moduleOf("png-worker"),
      sandbox: {
        name: "png-process",
        osUser: "pictures",
        tempFolder,
        allowRead: readableFontFolders(fontFolders),
        log,
      },
      noun: "picture",
      nouns: "pictures",
      hint: "Draw fewer values.",
      workers: LIMITS.drawing.threads,
      waiting: LIMITS.drawing.waiting,
      memoryMb: LIMITS.drawing.pngMemoryMb,
      timeoutMs: LIMITS.drawing.ms,
      idleMs: LIMITS.drawing.idleMs,
    });
  }

  close(): Promise<void> {
    return this.#pngs.close();
  }

  /** One picture for each look. */
  async svg(subject: Subject, looks: readonly Partial<Look>[], drawnFor: DrawnFor): Promise<Picture[]> {
    return (await this.#ask({ subject, looks: looks.map(asLook) }, drawnFor)).pictures;
  }

  /** One picture of each; nothing in the place of those that cannot be drawn. */
  async each(
    all: readonly { subject: Subject; look: Partial<Look> }[],
    drawnFor: DrawnFor,
  ): Promise<(Picture | null)[]> {
    const drawn: (Picture | null)[] = [];
    // Some at a time: others have their turn in between.
    for (let i = 0; i < all.length; i += AT_A_TIME) {
      const some = all.slice(i, i + AT_A_TIME).map(({ subject, look }) => ({ subject, look: asLook(look) }));
      const { each = [] } = await this.#ask({ each: some }, drawnFor);
      for (const one of each) {
        if ("failure" in one) this.#log.error({ failure: one.failure }, "a picture could not be drawn");
        drawn.push("failure" in one ? null : one);
      }
    }
    return drawn;
  }

  async png(subject: Subject, look: Partial<Look>, drawnFor: DrawnFor): Promise<Png> {
    const wanted = asLook(look);
    return this.#png((await this.svg(subject, [wanted], drawnFor))[0], wanted.theme, drawnFor);
  }

  /** Many pictures on one sheet. */
  async sheet(sheet: SheetWish, drawnFor: DrawnFor): Promise<Png> {
    const tiles = sheet.tiles.map((tile) => ({ ...tile, look: asLook(tile.look) }));
    const { pictures, failures = [] } = await this.#ask({ sheet: { ...sheet, tiles } }, drawnFor);
    for (const failure of failures) this.#log.error({ failure }, "a picture could not be drawn");
    return this.#png(pictures[0], sheet.theme, drawnFor);
  }

  /** A table as HTML; of some thousand cells it takes as long as a chart. */
  async htmlTable(table: HtmlTable, locale: string, drawnFor: DrawnFor): Promise<string> {
    return (await this.#ask({ table, locale }, drawnFor)).html ?? "";
  }

  #png(picture: Picture | undefined, theme: Look["theme"], { scope, signal }: DrawnFor): Promise<Png> {
    const { svg = "", width = 0, height = 0 } = picture ?? {};
    const params: PngQuestion = { svg, width, height, theme, fontFolders: this.fontFolders };
    const call = () => ({ value: { method: "png", params } });
    return this.#told(async () => pngAnswer.parse(await this.#pngs.ask(scope, signal, call)));
  }

  #ask(question: DrawingQuestion, { scope, signal }: DrawnFor): Promise<DrawingAnswer> {
    return this.#told(() => this.#pool.ask(scope, signal, () => ({ value: question })));
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isAppError(error)) throw error;
      this.#log.error({ err: error }, "a picture could not be drawn");
      throw new AppError("internal", "The picture could not be drawn.", { cause: error });
    }
  }
}

function asLook(look: Partial<Look>): Look {
  return lookShape.parse(look);
}
