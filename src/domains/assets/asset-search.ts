import type { Logger } from "pino";
import type { Embeddings } from "../../platform/embeddings/index.ts";
import type { Collection, Entry, Hit, Retrieval } from "../../platform/retrieval/index.ts";
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

/** Kinds that there can be; the key of an entry holds both, kind and id. */
const MOST_KINDS = 64;
/** Workspaces whose texts are kept in memory. */
const KEPT = 50;
/** How alike in meaning (cosine) something without a common word must be. */
const LEAST_ALIKE = 0.45;
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
        const keys = [...assets.keys()].filter((key) => key > after).toSorted((a, b) => a - b);
        return keys.slice(0, limit).map((key) => ({ id: key, seq: assets.get(key)?.seq ?? 0 }));
      },
      read: (workspaceId, ids) => this.#read(workspaceId, ids),
    });
  }

  async search(
    caller: Caller,
    { query, type, limit }: { query: string; type?: string | undefined; limit: number },
  ): Promise<FoundAsset[]> {
    const workspaceId = caller.workspace.id;
    const { changed, assets } = await this.#current(workspaceId);
    if (changed.length > 0) await this.#collection.refresh(workspaceId, changed);
    const filter = type === undefined ? {} : { filter: { type: [type] } };
    const found: FoundAsset[] = [];
    const looked = new Set<number>();
    // Where most of what is found may not be seen, all of it is looked at.
    for (const k of [Math.min(MOST_HITS, limit * SPARE), MOST_HITS]) {
      const hits = await this.#collection.search(workspaceId, { text: query, k, ...filter });
      for (const { id: key, score, legs } of hits) {
        const asset = assets.get(key);
        // Everything is near to everything by a little.
        if (asset === undefined || looked.has(key) || isUnlike(legs)) continue;
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
  async #current(workspaceId: number): Promise<{ assets: Map<number, Known>; changed: number[] }> {
    const state = this.#states.get(workspaceId) ?? { assets: new Map(), turn: Promise.resolve() };
    this.#states.delete(workspaceId);
    this.#states.set(workspaceId, state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > KEPT && oldest !== undefined) this.#states.delete(oldest);
    const turn = state.turn.then(() => this.#compare(workspaceId, state.assets));
    state.turn = turn.catch(() => undefined);
    return { assets: state.assets, changed: await turn };
  }

  async #compare(workspaceId: number, known: Map<number, Known>): Promise<number[]> {
    const { assets } = this.#parts;
    const gone = new Set(known.keys());
    const changed: number[] = [];
    for (const [place, type] of assets.names("search").entries()) {
      for (const text of await assets.require(type, "search").search(workspaceId)) {
        const key = text.id * MOST_KINDS + place;
        const before = known.get(key);
        gone.delete(key);
        if (before?.title === text.title && before.body === text.body) continue;
        this.#seq += 1;
        known.set(key, { ...text, type, seq: this.#seq });
        changed.push(key);
      }
    }
    for (const key of gone) known.delete(key);
    return [...changed, ...gone];
  }

  async #read(workspaceId: number, keys: readonly number[]): Promise<Entry[]> {
    const known = this.#states.get(workspaceId)?.assets;
    const found = keys.flatMap((key) => {
      const asset = known?.get(key);
      return asset === undefined ? [] : [{ key, ...asset }];
    });
    const embedded = await this.#embed(found.map(({ title, body }) => `${title}. ${body}`));
    return found.map(({ key, seq, title, body, type }, i) => ({
      id: key,
      seq,
      title,
      body: body === "" ? title : body,
      attributes: { type },
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

function isUnlike({ lexical, dense = 0 }: Hit["legs"]): boolean {
  return lexical === 0 && dense < LEAST_ALIKE;
}
