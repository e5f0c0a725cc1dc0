import { type Embedding, type Embeddings, MINILM_FINGERPRINT } from "../../../platform/embeddings/index.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { type Target, targetsIn } from "./targets.ts";

/** How near the meaning of some words is to a column's, -1 to 1. */
export interface Near {
  target: Target;
  score: number;
}

/** From this on, and so far before all others, a name is near enough to be offered. */
const OFFERED = { least: 0.4, margin: 0.1 };
/** Names that are compared. */
const MOST_OFFERED = 200;

interface Column {
  target: Target;
  vectors: Embedding[];
}

/** Compares words with columns by what they mean; only by the model that comes with Kenning, whose scale is known. */
export class Meanings {
  readonly #embeddings: Embeddings;
  readonly #columns = new WeakMap<Knowledge["model"], Promise<Column[]>>();

  constructor(embeddings: Embeddings) {
    this.#embeddings = embeddings;
  }

  /** The columns, nearest first. */
  async nearest(words: string, knowledge: Knowledge): Promise<Near[]> {
    if (this.#embeddings.fingerprint !== MINILM_FINGERPRINT) return [];
    const columns = await this.#columnsOf(knowledge);
    const [said] = (await this.#embeddings.embed([words])) as [Embedding];
    return columns
      .map(({ target, vectors }) => ({
        target,
        score: Math.max(...vectors.map((each) => cosine(said, each))),
      }))
      .toSorted((a, b) => b.score - a.score);
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

  #columnsOf(knowledge: Knowledge): Promise<Column[]> {
    const known = this.#columns.get(knowledge.model) ?? this.#embed(knowledge);
    this.#columns.set(knowledge.model, known);
    known.catch(() => this.#columns.delete(knowledge.model));
    return known;
  }

  async #embed(knowledge: Knowledge): Promise<Column[]> {
    const targets = targetsIn(knowledge).filter((target) => target.kind !== "table" && !isFlag(target));
    const texts = targets.map(textsOf);
    const vectors = await this.#embeddings.embed(texts.flat());
    return targets.map((target, i) => ({ target, vectors: taken(vectors, texts, i) }));
  }
}

/** What is true or not is true of something else where only its meaning is near: "speaks Spanish" is not "hispanic". */
function isFlag({ kind, values }: Target): boolean {
  return kind === "boolean" || (values.length > 0 && values.every((value) => FLAG.test(value)));
}

const FLAG = /^\s*(?:yes|true|ja|wahr|false|nein|falsch)\s*$/i;

/** A column by its name, and with some of its values, which say what it is about. */
function textsOf({ called, values }: Target): string[] {
  const name = (called.at(-1) ?? []).filter((part) => part !== "id").join(" ");
  return values.length === 0 ? [name] : [name, `${name}: ${values.map((value) => value.trim()).join(", ")}`];
}

function taken(
  vectors: readonly Embedding[],
  texts: readonly (readonly string[])[],
  at: number,
): Embedding[] {
  const from = texts.slice(0, at).reduce((sum, each) => sum + each.length, 0);
  return vectors.slice(from, from + (texts[at]?.length ?? 0));
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
