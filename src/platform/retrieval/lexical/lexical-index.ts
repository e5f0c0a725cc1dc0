import { LIMITS } from "../limits.ts";
import type { Recipe } from "../recipes.ts";
import type { CollectionStats, Entry, Filter } from "../types.ts";
import { type AnalysedEntry, analyseEntry, type QueryWord } from "./analysis.ts";
import { Postings, type PostingsParts } from "./postings.ts";
import { attributeTerm, Slots, type SlotsParts } from "./slots.ts";

/** Fewer dead slots than this, or than a third of the living, are left where they are. */
const DEAD_SLOTS = 1_000;
/** What a term costs beside its postings: its text and its place in the map. */
const TERM_BYTES = 80;

export interface ScoredSlot {
  slot: number;
  score: number;
}

/**
 * BM25F over one collection, in memory. The weights of all fields, and of neighbours in a thread, are summed before
 * they saturate. Numbers of entries and their lengths are exact at all times: what was removed counts nowhere.
 */
export class LexicalIndex {
  readonly #recipe: Recipe;
  #terms: Map<string, number>;
  #postings: Postings;
  #slots: Slots;
  /** Scratch space of a search, zero between searches. */
  #scores = new Float64Array(0);
  #weights = new Float64Array(0);

  constructor(recipe: Recipe, kept?: LexicalParts) {
    this.#recipe = recipe;
    this.#terms = new Map(kept?.terms.map((term, number) => [term, number]));
    this.#postings = new Postings(kept?.postings);
    this.#slots = new Slots(kept?.slots);
  }

  get slots(): Slots {
    return this.#slots;
  }

  get stats(): CollectionStats {
    const { live, languages, languageNames, alive, used } = this.#slots;
    const counts: Record<string, number> = {};
    for (let slot = 0; slot < used; slot++) {
      if (alive[slot] === 0) continue;
      const name = languageNames[languages[slot]!]!;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return {
      entries: live,
      terms: this.#terms.size,
      postings: this.#postings.total,
      bytes: this.bytes,
      languages: counts,
    };
  }

  get bytes(): number {
    return this.#postings.bytes + this.#slots.bytes + this.#terms.size * TERM_BYTES;
  }

  /** Puts the entry in the place of what it was before. */
  put(entry: Entry): void {
    const analysed = analyseEntry(entry, this.#recipe);
    this.remove(entry.id);
    if (this.#slots.live >= LIMITS.retrieval.entries) throw new Error("an index is full");
    const slot = this.#slots.add(entry, analysed.length, analysed.language);
    this.#addPostings(slot, analysed, entry);
  }

  remove(id: number): boolean {
    if (!this.#slots.remove(id)) return false;
    const dead = this.#slots.used - this.#slots.live;
    if (dead > DEAD_SLOTS && dead > this.#slots.live / 3) this.#compact();
    return true;
  }

  #addPostings(slot: number, { terms }: AnalysedEntry, { attributes = {} }: Entry): void {
    for (const [term, weight] of terms) this.#postings.add(this.#numberOf(term), slot, weight);
    for (const [name, value] of Object.entries(attributes)) {
      const values = Array.isArray(value) ? new Set(value) : [value];
      for (const one of values) this.#postings.add(this.#numberOf(attributeTerm(name, one)), slot, 1);
    }
  }

  #numberOf(term: string): number {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const number = this.#postings.newTerm();
    this.#terms.set(term, number);
    return number;
  }

  /** 1 for each slot that may be found. */
  mask(filter: Filter = {}, at?: number): Uint8Array {
    const { alive, used } = this.#slots;
    const conditions = Object.entries(filter);
    if (conditions.length === 0 && at === undefined) return alive;
    let mask = alive.slice(0, used);
    for (const [name, values] of conditions) {
      const next = new Uint8Array(used);
      for (const value of new Set(values)) {
        const term = this.#terms.get(attributeTerm(name, value));
        if (term !== undefined)
          this.#postings.each(term, (slot) => {
            next[slot] = mask[slot]!;
          });
      }
      mask = next;
    }
    if (at !== undefined)
      for (let slot = 0; slot < used; slot++) if (!this.#slots.holdsAt(slot, at)) mask[slot] = 0;
    return mask;
  }

  /** The best `k` of those that the mask lets through, best first. A score is the part of the question's weight. */
  search(words: readonly QueryWord[], mask: Uint8Array, k: number): ScoredSlot[] {
    if (this.#scores.length < this.#slots.used) {
      this.#scores = new Float64Array(this.#slots.ids.length);
      this.#weights = new Float64Array(this.#slots.ids.length);
    }
    const touched: number[] = [];
    let most = 0;
    for (const word of words) most += this.#scoreWord(word, mask, touched);
    const best = bestOf(touched, this.#scores, k);
    const hits = best.map((slot) => ({ slot, score: Math.min(1, this.#scores[slot]! / most) }));
    for (const slot of touched) this.#scores[slot] = 0;
    return hits;
  }

  /** Adds what one word says to the scores, and returns the most that it could say. */
  #scoreWord(word: QueryWord, mask: Uint8Array, touched: number[]): number {
    const scores = this.#scores;
    const weights = this.#weights;
    const found: number[] = [];
    const standing = this.#gather(word, found);
    const { live } = this.#slots;
    const { k1 } = this.#recipe;
    const idf = Math.log(1 + (live - standing + 0.5) / (standing + 0.5)) * word.weight;
    for (const slot of found) {
      const weight = weights[slot]!;
      weights[slot] = 0;
      if (mask[slot] === 0) continue;
      if (scores[slot] === 0) touched.push(slot);
      scores[slot]! += (idf * weight * (k1 + 1)) / (weight + this.#lengthNorm(slot));
    }
    return idf * (k1 + 1);
  }

  /** Sums up the weights of a word in each slot and its neighbours; returns in how many entries it stands itself. */
  #gather({ terms }: QueryWord, found: number[]): number {
    const weights = this.#weights;
    const { alive } = this.#slots;
    const isSpread = this.#recipe.before.length + this.#recipe.after.length > 0;
    const own: number[] = [];
    for (const term of terms) {
      const number = this.#terms.get(term);
      if (number === undefined) continue;
      this.#postings.each(number, (slot, weight) => {
        if (alive[slot] === 0) return;
        if (weights[slot] === 0) own.push(slot);
        weights[slot]! += weight;
      });
    }
    if (!isSpread) {
      for (const slot of own) found.push(slot);
      return own.length;
    }
    this.#spread(own, found);
    return own.length;
  }

  /** Lends the weights of these slots to their neighbours. */
  #spread(own: readonly number[], found: number[]): void {
    const weights = this.#weights;
    const lent = new Map<number, number>();
    for (const slot of own) {
      found.push(slot);
      this.#eachNeighbour(slot, (other, share) => {
        lent.set(other, (lent.get(other) ?? 0) + share * weights[slot]!);
      });
    }
    for (const [slot, weight] of lent) {
      if (weights[slot] === 0) found.push(slot);
      weights[slot]! += weight;
    }
  }

  /** Who borrows from this slot, and which part of its words. */
  #eachNeighbour(slot: number, visit: (other: number, share: number) => void): void {
    const near = this.#slots.neighbours(slot);
    if (near === undefined) return;
    const { before, after } = this.#recipe;
    for (const [i, share] of before.entries()) {
      const other = near.members[near.place + 1 + i];
      if (other !== undefined) visit(other, share);
    }
    for (const [i, share] of after.entries()) {
      const other = near.members[near.place - 1 - i];
      if (other !== undefined) visit(other, share);
    }
  }

