import type { Attribute, Entry, Times } from "../types.ts";
import { fold } from "./languages.ts";

/** What is written to disk of each entry. */
const COLUMNS = [
  ...(["ids", "seqs", "sayings", "lengths", "alive"] as const),
  ...(["validFroms", "validTos", "knownFroms", "knownTos", "endsKnown", "earlierTos"] as const),
  ...(["languages", "threads", "orders", "speakers", "asks"] as const),
];

/** Slots: per-entry columns by its place in the index. A place is used once; compaction gives new ones. */
export class Slots {
  ids = new Float64Array(256);
  seqs = new Float64Array(256);
  /** What tells whether an entry says the same as before. */
  sayings = new Float64Array(256);
  lengths = new Float32Array(256);
  /** 1 where an entry is, 0 where one was. */
  alive = new Uint8Array(256);
  validFroms = new Float64Array(256);
  validTos = new Float64Array(256);
  knownFroms = new Float64Array(256);
  knownTos = new Float64Array(256);
  /** When its end became known, and the latest end that was believed in before. */
  endsKnown = new Float64Array(256);
  earlierTos = new Float64Array(256);
  languages = new Uint8Array(256);
  /** Thread and place in it; -1 without one. */
  threads = new Int32Array(256);
  orders = new Float64Array(256);
  /** Who says it; -1 where that is not known. */
  speakers = new Int32Array(256);
  /** 1 where it ends with a question mark. */
  asks = new Uint8Array(256);
  /** Who comes before and after it in its thread; -1 where nobody does. */
  previous = new Int32Array(256);
  next = new Int32Array(256);
  used = 0;
  live = 0;
  totalLength = 0;
  readonly #slotOf = new Map<number, number>();
  readonly languageNames: string[] = [];
  /** How many entries are in each. */
  readonly #languageCounts: number[] = [];
  readonly speakerNames: string[] = [];
  readonly #speakerOf = new Map<string, number>();
  /** Speakers by their first names. */
  readonly #speakersCalled = new Map<string, number[]>();
  readonly threadKeys: string[] = [];
  readonly #threadOf = new Map<string, number>();
  /** Slots of each thread in their order. */
  readonly #members: number[][] = [];

