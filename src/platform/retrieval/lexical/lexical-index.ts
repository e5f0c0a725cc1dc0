import { hash } from "node:crypto";
import { LIMITS } from "../limits.ts";
import type { Recipe } from "../recipes.ts";
import type { CollectionStats, Entry, Filter, Times } from "../types.ts";
import { Vectors, type VectorsParts } from "../vectors.ts";
import { type AnalysedEntry, analyseEntry, type QueryWord } from "./analysis.ts";
import { Postings, type PostingsParts } from "./postings.ts";
import { attributeTerm, Slots, type SlotsParts } from "./slots.ts";

/** Fewer dead slots than this, or than a third of the living, are left where they are. */
const DEAD_SLOTS = 1_000;
/** Languages that questions are read in, and the share of the entries that one must have. */
const LANGUAGES = 4;
const LANGUAGE_SHARE = 0.01;
/** What parts of words count beside words. */
const PART_WEIGHT = 0.2;
/** Parts of each word that find entries where all of them would find too many. */
const FINDING_PARTS = 3;
/** The best of what these find are weighed by all parts. */
const WEIGHED_AGAIN = 200;
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
  #vectors: Vectors;
  #scratch = new Scratch(0);
  /** What a filter let through, until an entry comes or goes. */
  #lastMask: { of: string; mask: Uint8Array } | undefined;

  /** Vectors of the model with this fingerprint are kept, others are not. */
  constructor(recipe: Recipe, fingerprint = "", kept?: LexicalParts) {
    this.#recipe = recipe;
    this.#vectors = new Vectors(fingerprint, kept?.vectors);
    this.#terms = new Map(kept?.terms.map((term, number) => [term, number]));
    this.#postings = new Postings(kept?.postings);
    this.#slots = new Slots(kept?.slots);
  }

  get slots(): Slots {
    return this.#slots;
  }

  get vectors(): Vectors {
    return this.#vectors;
  }

  get stats(): CollectionStats {
    return {
      entries: this.#slots.live,
      vectors: this.#vectors.count,
      postings: this.#postings.total,
      bytes: this.bytes,
    };
  }

  get bytes(): number {
    return this.#postings.bytes + this.#slots.bytes + this.#vectors.bytes + this.#terms.size * TERM_BYTES;
  }

  /** Puts the entry in the place of what it was before. What has only got its vector keeps its slot. */
  put({ embedding, ...entry }: Entry): void {
    const said = sayingOf(entry);
    const former = this.#slots.slotOf(entry.id);
    const slot =
      former !== undefined && this.#slots.sayings[former] === said ? former : this.#add(entry, said);
    this.#slots.seqs[slot] = entry.seq;
    if (embedding?.fingerprint === this.#vectors.fingerprint)
      this.#vectors.set(slot, Int8Array.from(embedding.vector));
    else this.#vectors.clear(slot);
  }

  #add(entry: Entry, said: number): number {
    const analysed = analyseEntry(entry, this.#recipe);
    this.remove(entry.id);
    if (this.#slots.live >= LIMITS.retrieval.entries) throw new Error("an index is full");
    this.#lastMask = undefined;
    const slot = this.#slots.add(entry, analysed.length, analysed.language);
    this.#slots.sayings[slot] = said;
    this.#addPostings(slot, analysed, entry);
    return slot;
  }

  remove(id: number): boolean {
    const slot = this.#slots.slotOf(id);
    if (slot === undefined) return false;
    this.#lastMask = undefined;
    this.#slots.remove(id);
    this.#vectors.clear(slot);
    const dead = this.#slots.used - this.#slots.live;
    if (dead > DEAD_SLOTS && dead > this.#slots.live / 3) this.compact();
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

  /** Languages in which questions are read, the most frequent first. */
  get languages(): string[] {
    return this.allLanguages(LANGUAGE_SHARE).slice(0, LANGUAGES);
  }

  /** Those that at least this share of the entries is in. */
  allLanguages(share = 0): string[] {
    const names = this.#slots.languagesAbove(share).map(({ name }) => name);
    return names.filter((name) => name !== "");
  }

  /** 1 for each slot that may be found. */
  mask(filter: Filter = {}, times: Times = {}): Uint8Array {
    const mask = this.#filtered(filter);
    if (!hasTimes(times)) return mask;
    const timed = mask.slice(0, this.#slots.used);
    this.#slots.keepWithin(timed, times);
    return timed;
  }

  /** The same filters are asked for again and again. */
  #filtered(filter: Filter): Uint8Array {
    const conditions = Object.entries(filter);
    const { alive, used } = this.#slots;
    if (conditions.length === 0) return alive;
    const of = JSON.stringify(filter);
    if (this.#lastMask?.of === of) return this.#lastMask.mask;
    let mask: Uint8Array = alive;
    for (const [name, values] of conditions) {
      const next = new Uint8Array(used);
      for (const value of new Set(values)) {
        const term = this.#terms.get(attributeTerm(name, value));
        if (term !== undefined) this.#postings.copy(term, mask, next);
      }
      mask = next;
    }
    this.#lastMask = { of, mask };
    return mask;
  }

  /** The best `k` of those that the mask lets through, best first. A score is the part of the question's weight. */
  search(words: readonly QueryWord[], mask: Uint8Array, k: number, language = ""): ScoredSlot[] {
    if (this.#scratch.size < this.#slots.used) this.#scratch = new Scratch(this.#slots.ids.length);
    const { scores, touched } = this.#scratch;
    const { alive } = this.#slots;
    const entries = this.#countIn(language);
    let count = 0;
    let most = 0;
    const add = (terms: readonly string[], weight: number, among: Uint8Array, found: Uint8Array) => {
      const { standing, all } = this.#gather(terms, among);
      const stands = among === alive ? standing : this.#postingsOf(terms);
      const idf = weight * Math.log(1 + (Math.max(0, entries - stands) + 0.5) / (stands + 0.5));
      most += idf * (this.#recipe.k1 + 1);
      count = this.#score(all, idf, found, count);
    };
    for (const { terms } of words) add(terms, 1, alive, mask);
    const { first, rest } = this.#partsOf(words);
    for (const part of first) add([part], PART_WEIGHT, alive, mask);
    const slots = touched.subarray(0, count);
    let best = bestOf(slots, scores, rest.length === 0 ? k : Math.max(k, WEIGHED_AGAIN));
    if (rest.length > 0) {
      const { own, around } = this.#marked(best);
      for (const part of rest) add([part], PART_WEIGHT, around, own);
      best = bestOf(best, scores, k);
    }
    const hits = best.map((slot) => ({ slot, score: Math.min(1, scores[slot]! / most) }));
    for (const slot of slots) scores[slot] = 0;
    return hits;
  }

  /** Parts of words stand in many entries: where there are too many, the rarest find them, and the rest only weighs. */
  #partsOf(words: readonly QueryWord[]): { first: string[]; rest: string[] } {
    const all = words.map(({ parts }) =>
      parts.map((part) => ({ part, count: this.#postingsOf([part]) })).sort((a, b) => a.count - b.count),
    );
    const total = all.flat().reduce((sum, { count }) => sum + count, 0);
    const finding = total > this.#recipe.partPostings ? FINDING_PARTS : Number.POSITIVE_INFINITY;
    const named = (parts: { part: string }[]) => parts.map(({ part }) => part);
    return {
      first: all.flatMap((parts) => named(parts.slice(0, finding))),
      rest: all.flatMap((parts) => named(parts.slice(finding))),
    };
  }

  #postingsOf(terms: readonly string[]): number {
    const numbers = terms.flatMap((term) => this.#terms.get(term) ?? []);
    return numbers.reduce((sum, number) => sum + this.#postings.count(number), 0);
  }

  /** These slots, and these with those that lend them their words. */
  #marked(slots: readonly number[]): { own: Uint8Array; around: Uint8Array } {
    const own = new Uint8Array(this.#slots.used);
    for (const slot of slots) own[slot] = 1;
    const around = own.slice();
    const { previous, next } = this.#slots;
    const mark = (slot: number, following: Int32Array, steps: number) => {
      for (let nth = 0, other = following[slot]!; nth < steps && other >= 0; nth++, other = following[other]!)
        around[other] = 1;
    };
    for (const slot of slots) {
      mark(slot, previous, this.#recipe.before.length);
      mark(slot, next, this.#recipe.after.length);
    }
    return { own, around };
  }

  /** How rare a word is shows among the entries of its language and those of none: in others it does not stand. */
  #countIn(language: string): number {
    const counts = new Map(this.#slots.languagesAbove(0).map(({ name, count }) => [name, count]));
    const own = counts.get(language) ?? 0;
    return own < LANGUAGE_SHARE * this.#slots.live ? this.#slots.live : own + (counts.get("") ?? 0);
  }

  /** Adds what one word says to the scores; `count` slots had one before, and so many as it returns have one now. */
  #score(found: number, idf: number, mask: Uint8Array, count: number): number {
    const { scores, weights, own, touched } = this.#scratch;
    const { totalLength, live } = this.#slots;
    const { k1, b, before, after: behind } = this.#recipe;
    const shares = [...before, ...behind].reduce((sum, share) => sum + share, 1);
    const [plain, perLength] = [k1 * (1 - b), (k1 * b * live) / (totalLength * shares)];
    const most = idf * (k1 + 1);
    let after = count;
    for (let i = 0; i < found; i++) {
      const slot = own[i]!;
      const weight = weights[slot]!;
      weights[slot] = 0;
      if (mask[slot] === 0) continue;
      if (scores[slot] === 0) touched[after++] = slot;
      scores[slot]! += (most * weight) / (weight + plain + perLength * this.#lengthAround(slot));
    }
    return after;
  }

  /** The length of an entry with what its neighbours lend to it. */
  #lengthAround(slot: number): number {
    const { lengths, previous, next } = this.#slots;
    const { before, after } = this.#recipe;
    let length = lengths[slot]!;
    for (let nth = 0, other = previous[slot]!; nth < before.length && other >= 0; nth++) {
      length += before[nth]! * lengths[other]!;
      other = previous[other]!;
    }
    for (let nth = 0, other = next[slot]!; nth < after.length && other >= 0; nth++) {
      length += after[nth]! * lengths[other]!;
      other = next[other]!;
    }
    return length;
  }

  /** Sums up the weights of terms in slots; tells in how many they stand, and how many have a weight by neighbours too. */
  #gather(terms: readonly string[], among: Uint8Array): { standing: number; all: number } {
    const { weights, own } = this.#scratch;
    let standing = 0;
    for (const term of terms) {
      const number = this.#terms.get(term);
      if (number !== undefined) standing = this.#postings.addTo(number, among, weights, own, standing);
    }
    const { before, after } = this.#recipe;
    return { standing, all: before.length + after.length === 0 ? standing : this.#spread(standing) };
  }

  /** Lends the weights of the first `standing` slots to their neighbours; tells how many slots have one now. */
  #spread(standing: number): number {
    const { weights, lent, own } = this.#scratch;
    const { previous, next } = this.#slots;
    const { before, after } = this.#recipe;
    let found = standing;
    for (let i = 0; i < standing; i++) {
      const slot = own[i]!;
      for (let nth = 0, other = next[slot]!; nth < before.length && other >= 0; nth++, other = next[other]!) {
        if (weights[other] === 0 && lent[other] === 0) own[found++] = other;
        lent[other]! += before[nth]! * weights[slot]!;
      }
      for (let nth = 0, other = previous[slot]!; nth < after.length && other >= 0; nth++) {
        if (weights[other] === 0 && lent[other] === 0) own[found++] = other;
        lent[other]! += after[nth]! * weights[slot]!;
        other = previous[other]!;
      }
    }
    for (let i = 0; i < found; i++) {
      const slot = own[i]!;
      weights[slot]! += lent[slot]!;
      lent[slot] = 0;
    }
    return found;
  }

  /** Gives the living new slots in a row, and forgets the dead ones' postings. */
  compact(): void {
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
    this.#lastMask = undefined;
    this.#slots = new Slots({ ...old, columns: columns as unknown as SlotsParts["columns"] });
    this.#postings = postings;
    this.#terms = terms;
    this.#vectors = this.#vectors.moved(kept);
  }

  parts(): LexicalParts {
    return {
      terms: [...this.#terms.keys()],
      postings: this.#postings.parts(),
      slots: this.#slots.parts(),
      vectors: this.#vectors.parts(this.#slots.used),
    };
  }
}

/** A number of 48 bits that is another one where anything but the entry's vector is. */
function sayingOf({ seq: _, ...said }: Omit<Entry, "embedding">): number {
  return hash("sha1", JSON.stringify(said), "buffer").readUIntBE(0, 6);
}

function hasTimes({ at, knownAt, endsAfter, knownSince, knownBefore }: Times): boolean {
  return [at, knownAt, endsAfter, knownSince, knownBefore].some((time) => time !== undefined);
}

/** Space for a search, by slot; zero between searches. */
class Scratch {
  readonly size: number;
  readonly scores: Float64Array;
  /** The weight of the present word, and what neighbours lend. */
  readonly weights: Float64Array;
  readonly lent: Float64Array;
  /** Slots with a weight, and with a score. */
  readonly own: Uint32Array;
  readonly touched: Uint32Array;

  constructor(size: number) {
    this.size = size;
    this.scores = new Float64Array(size);
    this.weights = new Float64Array(size);
    this.lent = new Float64Array(size);
    this.own = new Uint32Array(size);
    this.touched = new Uint32Array(size);
  }
}

export interface LexicalParts {
  /** By their numbers. */
  terms: string[];
  postings: PostingsParts;
  slots: SlotsParts;
  vectors: VectorsParts;
}

/** The `k` slots with the highest scores, best first; among equals the earlier one. */
function bestOf(slots: Iterable<number>, scores: Float64Array, k: number): number[] {
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
