import { inArray } from "drizzle-orm";
import { MS } from "../../kernel/time.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import { type Collection, fold, languageOf, stemOf } from "../../platform/retrieval/index.ts";
import { LIMITS } from "./limits.ts";
import type { MemoryUsage } from "./memories.store.ts";
import { memoryUsage } from "./memory.tables.ts";
import type { VersionsStore } from "./versions.store.ts";

interface Similar {
  key: string;
  title: string | null;
  content: string;
  finding: Finding;
  why: string;
  /** It was among the hits of a recall a short while ago, so that the text may come from there. */
  wasRecalled: boolean;
}

/** How long after a recall a text that says the same is taken to come from it. */
const RECALLED_MS = MS.day;

/** Looks for what is there already when something is to be stored. Finds and tells; whoever stores decides. */
export class Hygiene {
  readonly #catalog: Catalog;
  readonly #collection: Collection;
  readonly #versions: VersionsStore;
  readonly #recalls: MemoryUsage;

  constructor(catalog: Catalog, collection: Collection, versions: VersionsStore, recalls: MemoryUsage) {
    this.#catalog = catalog;
    this.#collection = collection;
    this.#versions = versions;
    this.#recalls = recalls;
  }

  async similarTo(workspaceId: number, content: string, now: Date): Promise<Similar[]> {
    const hits = await this.#collection.search(workspaceId, {
      text: content.slice(0, LIMITS.memory.queryCharacters),
      k: LIMITS.memory.similar,
      filter: { open: [1], retracted: [0] },
      endsAfter: now.getTime(),
    });
    const found = await this.#versions.found(
      workspaceId,
      hits.map(({ id }) => id),
    );
    const similar = hits.flatMap(({ id, legs }) => {
      const version = found.get(id);
      const compared = version && compareFacts(content, version.content, legs.dense ?? 0);
      return compared === undefined ? [] : [{ ...version!, ...compared }];
    });
    const recalled = await this.#recalled(
      similar.map(({ memoryId }) => memoryId),
      now,
    );
    return similar.map(({ memoryId, key, title, content: known, finding, why }) => ({
      key,
      title,
      content: known,
      finding,
      why,
      wasRecalled: recalled.has(memoryId),
    }));
  }

  async #recalled(memoryIds: readonly number[], now: Date): Promise<Set<number>> {
    if (memoryIds.length === 0) return new Set();
    await this.#recalls.write();
    const rows = await this.#catalog.db
      .select({ id: memoryUsage.memoryId, last: memoryUsage.lastRecalledAt })
      .from(memoryUsage)
      .where(inArray(memoryUsage.memoryId, [...memoryIds]));
    return new Set(
      rows.filter(({ last }) => now.getTime() - last.getTime() < RECALLED_MS).map(({ id }) => id),
    );
  }
}

/** What a new text is beside one that is there already. */
type Finding = "duplicate" | "update" | "contradiction" | "contained";

interface Compared {
  finding: Finding;
  why: string;
}

/** From here on two texts may say the same; what differs then is looked at by itself. */
const LIKENESS = { cosine: 0.9, words: 0.8 };
/** Three words in a row; a text is part of another where nearly all of them are. */
const RUN = 3;
const CONTAINED = 0.9;
/** Characters of each that are compared. */
const COMPARED = 10_000;
/** Shorter texts are part of many others. */
const CONTAINED_WORDS = 6;
const SHOWN = 5;

