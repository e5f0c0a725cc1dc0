import type { Logger } from "pino";
import type { Embeddings } from "../../platform/embeddings/index.ts";
import type { Collection, Entry, Hit, Retrieval } from "../../platform/retrieval/index.ts";
import { fold, isStop, stemOf, wordsIn } from "../../platform/retrieval/index.ts";
import { LIMITS as RETRIEVAL } from "../../platform/retrieval/limits.ts";
import type { AssetKinds, SearchText } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";

export interface FoundAsset {
  type: string;
  id: number;
  name: string;
  score: number;
}

interface Known extends SearchText {
  type: string;
  /** Stems of its name. */
  stems: readonly ReadonlySet<string>[];
  /** Grows when anything of it changes. */
  seq: number;
}

interface State {
  assets: Map<number, Known>;
  turn: Promise<unknown>;
}

interface Parts {
  assets: AssetKinds;
  retrieval: Pick<Retrieval, "collection">;
  embeddings: Embeddings;
  log: Pick<Logger, "warn">;
}

/** Kinds that there can be; the key of an entry holds kind and id, and which of its texts it is. */
const MOST_KINDS = 64;
/** What it is about and what is in it are found apart: together, many columns would hide what a name means. */
const TEXTS = ["about", "content"] as const;
/** Workspaces whose texts are kept in memory. */
const KEPT = 50;
/** How alike in meaning (cosine) something without a common word must be. */
const LEAST_ALIKE = 0.3;
/** Of those that are found some may not be seen. */
const SPARE = 4;
const MOST_HITS = RETRIEVAL.retrieval.hits;

/**
 * Finds assets of every kind by words and meaning. Before each search the index is brought up to what the catalog holds
 * then: so it is fresh whoever changed something, and no slice has to tell of its changes.
 */
export class AssetSearch {
  readonly #parts: Parts;
  readonly #collection: Collection;
  readonly #states = new Map<number, State>();
  /** Later starts have higher ones than earlier, so that what an index holds of those is read anew. */
  #seq = Date.now();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#collection = parts.retrieval.collection("asset", {
      list: async (workspaceId, after, limit) => {
        const { assets } = await this.#current(workspaceId);
        const keys = [...assets].flatMap(([key, { seq }]) => textKeys(key).map((id) => ({ id, seq })));
        const later = keys.filter(({ id }) => id > after).toSorted((one, other) => one.id - other.id);
        return later.slice(0, limit);
      },
      read: (workspaceId, ids) => this.#read(workspaceId, ids),
    });
  }

  async search(
    caller: Caller,
    { query, type, limit }: { query: string; type?: string | undefined; limit: number },
  ): Promise<FoundAsset[]> {
    const workspaceId = caller.workspace.id;
    const { changed, assets } = await this.#current(workspaceId, caller);
    if (changed.length > 0) await this.#collection.refresh(workspaceId, changed.flatMap(textKeys));
    const filter = type === undefined ? {} : { filter: { type: [type] } };
    const found: FoundAsset[] = [];
    const looked = new Set<number>();
    // Where most of what is found may not be seen, all of it is looked at.
    for (const k of [Math.min(MOST_HITS, limit * SPARE), MOST_HITS]) {
      const hits = await this.#collection.search(workspaceId, { text: query, k, ...filter });
      for (const { key, asset, score } of ranked(query, hits, assets, type)) {
        if (looked.has(key)) continue;
        looked.add(key);
        if (!(await this.#parts.assets.require(asset.type).can(caller, asset.id, "read"))) continue;
        found.push({ type: asset.type, id: asset.id, name: asset.title, score });
        if (found.length === limit) return found;
      }
      if (hits.length < k) break;
    }
    return found;
  }

  /** What the catalog holds, and the keys of what is different from the last time. */
  async #current(
    workspaceId: number,
    caller?: Caller,
  ): Promise<{ assets: Map<number, Known>; changed: number[] }> {
    const state = this.#states.get(workspaceId) ?? { assets: new Map(), turn: Promise.resolve() };
    this.#states.delete(workspaceId);
    this.#states.set(workspaceId, state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > KEPT && oldest !== undefined) this.#states.delete(oldest);
    const turn = state.turn.then(() => this.#compare(workspaceId, state.assets, caller));
    state.turn = turn.catch(() => undefined);
    return { assets: state.assets, changed: await turn };
  }

  async #compare(workspaceId: number, known: Map<number, Known>, caller?: Caller): Promise<number[]> {
    const { assets } = this.#parts;
    const gone = new Set(known.keys());
    const changed: number[] = [];
    for (const [place, type] of assets.names("search").entries()) {
      for (const text of await assets.require(type, "search").search(workspaceId, caller)) {
        const key = text.id * MOST_KINDS + place;
        const before = known.get(key);
        gone.delete(key);
        if (before !== undefined && isSame(before, text)) continue;
        this.#seq += 1;
        known.set(key, { ...text, type, seq: this.#seq, stems: stemsOf(text.title) });
        changed.push(key);
      }
    }
    for (const key of gone) known.delete(key);
    return [...changed, ...gone];
  }

  async #read(workspaceId: number, keys: readonly number[]): Promise<Entry[]> {
    const known = this.#states.get(workspaceId)?.assets;
    const found = keys.flatMap((id) => {
      const { key, text } = textOf(id);
      const asset = known?.get(key);
      const body = text === "about" ? asset?.body : asset?.content;
      if (asset === undefined || body === undefined) return [];
      return [{ id, seq: asset.seq, title: spread(asset.title), body, attributes: { type: asset.type } }];
    });
    const embedded = await this.#embed(found.map(({ title, body }) => `${title}. ${body}`));
    return found.map(({ body, ...entry }, i) => ({
      ...entry,
      body: body === "" ? entry.title : body,
      ...(embedded?.[i] !== undefined && { embedding: embedded[i] }),
    }));
  }

  /** Without vectors they are found by their words. */
  async #embed(texts: readonly string[]) {
    const { embeddings, log } = this.#parts;
    return embeddings.embed(texts).catch((err: unknown) => {
      log.warn({ err }, "assets are found by words alone");
      return undefined;
    });
  }
}

