import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { createGuardedFetch, type GuardedFetch } from "../guarded-fetch/index.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { LIMITS } from "./limits.ts";
import { packVector, toUnitLength } from "./packing.ts";

export interface EndpointOptions {
  /** As OpenAI's `https://…/v1`; `/embeddings` is added. */
  url: string;
  model: string;
  key: string | null;
}

const answerShape = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.number()).min(1).max(8_192) })),
});

/** A model behind an endpoint that speaks as OpenAI's does: their own, Text Embeddings Inference, Ollama, vLLM. */
export class EndpointModel implements EmbeddingModel {
  readonly fingerprint: string;
  readonly languages = undefined;
  readonly stepCharacters = Number.POSITIVE_INFINITY;
  readonly #options: EndpointOptions;
  readonly #fetch: GuardedFetch;

  constructor(options: EndpointOptions) {
    this.#options = options;
    const { hostname, port, protocol } = new URL(options.url);
    this.fingerprint = `${hostname}/${options.model}`;
    // The operator named it, so it may be on a private network; where it redirects to may not.
    this.#fetch = createGuardedFetch({
      allow: [`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`],
    });
  }

  async passages(texts: readonly string[]) {
    return (await this.#ask(texts)).map((vector) => ({ vector: packVector(vector) }));
  }

  async query(text: string) {
    const [vector] = (await this.#ask([text])) as [Float32Array];
    return { vector };
  }

  async close(): Promise<void> {
    await this.#fetch.close();
  }

  async #ask(texts: readonly string[]): Promise<Float32Array[]> {
    const { url, model, key } = this.#options;
    // Endpoints refuse what is empty.
    const input = texts.map((text) => text.slice(0, LIMITS.embeddings.characters) || " ");
    const answer = answerShape.safeParse(
      await this.#fetch.fetchJson(`${url.replace(/\/+$/, "")}/embeddings`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(key !== null && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, input, encoding_format: "float" }),
        totalMs: LIMITS.embeddings.endpointMs,
      }),
    );
    if (!answer.success || answer.data.data.length !== texts.length)
      throw new AppError("unavailable", "The endpoint for embeddings gave no vector for each text.", {
        hint: "Check KENNING_EMBEDDINGS_URL and KENNING_EMBEDDINGS_MODEL.",
      });
    const vectors: Float32Array[] = [];
    for (const { index, embedding } of answer.data.data) vectors[index] = Float32Array.from(embedding);
    for (const vector of vectors) toUnitLength(vector, vector.length);
    return vectors;
  }
}
