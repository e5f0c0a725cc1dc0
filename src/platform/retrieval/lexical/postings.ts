/** Words of a block's head: where the next one is. */
const HEAD = 1;
const SMALLEST_BLOCK = 2;
const LARGEST_BLOCK = 1_024;
/** Weights are kept in sixteenths, so that a slot and its weight share 32 bits. */
const WEIGHT_STEPS = 16;
const SLOT_BITS = 24;
const SLOT_MASK = 2 ** SLOT_BITS - 1;

/** The weight as it is kept. */
export function keptWeight(weight: number): number {
  return Math.min(255, Math.max(1, Math.round(weight * WEIGHT_STEPS))) / WEIGHT_STEPS;
}

/**
 * For each term the slots in which it stands and its weight there, in one array: a list is a chain of blocks, each
 * larger than the one before, so that a single addition is cheap and a long list is read nearly in a row.
 */
export class Postings {
  /** Of each term: its first and last block, how many blocks, and how many postings. */
  #heads: Uint32Array;
  #tails: Uint32Array;
  #blocks: Uint32Array;
  #counts: Uint32Array;
  #words: Uint32Array;
  /** The first word is no block, so that 0 is none. */
  #end = 1;
  #terms = 0;

  constructor(kept?: PostingsParts) {
    this.#heads = kept?.heads ?? new Uint32Array(1_024);
    this.#tails = kept?.tails ?? new Uint32Array(1_024);
    this.#blocks = kept?.blocks ?? new Uint32Array(1_024);
    this.#counts = kept?.counts ?? new Uint32Array(1_024);
    this.#words = kept?.words ?? new Uint32Array(4_096);
    if (kept === undefined) return;
    this.#end = kept.words.length;
    this.#terms = kept.heads.length;
  }

  get bytes(): number {
    return this.#words.byteLength + 4 * this.#heads.byteLength;
  }

  get total(): number {
    let total = 0;
    for (let term = 0; term < this.#terms; term++) total += this.#counts[term]!;
    return total;
  }

  /** A list for one more term. */
  newTerm(): number {
    const term = this.#terms++;
    if (term >= this.#heads.length) {
      this.#heads = grown(this.#heads);
      this.#tails = grown(this.#tails);
      this.#blocks = grown(this.#blocks);
      this.#counts = grown(this.#counts);
    }
    return term;
  }

  add(term: number, slot: number, weight: number): void {
    const blocks = this.#blocks[term]!;
    let room = blocks === 0 ? 0 : blockEnd(blocks) - this.#counts[term]!;
    if (room === 0) {
      this.#newBlock(term, blocks);
      room = blockSize(blocks);
    }
    const size = blockSize(this.#blocks[term]! - 1);
    const place = this.#tails[term]! + HEAD + size - room;
    this.#words[place] = (Math.round(weight * WEIGHT_STEPS) << SLOT_BITS) | slot;
    this.#counts[term]! += 1;
  }

  #newBlock(term: number, blocks: number): void {
    const size = HEAD + blockSize(blocks);
    while (this.#end + size > this.#words.length) this.#words = grown(this.#words);
    const block = this.#end;
    this.#end += size;
    if (blocks === 0) this.#heads[term] = block;
    else this.#words[this.#tails[term]!] = block;
    this.#tails[term] = block;
    this.#blocks[term]! += 1;
  }

  /** In how many slots it stands, those that are gone among them. */
  count(term: number): number {
    return this.#counts[term]!;
  }

  /** Every posting in the order of the slots. */
  each(term: number, visit: (slot: number, weight: number) => void): void {
    for (const [from, to] of this.#stretches(term))
      for (let at = from; at < to; at++) {
        const word = this.#words[at]!;
        visit(word & SLOT_MASK, (word >>> SLOT_BITS) / WEIGHT_STEPS);
      }
  }

  /**
   * Adds the weights of a term to those of the slots that `wanted` has, and puts slots that had none behind the first
   * `count` of `found`; tells how many there are now. Without a call for each posting, because there are many.
   */
  addTo(term: number, wanted: Uint8Array, weights: Float64Array, found: Uint32Array, count: number): number {
    const words = this.#words;
    let end = count;
    for (const [from, to] of this.#stretches(term))
      for (let at = from; at < to; at++) {
        const word = words[at]!;
        const slot = word & SLOT_MASK;
        if (wanted[slot] === 0) continue;
        if (weights[slot] === 0) found[end++] = slot;
        weights[slot]! += (word >>> SLOT_BITS) / WEIGHT_STEPS;
      }
    return end;
  }

  /** Copies what stands at the slots of a term. */
  copy(term: number, from: Uint8Array, to: Uint8Array): void {
    const words = this.#words;
    for (const [start, end] of this.#stretches(term))
      for (let at = start; at < end; at++) {
        const slot = words[at]! & SLOT_MASK;
        to[slot] = from[slot]!;
      }
  }

  /** Where the postings of a term are. */
  #stretches(term: number): [number, number][] {
    const stretches: [number, number][] = [];
    let left = this.#counts[term]!;
    let block = this.#heads[term]!;
    for (let nth = 0; left > 0; nth++) {
      const from = block + HEAD;
      stretches.push([from, from + Math.min(left, blockSize(nth))]);
      left -= blockSize(nth);
      block = this.#words[block]!;
    }
    return stretches;
  }

  /** As arrays without spare room, to be written to disk. */
  parts(): PostingsParts {
    const of = (array: Uint32Array) => array.subarray(0, this.#terms);
    return {
      heads: of(this.#heads),
      tails: of(this.#tails),
      blocks: of(this.#blocks),
      counts: of(this.#counts),
      words: this.#words.subarray(0, this.#end),
    };
  }
}

export interface PostingsParts {
  heads: Uint32Array;
  tails: Uint32Array;
  blocks: Uint32Array;
  counts: Uint32Array;
  words: Uint32Array;
}

function blockSize(nth: number): number {
  return nth >= 9 ? LARGEST_BLOCK : SMALLEST_BLOCK << nth;
}

/** Postings that fit into so many blocks. */
function blockEnd(blocks: number): number {
  if (blocks <= 9) return (SMALLEST_BLOCK << blocks) - SMALLEST_BLOCK;
  return blockEnd(9) + (blocks - 9) * LARGEST_BLOCK;
}

function grown(array: Uint32Array): Uint32Array {
  const larger = new Uint32Array(Math.ceil(array.length * 1.5) + 1_024);
  larger.set(array);
  return larger;
}
