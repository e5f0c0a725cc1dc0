import { type Embedding, type Embeddings, MINILM_FINGERPRINT } from "../../../platform/embeddings/index.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";

/** From this on, and so far before all others, a name is near enough to be offered. */
const OFFERED = { least: 0.4, margin: 0.1 };
/** Names that are compared. */
const MOST_OFFERED = 200;

/** Compares words with names by what they mean; only by the model that comes with Kenning, whose scale is known. */
export class Meanings {
  readonly #embeddings: Embeddings;

  constructor(embeddings: Embeddings) {
    this.#embeddings = embeddings;
  }

  /** Names of numbers and columns that are near enough to be offered, the nearest first. */
  async offered(words: string, { model, schema }: Knowledge): Promise<string[]> {
    if (this.#embeddings.fingerprint !== MINILM_FINGERPRINT) return [];
    const isKey = (ds: string, field: string) => schema.datasets.get(ds)?.key.includes(field) === true;
    const fields = model.datasets.flatMap(({ name: ds, fields }) =>
      fields.flatMap(({ name }) => (isKey(ds, name) ? [] : [name])),
    );
    const names = [...new Set([...model.metrics.map(({ name }) => name), ...fields])]
      .slice(0, MOST_OFFERED)
      .map((name) => name.replaceAll("_", " "));
    const [said, ...vectors] = (await this.#embeddings.embed([words, ...names])) as [
      Embedding,
      ...Embedding[],
    ];
    const scored = names
      .map((name, i) => ({ name, score: cosine(said, vectors[i] as Embedding) }))
      .toSorted((a, b) => b.score - a.score);
    const [best] = scored;
    if (best === undefined || best.score < OFFERED.least) return [];
    // "price" and "average price" are one to choose from.
    const own = best.name.split(" ");
    const isAkin = ({ name }: { name: string }) => name.split(" ").some((part) => own.includes(part));
    const other = scored.find((each) => !isAkin(each));
    if (other !== undefined && best.score - other.score < OFFERED.margin) return [];
    return scored.filter((each) => isAkin(each) && each.score >= OFFERED.least).map(({ name }) => name);
  }
}

function cosine(a: Embedding, b: Embedding): number {
  const [one, other] = [Int8Array.from(a.vector), Int8Array.from(b.vector)];
  let [both, ones, others] = [0, 0, 0];
  for (const [i, x] of one.entries()) {
    const y = other[i] ?? 0;
    both += x * y;
    ones += x * x;
    others += y * y;
  }
  return both / Math.sqrt(ones * others || 1);
}