const WORD = /[\p{L}\p{N}]+(?:['’.,:/-][\p{L}\p{N}]+)*/gu;
const NUMBER = /\d/;
const AUXILIARIES = new Set(["do", "does", "did"]);
/** Words that a sentence is built with and that no two facts differ by. */
const GRAMMAR = new Set(
  "a an the be is are was were been being has have had do does did it its der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden wurde wurden worden sein hat haben hatte hatten es".split(
    " ",
  ),
);
/** Of two texts with this part of their words in common, and few others on each side, one has other words for the same place. */
const SAME_FRAME = 0.6;
const OTHER_WORDS = 3;
const NEGATIONS = new Set(
  "not no never none nobody nothing neither nor without cannot nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder".split(
    " ",
  ),
);

/**
 * Compares what is nearly alike. No likeness tells "the same" from "changed": a changed number, date or name, or a
 * negation, does. Undefined where the two are about different things.
 */
function compareFacts(fresh: string, known: string, cosine: number): Compared | undefined {
  const [now, before] = [fresh.slice(0, COMPARED), known.slice(0, COMPARED)];
  const [one, other] = [wordsOf(now), wordsOf(before)];
  const likeness = wordLikeness(one, other);
  if (cosine >= LIKENESS.cosine || likeness >= LIKENESS.words) return differenceOf(now, before, one, other);
  if (other.length >= CONTAINED_WORDS && one.length > other.length && shareOfRuns(other, one) >= CONTAINED)
    return { finding: "contained", why: "Its whole text is part of this one." };
  return undefined;
}

function differenceOf(
  fresh: string,
  known: string,
  one: readonly string[],
  other: readonly string[],
): Compared {
  if (isNegated(one) !== isNegated(other))
    return { finding: "contradiction", why: "One of them says the opposite of the other." };
  const numbers = changed(one.filter(isNumber), other.filter(isNumber));
  if (numbers !== undefined) return { finding: "update", why: `Numbers or dates differ: ${numbers}.` };
  const names = changed(namesIn(fresh), namesIn(known));
  if (names !== undefined) return { finding: "update", why: `Names differ: ${names}.` };
  return wordingOf(one, other);
}

/**
 * What differs in what is left, when numbers, names and negations are the same. "Second floor" and "third floor" are as
 * like as two ways to say one thing; since no likeness tells which it is, a word in another's place is another fact, and
 * only what has no such word says the same.
 */
function wordingOf(one: readonly string[], other: readonly string[]): Compared {
  const language = languageOf([...one, ...other].map(fold));
  const [now, before] = [stemsOf(one, language), stemsOf(other, language)];
  const come = wordsBeside(now, before);
  const gone = wordsBeside(before, now);
  const shown = (words: readonly string[]) => words.slice(0, SHOWN).join(", ");
  if (come.length === 0 && gone.length === 0) return { finding: "duplicate", why: "It says the same." };
  if (come.length === 0) return { finding: "duplicate", why: `It says the same, and also: ${shown(gone)}.` };
  if (gone.length === 0)
    return {
      finding: "contained",
      why: `All its words are part of this one, which also says: ${shown(come)}.`,
    };
  const common = now.size - come.length;
  const most = Math.max(come.length, gone.length);
  const isSameFrame = (2 * common) / (now.size + before.size) >= SAME_FRAME || (most === 1 && common > 0);
  if (isSameFrame && most <= OTHER_WORDS)
    return {
      finding: "contradiction",
      why: `One says something else in the same place: ${shown(gone)} → ${shown(come)}.`,
    };
  return { finding: "duplicate", why: "It says the same in other words." };
}

/** Words by their stems, without those of grammar. */
function stemsOf(words: readonly string[], language: string): Map<string, string> {
  const told = words.filter((word) => !GRAMMAR.has(word));
  return new Map(told.map((word) => [stemOf(fold(word), language), word]));
}

function wordsBeside(words: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] {
  return [...words].filter(([stem]) => !others.has(stem)).map(([, word]) => word);
}

/** "30 → 45" where each has something that the other does not. */
function changed(fresh: readonly string[], known: readonly string[]): string | undefined {
  const [now, before] = [new Set(fresh), new Set(known)];
  const gone = [...before].filter((each) => !now.has(each));
  const come = [...now].filter((each) => !before.has(each));
  if (gone.length === 0 && come.length === 0) return undefined;
  const shown = (list: string[]) => list.slice(0, SHOWN).join(", ") || "none";
  return `${shown(gone)} → ${shown(come)}`;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function isNumber(word: string): boolean {
  return NUMBER.test(word);
}

function isNegation(word: string): boolean {
  return NEGATIONS.has(word) || /n['’]t$/.test(word);
}

function isNegated(words: readonly string[]): boolean {
  const count = words.filter(isNegation).length;
  return count % 2 === 1;
}

/** Words with a capital letter that does not begin a sentence, or that stand alone. */
function namesIn(text: string): string[] {
  const found = text.matchAll(/(?<![.!?:\n]\s*|^\s*)(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}'’-]+/gu);
  return Array.from(found, ([name]) => name);
}

/** Dice's coefficient over different words, without those that come and go with a negation. */
function wordLikeness(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [one, other].map(
    (words) => new Set(words.filter((word) => !isNegation(word) && !AUXILIARIES.has(word))),
  );
  if (a === undefined || b === undefined) return 0;
  if (a.size === 0 || b.size === 0) return 0;
  const both = [...a].filter((word) => b.has(word)).length;
  return (2 * both) / (a.size + b.size);
}

function shareOfRuns(part: readonly string[], whole: readonly string[]): number {
  const runs = new Set(runsOf(whole));
  const wanted = runsOf(part);
  return wanted.filter((run) => runs.has(run)).length / Math.max(1, wanted.length);
}

function runsOf(words: readonly string[]): string[] {
  return words.slice(RUN - 1).map((_, i) => words.slice(i, i + RUN).join(" "));
}