  /** What the length of an entry adds to the weight at which a word is worth half. */
  #lengthNorm(slot: number): number {
    const { k1, b } = this.#recipe;
    const { lengths, totalLength, live } = this.#slots;
    return k1 * (1 - b + (b * lengths[slot]! * live) / totalLength);
  }

  /** Gives the living new slots in a row, and forgets the dead ones' postings. */
  #compact(): void {
    const old = this.#slots.parts();
    const kept = Uint32Array.from({ length: this.#slots.used }, (_, slot) => slot).filter(
      (slot) => this.#slots.alive[slot] === 1,
    );
    const newSlot = new Int32Array(this.#slots.used).fill(-1);
    for (const [to, from] of kept.entries()) newSlot[from] = to;
    const columns = Object.fromEntries(
      Object.entries(old.columns).map(([name, array]) => {
        const rest = new (array.constructor as Float64ArrayConstructor)(kept.length);
        for (const [to, from] of kept.entries()) rest[to] = array[from]!;
        return [name, rest];
      }),
    );
    const postings = new Postings();
    const terms = new Map<string, number>();
    for (const [term, number] of this.#terms) {
      let fresh: number | undefined;
      this.#postings.each(number, (slot, weight) => {
        if (newSlot[slot] === -1) return;
        fresh ??= postings.newTerm();
        postings.add(fresh, newSlot[slot]!, weight);
      });
      if (fresh !== undefined) terms.set(term, fresh);
    }
    this.#slots = new Slots({ ...old, columns: columns as unknown as SlotsParts["columns"] });
    this.#postings = postings;
    this.#terms = terms;
  }

  parts(): LexicalParts {
    return {
      terms: [...this.#terms.keys()],
      postings: this.#postings.parts(),
      slots: this.#slots.parts(),
    };
  }
}

export interface LexicalParts {
  /** By their numbers. */
  terms: string[];
  postings: PostingsParts;
  slots: SlotsParts;
}

/** The `k` slots with the highest scores, best first; among equals the earlier one. */
function bestOf(slots: readonly number[], scores: Float64Array, k: number): number[] {
  const isWorse = (a: number, b: number) => scores[a]! < scores[b]! || (scores[a] === scores[b] && a > b);
  const heap: number[] = [];
  for (const slot of slots) {
    if (heap.length < k) {
      heap.push(slot);
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isWorse(heap[at]!, heap[parent]!)) break;
        [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
        at = parent;
      }
    } else if (k > 0 && isWorse(heap[0]!, slot)) {
      heap[0] = slot;
      sink(heap, isWorse);
    }
  }
  return heap.sort((a, b) => (isWorse(a, b) ? 1 : -1));
}

function sink(heap: number[], isWorse: (a: number, b: number) => boolean): void {
  for (let at = 0; ; ) {
    const left = 2 * at + 1;
    if (left >= heap.length) return;
    const child = left + 1 < heap.length && isWorse(heap[left + 1]!, heap[left]!) ? left + 1 : left;
    if (!isWorse(heap[child]!, heap[at]!)) return;
    [heap[at], heap[child]] = [heap[child]!, heap[at]!];
    at = child;
  }
}
