import { extname, join } from "node:path";
import type { Logger } from "pino";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { ThreadPool } from "../threads/index.ts";
import type { Subject } from "./drawing.ts";
import type { DrawingAnswer, DrawingQuestion } from "./drawing-worker.ts";
import { LIMITS } from "./limits.ts";
import { type Look, lookShape } from "./look.ts";
import type { Picture } from "./render-svg.ts";
import type { Sheet, Tile } from "./sheet.ts";

export interface SheetWish extends Omit<Sheet, "tiles"> {
  tiles: readonly (Omit<Tile, "look"> & { look: Partial<Look> })[];
}

export interface Png {
  png: Uint8Array;
  /** Whether there was a font for all that is written in it. */
  hasAllGlyphs: boolean;
}

export interface DrawnFor {
  /** A workspace, which never takes the last place from the others. */
  scope: string;
  signal?: AbortSignal | undefined;
}

/** Pictures of one question, which have the time of one. */
const AT_A_TIME = 10;

/**
 * Draws charts, numbers and tables, in threads beside the server's own: one drawing for every place that shows one.
 * Throws nothing but AppErrors, so that an answer need not fail with its picture.
 */
export class Drawings {
  readonly #log: Pick<Logger, "error">;
  /** For what Inter has no letters for; those of the system are looked at as well. */
  readonly fontFolders: readonly string[];
  readonly #pool = new ThreadPool<DrawingQuestion, DrawingAnswer>({
    noun: "picture",
    nouns: "pictures",
    work: { doing: "Drawing", done: "drawn", did: "drew" },
    hint: "Draw fewer values.",
    module: join(import.meta.dirname, `drawing-worker${extname(import.meta.filename)}`),
    threads: LIMITS.drawing.threads,
    waiting: LIMITS.drawing.waiting,
    memoryMb: LIMITS.drawing.memoryMb,
    timeoutMs: LIMITS.drawing.ms,
    idleMs: LIMITS.drawing.idleMs,
  });

  constructor(log: Pick<Logger, "error">, fontFolders: readonly string[] = []) {
    this.#log = log;
    this.fontFolders = fontFolders;
  }

  /** One picture for each look. */
  async svg(subject: Subject, looks: readonly Partial<Look>[], drawnFor: DrawnFor): Promise<Picture[]> {
    const { fontFolders } = this;
    const question = { subject, looks: looks.map(asLook), isPng: false, fontFolders };
    return (await this.#ask(question, drawnFor)).pictures;
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
    const { fontFolders } = this;
    return asPng(await this.#ask({ subject, looks: [asLook(look)], isPng: true, fontFolders }, drawnFor));
  }

  /** Many pictures on one sheet. */
  async sheet(sheet: SheetWish, drawnFor: DrawnFor): Promise<Png> {
    const tiles = sheet.tiles.map((tile) => ({ ...tile, look: asLook(tile.look) }));
    const { fontFolders } = this;
    return asPng(await this.#ask({ sheet: { ...sheet, tiles }, fontFolders }, drawnFor));
  }

  async #ask(question: DrawingQuestion, { scope, signal }: DrawnFor): Promise<DrawingAnswer> {
    try {
      return await this.#pool.ask(scope, signal, () => ({ value: question }));
    } catch (error) {
      if (isAppError(error)) throw error;
      this.#log.error({ err: error }, "a picture could not be drawn");
      throw new AppError("internal", "The picture could not be drawn.", { cause: error });
    }
  }
}

function asPng({ png, hasAllGlyphs = true }: DrawingAnswer): Png {
  return { png: png as Uint8Array, hasAllGlyphs };
}

function asLook(look: Partial<Look>): Look {
  return lookShape.parse(look);
}
