import type { SemanticModel } from "./model.ts";

const MOST_DOCUMENTS = 200;
const MOST_CHARACTERS = 32 * 1024 * 1024;

/**
 * The last documents of published models that were read. A version is never changed, so its document is good for as
 * long as the catalog says that this version is the published one. Frozen, because all calls share them.
 */
export class KeptDocuments {
  readonly #kept = new Map<string, { document: SemanticModel; characters: number }>();
  #characters = 0;

  get(modelId: number, version: number): SemanticModel | undefined {
    const key = keyOf(modelId, version);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.document;
  }

  keep(modelId: number, version: number, document: SemanticModel): SemanticModel {
    const key = keyOf(modelId, version);
    const characters = JSON.stringify(document).length;
    this.#drop(key);
    this.#kept.set(key, { document: freeze(document), characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_DOCUMENTS && this.#characters <= MOST_CHARACTERS) break;
      this.#drop(oldest);
    }
    return document;
  }

  #drop(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }
}

function keyOf(modelId: number, version: number): string {
  return `${modelId}:${version}`;
}

/** With everything in it; a document comes out of JSON and is as deep as its format allows. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
