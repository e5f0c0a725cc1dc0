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

  constructor(log: Pick<Logger, "error">) {
    this.#log = log;
  }

  /** One picture for each look. */
  async svg(subject: Subject, looks: readonly Partial<Look>[], drawnFor: DrawnFor): Promise<Picture[]> {
    const { pictures } = await this.#ask({ subject, looks: looks.map(asLook), isPng: false }, drawnFor);
    return pictures;
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

  async png(subject: Subject, look: Partial<Look>, drawnFor: DrawnFor): Promise<Uint8Array> {
    const { png } = await this.#ask({ subject, looks: [asLook(look)], isPng: true }, drawnFor);
    return png as Uint8Array;
  }

  /** Many pictures on one sheet, as PNG. */
  async sheet(sheet: SheetWish, drawnFor: DrawnFor): Promise<Uint8Array> {
    const tiles = sheet.tiles.map((tile) => ({ ...tile, look: asLook(tile.look) }));
    const { png } = await this.#ask({ sheet: { ...sheet, tiles } }, drawnFor);
    return png as Uint8Array;
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

function asLook(look: Partial<Look>): Look {
  return lookShape.parse(look);
}
