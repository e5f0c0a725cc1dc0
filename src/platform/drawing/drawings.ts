import { extname, join } from "node:path";
import { ThreadPool } from "../threads/index.ts";
import type { Subject } from "./drawing.ts";
import type { DrawingAnswer, DrawingQuestion } from "./drawing-worker.ts";
import { LIMITS } from "./limits.ts";
import { type Look, lookShape } from "./look.ts";
import type { Picture } from "./render-svg.ts";

export interface Drawn {
  /** The workspace that it is drawn for: one never takes the last place from the others. */
  scope: string;
  signal?: AbortSignal | undefined;
}

/** Draws charts, numbers and tables, in threads beside the server's own: the same picture for every place that shows one. */
export class Drawings {
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
  });

  /** One picture for each look. */
  async svg(subject: Subject, looks: readonly Partial<Look>[], drawn: Drawn): Promise<Picture[]> {
    const { pictures } = await this.#ask({ subject, looks: looks.map(asLook), isPng: false }, drawn);
    return pictures;
  }

  async png(subject: Subject, look: Partial<Look>, drawn: Drawn): Promise<Uint8Array> {
    const { png } = await this.#ask({ subject, looks: [asLook(look)], isPng: true }, drawn);
    return png as Uint8Array;
  }

  #ask(question: DrawingQuestion, { scope, signal }: Drawn): Promise<DrawingAnswer> {
    return this.#pool.ask(scope, signal, () => ({ value: question }));
  }
}

function asLook(look: Partial<Look>): Look {
  return lookShape.parse(look);
}