  constructor(kept?: SlotsParts) {
    if (kept === undefined) return;
    Object.assign(this, kept.columns);
    this.used = kept.columns.ids.length;
    this.previous = new Int32Array(this.used).fill(-1);
    this.next = new Int32Array(this.used).fill(-1);
    for (const name of kept.languageNames) this.#languageNumber(name);
    for (const name of kept.speakerNames) this.#speakerNumber(name);
    for (const key of kept.threadKeys) this.#threadNumber(key);
    const inOrder = Uint32Array.from({ length: this.used }, (_, slot) => slot).filter(
      (slot) => this.alive[slot] === 1,
    );
    inOrder.sort((a, b) => this.orders[a]! - this.orders[b]!);
    for (const slot of inOrder) {
      this.#slotOf.set(this.ids[slot]!, slot);
      this.#count(slot, 1);
      if (this.threads[slot]! >= 0) this.#members[this.threads[slot]!]!.push(slot);
    }
    for (const members of this.#members)
      for (const [place, slot] of members.entries()) this.#link(members[place - 1], slot);
  }

  get bytes(): number {
    return this.ids.length * 115 + this.live * 48;
  }

  slotOf(id: number): number | undefined {
    return this.#slotOf.get(id);
  }

  liveIds(): Iterable<number> {
    return this.#slotOf.keys();
  }

  add(entry: Entry, length: number, language: string): number {
    const slot = this.used++;
    if (slot >= this.ids.length) this.#grow();
    this.ids[slot] = entry.id;
    this.seqs[slot] = entry.seq;
    this.lengths[slot] = length;
    this.alive[slot] = 1;
    this.validFroms[slot] = entry.validFrom ?? Number.NEGATIVE_INFINITY;
    this.validTos[slot] = entry.validTo ?? Number.POSITIVE_INFINITY;
    this.knownFroms[slot] = entry.knownFrom ?? Number.NEGATIVE_INFINITY;
    this.knownTos[slot] = entry.knownTo ?? Number.POSITIVE_INFINITY;
    this.endsKnown[slot] = entry.earlierEnd?.until ?? Number.NEGATIVE_INFINITY;
    this.earlierTos[slot] = entry.earlierEnd?.validTo ?? Number.POSITIVE_INFINITY;
    this.languages[slot] = this.#languageNumber(language);
    this.threads[slot] = entry.thread === undefined ? -1 : this.#threadNumber(entry.thread.key);
    this.orders[slot] = entry.thread?.order ?? 0;
    this.speakers[slot] = entry.speaker === undefined ? -1 : this.#speakerNumber(fold(entry.speaker));
    this.asks[slot] = entry.body.trimEnd().endsWith("?") ? 1 : 0;
    this.previous[slot] = -1;
    this.next[slot] = -1;
    if (entry.thread !== undefined) this.#join(slot);
    this.#slotOf.set(entry.id, slot);
    this.#count(slot, 1);
    return slot;
  }

  remove(id: number): boolean {
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return false;
    this.#slotOf.delete(id);
    this.alive[slot] = 0;
    this.#count(slot, -1);
    this.#members[this.threads[slot]!]?.splice(this.#placeOf(slot), 1);
    this.#link(this.previous[slot], this.next[slot]);
    return true;
  }

  /** Languages with at least this share of the entries, the most frequent first. */
  languagesAbove(share: number): { name: string; count: number }[] {
    const all = this.languageNames.map((name, number) => ({ name, count: this.#languageCounts[number]! }));
    return all
      .filter(({ count }) => count > 0 && count >= share * this.live)
      .sort((a, b) => b.count - a.count);
  }

  /** Takes out of a mask what is not within these times. */
  keepWithin(mask: Uint8Array, { at, knownAt, endsAfter, knownSince, knownBefore }: Times): void {
    if (knownAt !== undefined) {
      dropAbove(mask, this.knownFroms, knownAt);
      dropUpTo(mask, this.knownTos, knownAt);
    }
    // Times are whole numbers.
    if (knownSince !== undefined) dropUpTo(mask, this.knownFroms, knownSince - 1);
    if (knownBefore !== undefined) dropAbove(mask, this.knownFroms, knownBefore - 1);
    if (at !== undefined) dropAbove(mask, this.validFroms, at);
    const ends = knownAt === undefined ? this.validTos : this.#endsAsKnown(knownAt, mask.length);
    if (at !== undefined) dropUpTo(mask, ends, at);
    if (endsAfter !== undefined) dropUpTo(mask, ends, endsAfter);
  }

  /** The latest end of each that was believed in at a time. */
  #endsAsKnown(knownAt: number, count: number): Float64Array {
    const ends = this.validTos.slice(0, count);
    for (let slot = 0; slot < count; slot++)
      if (knownAt < this.endsKnown[slot]!) ends[slot] = this.earlierTos[slot]!;
    return ends;
  }

  /** As arrays without spare room, to be written to disk. */
  parts(): SlotsParts {
    const columns = COLUMNS.map((name) => [name, this[name].subarray(0, this.used)]);
    return {
      columns: Object.fromEntries(columns) as SlotColumns,
      languageNames: this.languageNames,
      threadKeys: this.threadKeys,
      speakerNames: this.speakerNames,
    };
  }

  #join(slot: number): void {
    const members = this.#members[this.threads[slot]!]!;
    const place = this.#placeOf(slot);
    this.#link(slot, members[place]);
    this.#link(members[place - 1], slot);
    members.splice(place, 0, slot);
  }

  #link(first = -1, second = -1): void {
    if (first >= 0) this.next[first] = second;
    if (second >= 0) this.previous[second] = first;
  }

  /** Where it is or belongs in its thread: by order, then by slot. */
  #placeOf(slot: number): number {
    const members = this.#members[this.threads[slot]!] ?? [];
    const order = this.orders[slot]!;
    let [low, high] = [0, members.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = members[middle]!;
      const isBefore = this.orders[other]! < order || (this.orders[other]! === order && other < slot);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #threadNumber(key: string): number {
    const known = this.#threadOf.get(key);
    if (known !== undefined) return known;
    this.#threadOf.set(key, this.threadKeys.length);
    this.#members.push([]);
    return this.threadKeys.push(key) - 1;
  }

  /** The one speaker whose name, or first name, is among these words; none where several are. */
  speakerAmong(words: ReadonlySet<string>): number | undefined {
    const named = [...words].flatMap((word) => this.#speakersCalled.get(word) ?? []);
    return named.length === 1 ? named[0] : undefined;
  }

  #speakerNumber(name: string): number {
    const known = this.#speakerOf.get(name);
    if (known !== undefined) return known;
    const number = this.speakerNames.push(name) - 1;
    this.#speakerOf.set(name, number);
    const [called = name] = name.split(" ");
    const others = this.#speakersCalled.get(called);
    if (others === undefined) this.#speakersCalled.set(called, [number]);
    else others.push(number);
    return number;
  }

  #languageNumber(name: string): number {
    const known = this.languageNames.indexOf(name);
    if (known >= 0) return known;
    this.#languageCounts.push(0);
    return this.languageNames.push(name) - 1;
  }

  #count(slot: number, by: 1 | -1): void {
    this.live += by;
    this.totalLength += by * this.lengths[slot]!;
    this.#languageCounts[this.languages[slot]!]! += by;
  }

  #grow(): void {
    const size = Math.ceil(this.ids.length * 1.5) + 256;
    const { previous, next } = this;
    const larger = Object.entries({ ...this.parts().columns, previous, next }).map(([name, array]) => {
      const copy = new (array.constructor as Float64ArrayConstructor)(size);
      copy.set(array as Float64Array);
      return [name, copy];
    });
    Object.assign(this, Object.fromEntries(larger));
  }
}

export type SlotColumns = Pick<Slots, (typeof COLUMNS)[number]>;

export interface SlotsParts {
  columns: SlotColumns;
  languageNames: readonly string[];
  threadKeys: readonly string[];
  speakerNames: readonly string[];
}

function dropAbove(mask: Uint8Array, column: Float64Array, most: number): void {
  for (let slot = 0; slot < mask.length; slot++) if (column[slot]! > most) mask[slot] = 0;
}

function dropUpTo(mask: Uint8Array, column: Float64Array, least: number): void {
  for (let slot = 0; slot < mask.length; slot++) if (column[slot]! <= least) mask[slot] = 0;
}

/** The term under which the slots with a value of an attribute are listed. No word begins like it. */
export function attributeTerm(name: string, value: Attribute): string {
  return `\u0001${name}=${value}`;
}