function textKeys(key: number): number[] {
  return TEXTS.map((_, n) => key * TEXTS.length + n);
}

function textOf(id: number): { key: number; text: (typeof TEXTS)[number] } {
  return { key: Math.floor(id / TEXTS.length), text: TEXTS[id % TEXTS.length]! };
}

function isSame(one: SearchText, other: SearchText): boolean {
  return one.title === other.title && one.body === other.body && one.content === other.content;
}

/** A name as words, however it is written: `flightDelays`, `flight_delays`. */
function spread(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[_./-]+/g, " ");
}

/** The stems of each word, in the languages that names are in; words that say nothing are left out. */
function stemsOf(text: string): ReadonlySet<string>[] {
  const words = wordsIn(spread(text)).map(fold);
  const meant = words.filter((word) => !isStop(word, "en") && !isStop(word, "de"));
  return (meant.length > 0 ? meant : words).map(
    (word) => new Set([word, ...["en", "de"].map((language) => stemOf(word, language))]),
  );
}

/**
 * Assets by how well any of their texts fits, those first whose names have the words of the query: whoever writes a
 * name means what is called so. What is found neither by a word nor by a near meaning is left out.
 */
function ranked(
  query: string,
  hits: readonly Hit[],
  assets: ReadonlyMap<number, Known>,
  type: string | undefined,
): { key: number; asset: Known; score: number }[] {
  const scores = new Map<number, number>();
  for (const { id, legs } of hits) {
    const { key } = textOf(id);
    const score = Math.min(1, (legs.dense ?? 0) + WORDS * legs.lexical);
    // Everything is near to everything by a little.
    if (!isUnlike(legs)) scores.set(key, Math.max(score, scores.get(key) ?? 0));
  }
  const asked = stemsOf(query);
  const found: { key: number; asset: Known; score: number }[] = [];
  for (const [key, asset] of assets) {
    if (type !== undefined && asset.type !== type) continue;
    const named = asked.filter((word) =>
      asset.stems.some((other) => [...word].some((stem) => other.has(stem))),
    ).length;
    const share = asked.length === 0 ? 0 : (named / asked.length) ** 2;
    const score = scores.get(key);
    if (score === undefined && share < 1) continue;
    found.push({ key, asset, score: 1 - (1 - (score ?? 0)) * (1 - share * NAMED) });
  }
  return found.sort((a, b) => b.score - a.score || a.key - b.key);
}

/** What a name that has all words of the query counts. */
const NAMED = 0.8;
/** What words count beside the meaning: a few of them in many columns and values say little. */
const WORDS = 0.4;

function isUnlike({ lexical, dense = 0 }: Hit["legs"]): boolean {
  return lexical === 0 && dense < LEAST_ALIKE;
}
