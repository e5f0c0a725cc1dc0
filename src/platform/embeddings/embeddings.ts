import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import { AsyncLruCache } from "../../kernel/async-lru-cache.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Embedding, EmbeddingModel, QueryEmbedding } from "./embedding-model.ts";
import { EndpointModel } from "./endpoint-model.ts";
import { LIMITS } from "./limits.ts";
import { ThreadModel } from "./thread-model.ts";

interface EmbeddingsParts {
  model: EmbeddingModel;
  /** The one that questions are compared by until all texts have been embedded by the other. */
  former?: EmbeddingModel | undefined;
  /** Called when there is no former one any more. */
  onSwitched(): void;
}

/** Turns texts into vectors whose directions are alike where their meanings are. */
export class Embeddings {
  readonly #model: EmbeddingModel;
  readonly #onSwitched: () => void;
  readonly #queries = new AsyncLruCache(LIMITS.embeddings.keptQueries);
  #former: EmbeddingModel | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ model, former, onSwitched }: EmbeddingsParts) {
    this.#model = model;
    this.#former = former;
    this.#onSwitched = onSwitched;
  }

  /** Of the model that texts are embedded by. */
  get fingerprint(): string {
    return this.#model.fingerprint;
  }

  /** Of the model whose vectors are compared: after a change of model the former one's, until all texts have others. */
  get servingFingerprint(): string {
    return (this.#former ?? this.#model).fingerprint;
  }

  /** The languages that this model knows, all if undefined; in others its vectors say little. */
  languagesOf(fingerprint: string): ReadonlySet<string> | undefined {
    return this.#modelOf(fingerprint).languages;
  }

  /** One for each text, in their order. Batches of all who ask take turns. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Embedding[]> {
    // Texts of about the same length waste no time on filling up.
    const order = texts.map((_, i) => i).sort((a, b) => texts[a]!.length - texts[b]!.length);
    const embedded: Embedding[] = [];
    for (const batch of this.#batches(order, texts)) {
      signal?.throwIfAborted();
      const ask = () => this.#model.passages(batch.map((i) => texts[i]!));
      const turn = this.#turn.then(ask);
      this.#turn = turn.catch(() => undefined);
      for (const [nth, made] of (await turn).entries())
        embedded[batch[nth]!] = { ...made, fingerprint: this.fingerprint };
    }
    return embedded;
  }

  #batches(order: readonly number[], texts: readonly string[]): number[][] {
    const batches: number[][] = [];
    let characters = Number.POSITIVE_INFINITY;
    for (const i of order) {
      const length = Math.min(texts[i]!.length, LIMITS.embeddings.characters);
      const open = batches.at(-1);
      characters += length;
      if (
        open !== undefined &&
        open.length < LIMITS.embeddings.batch &&
        characters <= this.#model.stepCharacters
      )
        open.push(i);
      else {
        batches.push([i]);
        characters = length;
      }
    }
    return batches;
  }

  /** By the model with this fingerprint, which is that of the vectors it will be compared with. */
  embedQuery(text: string, fingerprint = this.fingerprint): Promise<QueryEmbedding> {
    const model = this.#modelOf(fingerprint);
    return this.#queries.get(`${model.fingerprint} ${text}`, async () => {
      return { ...(await model.query(text)), fingerprint: model.fingerprint };
    });
  }

  /** From now on the vectors of the new model are compared, because all texts have one. */
  async switchOver(): Promise<void> {
    const former = this.#former;
    this.#former = undefined;
    this.#onSwitched();
    await former?.close();
  }

  async close(): Promise<void> {
    await this.#model.close();
    await this.#former?.close();
  }

  #modelOf(fingerprint: string): EmbeddingModel {
    const former = this.#former;
    return former?.fingerprint === fingerprint ? former : this.#model;
  }
}

interface EmbeddingsOptions {
  /** Where the bundled model is kept in the form that it runs in, and which model was used last. */
  folder: string;
  log: Pick<Logger, "error" | "warn">;
  /** A folder of the operator's, or the name of a model behind `url`. */
  model?: string | null;
  url?: string | null;
  key?: string | null;
}

/** Which model all texts have vectors of, as it is remembered between starts. */
interface Served {
  fingerprint: string;
  model: string | null;
  url: string | null;
}

/** The model that is set, and beside it the former one for as long as texts have only its vectors. */
export async function openEmbeddings(options: EmbeddingsOptions): Promise<Embeddings> {
  const { folder, model: name = null, url = null } = options;
  const model = await openModel(options);
  const served = readServed(folder);
  const isSame = served === undefined || served.fingerprint === model.fingerprint;
  const former = isSame ? undefined : await openFormer(options, served);
  const onSwitched = () => writeServed(folder, { fingerprint: model.fingerprint, model: name, url });
  return new Embeddings({ model, former, onSwitched });
}

/** The model behind an endpoint, in a folder of the operator's, or the bundled one. */
async function openModel(options: EmbeddingsOptions): Promise<EmbeddingModel> {
  const { folder, log, model = null, url = null, key = null } = options;
  if (url !== null) {
    if (model === null)
      throw new AppError("bad_request", "KENNING_EMBEDDINGS_URL is set, and no model is named.", {
        hint: "Set KENNING_EMBEDDINGS_MODEL to the name that the endpoint knows it by.",
      });
    return new EndpointModel({ url, model, key });
  }
  return model === null ? ThreadModel.bundled(folder, log) : await ThreadModel.inFolder(model, log);
}

async function openFormer(options: EmbeddingsOptions, served: Served): Promise<EmbeddingModel | undefined> {
  // The key is for the endpoint that is set now, and nobody else's.
  const key = served.url === options.url ? (options.key ?? null) : null;
  try {
    const former = await openModel({ ...options, ...served, key });
    return former.fingerprint === served.fingerprint ? former : undefined;
  } catch (err) {
    options.log.warn({ err }, "the former model for embeddings is gone: words alone are searched meanwhile");
    return undefined;
  }
}

function readServed(folder: string): Served | undefined {
  try {
    const served = JSON.parse(readFileSync(servedPath(folder), "utf8"));
    return typeof served?.fingerprint === "string" ? served : undefined;
  } catch {
    return undefined;
  }
}

function writeServed(folder: string, served: Served): void {
  if (readServed(folder)?.fingerprint === served.fingerprint) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const half = `${servedPath(folder)}.${process.pid}.half`;
  writeFileSync(half, JSON.stringify(served), { mode: 0o600 });
  renameSync(half, servedPath(folder));
}

function servedPath(folder: string): string {
  return join(folder, "served.json");
}
