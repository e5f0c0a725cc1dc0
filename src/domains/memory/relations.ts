import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { noMemory } from "./memories.store.ts";
import type { Edge, End, ListedRelation, Pair, RelationsStore } from "./relations.store.ts";
import type { RelationRules, WorkspaceRules } from "./shapes/relation-rules.ts";

export interface LinkWish {
  from: string;
  to: string;
  type: string;
}

/** Types whose relations belong to what they relate: nobody else makes or ends them. */
const OWNED: ReadonlySet<string> = new Set(["HAS_CHUNK", "CHUNK_OF"]);

/** How memories are related, by the vocabulary and by what the workspace says of it. */
export class Relations {
  readonly #relations: RelationsStore;
  readonly #rules: RelationRules;
  readonly #lifecycle: Lifecycle;
  readonly #clock: Clock;

  constructor(relations: RelationsStore, rules: RelationRules, lifecycle: Lifecycle, clock: Clock) {
    this.#relations = relations;
    this.#rules = rules;
    this.#lifecycle = lifecycle;
    this.#clock = clock;
  }

  async link(caller: Caller, wish: LinkWish): Promise<{ edge: string; inverse: string }> {
    const ends = await this.#relations.ends(caller.workspace.id, [wish.from, wish.to]);
    const rules = await this.#rules.of(caller.workspace.id);
    const pair = await this.#pairOf(caller, rules, wish, ends);
    const edge = await this.#linkOne(caller, wish, pair);
    return {
      edge: edgeName(edge.type, edge.createdAt, edge.id),
      inverse: edgeName(edge.inverse, edge.inverseCreatedAt, edge.inverseId),
    };
  }

  /** Many at once; what cannot be is left out, and told by its place. */
  async linkAll(
    caller: Caller,
    wishes: readonly LinkWish[],
  ): Promise<{ linked: number; refused: { index: number; error: AppError }[] }> {
    const keys = new Set(wishes.flatMap(({ from, to }) => [from, to]));
    const ends = await this.#relations.ends(caller.workspace.id, [...keys]);
    const rules = await this.#rules.of(caller.workspace.id);
    const pairs: { index: number; wish: LinkWish; pair: Pair }[] = [];
    let linked = 0;
    const refused: { index: number; error: AppError }[] = [];
    const one = async (index: number, wish: LinkWish, pair: Pair) => {
      try {
        linked += (await this.#linkOne(caller, wish, pair)).isNew ? 1 : 0;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.push({ index, error });
      }
    };
    for (const [index, wish] of wishes.entries()) {
      try {
        const pair = await this.#pairOf(caller, rules, wish, ends);
        if (formerOf(wish) !== undefined) await one(index, wish, pair);
        else pairs.push({ index, wish, pair });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.push({ index, error });
      }
    }
    const all = pairs.map(({ pair }) => pair);
    try {
      linked += await this.#relations.linkAll(byOf(caller), all, this.#clock.now());
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // One of them closes a circle: by themselves, all others are made.
      for (const { index, wish, pair } of pairs) await one(index, wish, pair);
    }
    return { linked, refused };
  }

  async unlink(caller: Caller, wish: LinkWish): Promise<void> {
    const ends = await this.#relations.ends(caller.workspace.id, [wish.from, wish.to]);
    const [from, to] = [endOf(ends, wish.from), endOf(ends, wish.to)];
    if (from.id === to.id && from.key !== to.key)
      throw new AppError("unsupported", "This relation is part of a memory's history, which is kept.");
    if (OWNED.has(wish.type)) throw new AppError("unsupported", "The sections of a document belong to it.");
    const { vocabulary } = await this.#rules.of(caller.workspace.id);
    const inverse = vocabulary.inverseOf(wish.type);
    const pair = { fromId: from.id, toId: to.id, type: wish.type, inverse: inverse ?? "" };
    const former = formerOf(wish);
    const touched =
      inverse === undefined
        ? undefined
        : await this.#relations.unlink(byOf(caller), pair, this.#clock.now(), async (tx) =>
            former === undefined ? [] : this.#lifecycle.reinstate(tx, caller, former),
          );
    if (touched !== undefined) return this.#lifecycle.refresh(caller, touched);
    throw new AppError("not_found", `There is no relation ${wish.type} from ${from.key} to ${to.key}.`, {
      hint: "{tool:list_relations} shows those that there are.",
    });
  }

  /** Those that there are, or were at a time. */
  async of(
    caller: Caller,
    key: string,
    knownAt?: Date,
  ): Promise<{ outgoing: ListedRelation[]; incoming: ListedRelation[] }> {
    const end = (await this.#relations.ends(caller.workspace.id, [key], knownAt)).get(key);
    if (end === undefined) throw noMemory(key);
    const [outgoing, incoming] = await Promise.all([
      this.#relations.listed(end, "outgoing", knownAt),
      this.#relations.listed(end, "incoming", knownAt),
    ]);
    return { outgoing, incoming };
  }

  /** What is superseded by a relation ends with it, as with an update. */
  async #linkOne(caller: Caller, wish: LinkWish, pair: Pair): Promise<Edge> {
    const former = formerOf(wish);
    const newerId = wish.type === "SUPERSEDES" ? pair.fromId : pair.toId;
    const { edge, done: touched } = await this.#relations.link(
      byOf(caller),
      pair,
      this.#clock.now(),
      async (tx) => (former === undefined ? [] : this.#lifecycle.supersede(tx, caller, former, newerId)),
    );
    await this.#lifecycle.refresh(caller, touched);
    return edge;
  }

  async #pairOf(
    caller: Caller,
    rules: WorkspaceRules,
    wish: LinkWish,
    ends: ReadonlyMap<string, End>,
  ): Promise<Pair> {
    const [from, to] = [endOf(ends, wish.from), endOf(ends, wish.to)];
    const inverse = await this.#rules.assertAllowed(rules, caller, wish.type, from, to);
    if (from.id === to.id)
      throw new AppError("unsupported", "A memory cannot be related to itself.", {
        hint: "{tool:update_fact} makes a new version of it.",
      });
    const isAcyclic = rules.vocabulary.types.get(wish.type)?.isAcyclic ?? false;
    return { fromId: from.id, toId: to.id, type: wish.type, inverse, isAcyclic };
  }
}

/** Which of the two a relation makes a former one. */
function formerOf({ from, to, type }: LinkWish): string | undefined {
  if (type === "SUPERSEDES") return to;
  return type === "SUPERSEDED_BY" ? from : undefined;
}

function byOf({ workspace, user }: Caller) {
  return { workspaceId: workspace.id, userId: user.id };
}

function endOf(ends: ReadonlyMap<string, End>, key: string): End {
  const end = ends.get(key);
  if (end === undefined) throw noMemory(key);
  return end;
}

export function edgeName(type: string, at: Date, id: number): string {
  return `edge_${type.toLowerCase()}_${at.toISOString().slice(0, 10).replaceAll("-", "_")}_${id}`;
}
