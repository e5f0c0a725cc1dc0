import type { Collection } from "../../platform/retrieval/index.ts";
import { LIMITS } from "./limits.ts";
import type { RelationsStore } from "./relations.store.ts";
import { spread } from "./spread.ts";
import type { FoundVersion, VersionsStore } from "./versions.store.ts";

export interface Question {
  query: string;
  k: number;
  hops: number;
  now: Date;
  /** What held then, also if it was superseded since; what holds now, if left out. */
  asOf?: Date | undefined;
  /** Only what was recorded by then. */
  knownAt?: Date | undefined;
}

export interface Recalled extends FoundVersion {
  /** 0 to 1. */
  score: number;
}

interface Candidate {
  version: FoundVersion;
  weight: number;
}

/** What each sign counts beside the words, fitted on conversations of several people. */
const WEIGHTS = { words: 4.2, person: 0.8, question: 1.1, graph: 0.4 };
/** The best ones, from which relations are followed. */
const SEEDS = 10;
/** Memories that come in by relations alone. */
const RELATED = 50;

/** Finds what answers a question: by its words, by who says it, and by what is related to it. */
export class Recall {
  readonly #collection: Collection;
  readonly #versions: VersionsStore;
  readonly #relations: RelationsStore;

  constructor(collection: Collection, versions: VersionsStore, relations: RelationsStore) {
    this.#collection = collection;
    this.#versions = versions;
    this.#relations = relations;
  }

  async recall(workspaceId: number, question: Question): Promise<Recalled[]> {
    const { query, k, asOf, knownAt } = question;
    const hits = await this.#collection.search(workspaceId, {
      text: query,
      k: LIMITS.memory.candidates,
      ...(asOf === undefined && { filter: { open: [1] } }),
      // What was believed earlier may have had another end.
      ...(asOf !== undefined && knownAt === undefined && { at: asOf.getTime() }),
    });
    const ids = hits.map(({ id }) => id);
    const found = await this.#versions.found(workspaceId, ids);
    const known = hits.flatMap(({ id, score }) => {
      const version = found.get(id);
      return version !== undefined && holds(version, question) ? [{ version, score }] : [];
    });
    const candidates = weigh(query, known);
    await this.#addRelated(workspaceId, candidates, question);
    candidates.sort((a, b) => b.weight - a.weight || a.version.id - b.version.id);
    const best = candidates[0]?.weight ?? 1;
    const top = known[0]?.score ?? 0;
    return candidates.slice(0, k).map(({ version, weight }) => ({
      ...version,
      score: Math.round(Math.max(0, Math.min(1, (weight / best) * top)) * 10_000) / 10_000,
    }));
  }

  async #addRelated(workspaceId: number, candidates: Candidate[], question: Question): Promise<void> {
    if (question.hops === 0 || candidates.length === 0) return;
    const seeds = candidates.toSorted((a, b) => b.weight - a.weight).slice(0, SEEDS);
    const start = new Map(seeds.map(({ version, weight }) => [version.memoryId, Math.max(0, weight)]));
    const reached = await spread(this.#relations, start, question.hops);
    if (reached.size === 0) return;
    const most = Math.max(...reached.values());
    for (const candidate of candidates)
      candidate.weight += (WEIGHTS.graph * (reached.get(candidate.version.memoryId) ?? 0)) / most;
    const present = new Set(candidates.map(({ version }) => version.memoryId));
    const related = [...reached]
      .filter(([id]) => !present.has(id))
      .sort(([, a], [, b]) => b - a)
      .slice(0, RELATED);
    for (const version of await this.#versions.current(
      workspaceId,
      related.map(([id]) => id),
    ))
      if (holds(version, question))
        candidates.push({ version, weight: (WEIGHTS.graph * (reached.get(version.memoryId) ?? 0)) / most });
  }
}

/** Whether it holds at the time that is asked about, as far as was known then. */
function holds(version: FoundVersion, { now, asOf, knownAt }: Question): boolean {
  const { validFrom, recordedAt, supersededAt } = version;
  if (asOf === undefined) return supersededAt === null && (version.validTo === null || version.validTo > now);
  if (knownAt !== undefined && recordedAt > knownAt) return false;
  const isEndUnknown = knownAt !== undefined && supersededAt !== null && supersededAt > knownAt;
  const validTo = isEndUnknown ? version.statedValidTo : version.validTo;
  return validFrom <= asOf && (validTo === null || validTo > asOf);
}

const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2}): /u;

/** Where a question names one of those who speak, what he says himself counts more; and a question is no answer. */
function weigh(query: string, known: readonly { version: FoundVersion; score: number }[]): Candidate[] {
  const best = Math.max(...known.map(({ score }) => score), Number.MIN_VALUE);
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []);
  const isNamed = (name: string) => words.has(name.split(/[ '’.-]/)[0]?.toLowerCase() ?? "");
  const speakers = known.map(({ version }) => SPEAKER.exec(version.content)?.[1]);
  const named = new Set(speakers.filter((name) => name !== undefined && isNamed(name)));
  return known.map(({ version, score }, i) => {
    let weight = (WEIGHTS.words * score) / best;
    const speaker = speakers[i];
    if (speaker !== undefined) {
      if (named.size === 1) weight += named.has(speaker) ? WEIGHTS.person : -WEIGHTS.person;
      if (version.content.trimEnd().endsWith("?")) weight -= WEIGHTS.question;
    }
    return { version, weight };
  });
}
