import type { Logger } from "pino";
import { messageOf } from "../../kernel/errors.ts";
import { LogThrottle } from "../../kernel/logging.ts";
import { withTimeout } from "../../kernel/time.ts";
import type { Embeddings, QueryEmbedding } from "../embeddings/index.ts";
import { LIMITS as EMBEDDING_LIMITS } from "../embeddings/limits.ts";
import type { ThreadCaller } from "../threads/index.ts";
import { fuse, type Judged } from "./fusion.ts";
import { RECIPES } from "./recipes.ts";
import type { Hit, Legs, Query, Source } from "./types.ts";
import type { Candidate, IndexCalls, Which } from "./wire.ts";

/** So many candidates are compared by their tokens. */
const COMPARED = 60;
const ALL_LEGS = ["lexical", "dense", "tokens"] as const;

export interface SearchOn {
  thread: ThreadCaller<IndexCalls>;
  embeddings: Embeddings;
  source: Source;
  log: Pick<Logger, "warn">;
}

/** Words first; then, where there are vectors, what is near and how the tokens of the best compare. */
export async function searchIndex(on: SearchOn, which: Which, query: Query): Promise<Hit[]> {
  const legs = new Set<keyof Legs>(query.legs ?? ALL_LEGS);
  const hasMeaning = legs.has("dense") || legs.has("tokens");
  // Embedded while words are looked for; most questions are about nobody who speaks, and stay as they are.
  const early = hasMeaning ? embeddingOf(on, which, query.text) : undefined;
  const { candidates, ...understood } = await on.thread.ask("search", { ...which, query });
  const languages = on.embeddings.languagesOf(which.fingerprint);
  // What is too short to tell its language is taken for one that the model knows.
  const covers = (language: string) => language === "" || languages === undefined || languages.has(language);
  const isCovered = covers(understood.language);
  const { hasVectors, speaker } = understood;
  const asked = speaker === undefined ? early : embeddingOf(on, which, inFirstPerson(query.text, speaker));
  const embedding = hasMeaning && hasVectors ? await asked : undefined;
  let judged: readonly Judged[] = legs.has("lexical") ? candidates : [];
  if (embedding !== undefined && isCovered && legs.has("dense"))
    judged = (await withNear(on, which, query, embedding.vector, judged)).filter(
      ({ lexical, cosine }) => lexical > 0 || cosine >= leastCosine(which, legs),
    );
  if (embedding?.tokens !== undefined && legs.has("tokens"))
    judged = await withTokens(on, which, embedding, judged.length > 0 ? judged : candidates);
  return fuse(judged, RECIPES[which.kind], { legs, isCovered, covers }).slice(0, query.k);
}

/** Something is always the nearest; by words and direction together it is a hit only if it is near. */
function leastCosine({ kind }: Which, legs: ReadonlySet<keyof Legs>): number {
  const { fusion } = RECIPES[kind];
  return fusion.way === "legs" && legs.has("lexical") ? fusion.leastCosine : -1;
}

const throttle = new LogThrottle();

/** A question without its vector is answered by words. */
async function embeddingOf(
  { embeddings, log }: SearchOn,
  { fingerprint }: Which,
  text: string,
): Promise<QueryEmbedding | undefined> {
  const ms = EMBEDDING_LIMITS.embeddings.queryMs;
  try {
    const embedded = embeddings.embedQuery(text, fingerprint);
    const made = await withTimeout(ms, embedded, "The question was not embedded in time.");
    return made.fingerprint === fingerprint ? made : undefined;
  } catch (err) {
    const reason = messageOf(err);
    // While the model is loaded for the first time every search runs into this, for the same reason.
    throttle.log(reason, (since) => log.warn({ reason, ...since }, "questions are answered by words alone"));
    return undefined;
  }
}

/** What somebody said is about "I"; a question with the name is near to other things than what was said. */
function inFirstPerson(text: string, speaker: string): string {
  const name = speaker.replace(/[^\p{L}\p{N}]/gu, ".");
  return text
    .replace(new RegExp(`(?<!\\p{L})${name}['’]s(?!\\p{L})`, "giu"), "my")
    .replace(new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, "giu"), "I");
}

async function withNear(
  { thread }: SearchOn,
  which: Which,
  query: Query,
  vector: Float32Array,
  candidates: readonly Candidate[],
): Promise<Judged[]> {
  const others = candidates.map(({ id }) => id);
  const near = await thread.ask("near", { ...which, query, vector, others });
  const lexical = new Map(candidates.map((candidate) => [candidate.id, candidate.lexical]));
  return near.map((candidate) => ({ ...candidate, lexical: lexical.get(candidate.id) ?? 0 }));
}

/** Half of those that are compared are the best by words, the other half by direction. */
async function withTokens(
  { thread, source }: SearchOn,
  { workspaceId, kind }: Which,
  { fingerprint, tokens }: QueryEmbedding,
  judged: readonly Judged[],
): Promise<readonly Judged[]> {
  if (source.tokens === undefined || RECIPES[kind].fusion.way !== "legs") return judged;
  const ids = new Set<number>();
  const byWords = judged.toSorted((a, b) => b.lexical - a.lexical);
  const byDirection = judged.toSorted((a, b) => b.cosine - a.cosine);
  for (let i = 0; ids.size < COMPARED && i < judged.length; i++) {
    if (byWords[i]!.hasVector) ids.add(byWords[i]!.id);
    if (byDirection[i]!.hasVector) ids.add(byDirection[i]!.id);
  }
  const kept = await source.tokens(workspaceId, [...ids], fingerprint);
  const texts = kept.map((each) => each.tokens);
  const worth = await thread.ask("compare", { query: tokens!, texts });
  const tokensOf = new Map(kept.map(({ id }, i) => [id, worth[i]!]));
  return judged.map((candidate) => ({ ...candidate, tokens: tokensOf.get(candidate.id) }));
}
