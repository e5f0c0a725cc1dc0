import type { Logger } from "pino";
import { messageOf } from "../../kernel/errors.ts";
import { LogThrottle } from "../../kernel/logging.ts";
import { withTimeout } from "../../kernel/time.ts";
import type { Embeddings, QueryEmbedding } from "../embeddings/index.ts";
import { LIMITS as EMBEDDING_LIMITS } from "../embeddings/limits.ts";
import type { ThreadCaller } from "../workers/index.ts";
import { RECIPES, type Recipe } from "./recipes.ts";
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

export interface Judged extends Candidate {
  /** What its tokens are worth; not known of all. */
  tokens?: number | undefined;
}

export interface Question {
  legs: ReadonlySet<keyof Legs>;
  /** Whether the model knows its language. */
  isCovered: boolean;
  covers(language: string): boolean;
}

/** Entries of a thread that tell whether it is about the question. */
const THREAD_ENTRIES = 3;
/** What words count of a candidate that has none of the question's, where a product would leave nothing. */
const LEAST = 0.05;

/** Where as many hits are right as wrong, and how sharply these part, by how the legs were brought together. */
const EVEN = {
  multiplied: { at: 0.2, power: 3.4 },
  added: { at: 0.39, power: 4.6 },
  withoutTokens: { at: 0.45, power: 3.5 },
};

/**
 * Brings the legs together: which way depends on the kind of collection and on whether the model knows the question's
 * language. The order is by what they say relative to the best of each; the score also tells how much was found at all,
 * and of documents how likely it is what was asked for (fitted to XQuAD, `bench/retrieval/answers.ts`).
 */
function fuse(candidates: readonly Judged[], recipe: Recipe, question: Question): Hit[] {
  const { legs, isCovered } = question;
  const bestWords = Math.max(0, ...candidates.map(({ lexical }) => lexical));
  const hasDirections = candidates.some(({ hasVector }) => hasVector);
  const compared = withTokensOfAll(candidates, bestWords, question);
  const judged = withDirectionOfAll(compared, bestWords, recipe).map((candidate) => ({
    candidate,
    value: worthOf(candidate, bestWords, recipe, { ...question, hasDirections }),
  }));
  const shareOf = threadShares(judged);
  const weight = recipe.fusion.way === "features" ? recipe.fusion.thread : 0;
  const fused = judged.map(({ candidate, value }) => {
    const thread = shareOf(candidate.thread);
    return { candidate, thread, value: (value + weight * thread) / (1 + weight) };
  });
  fused.sort((a, b) => b.value - a.value || a.candidate.id - b.candidate.id);
  const sure = Math.max(
    0,
    ...candidates.map(({ lexical, cosine, tokens = 0 }) =>
      Math.max(lexical, isCovered ? Math.max(cosine, tokens) : 0),
    ),
  );
  const hasTokens = candidates.some(({ tokens }) => tokens !== undefined);
  const { at, power } = EVEN[!hasTokens ? "withoutTokens" : isCovered ? "multiplied" : "added"];
  const likely = (score: number) => score ** power / (score ** power + at ** power);
  const isLikelihood = recipe.fusion.way === "legs";
  const tokensOf = new Map(candidates.map(({ id, tokens }) => [id, tokens]));
  return fused.map(({ candidate: { id, lexical, cosine, hasVector, speaker, asks }, thread, value }) => {
    const score = Math.min(1, Math.max(0, value)) * Math.min(1, sure);
    return {
      id,
      score: isLikelihood ? likely(score) : score,
      legs: {
        lexical,
        ...(legs.has("dense") && hasVector && { dense: Math.max(0, cosine) }),
        ...(tokensOf.get(id) !== undefined && { tokens: tokensOf.get(id)! }),
      },
      signs: { speaker, asks, thread },
    };
  });
}

/** How much the best entries of each thread are worth together, beside those of the best thread. */
function threadShares(judged: readonly { candidate: Judged; value: number }[]): (thread: number) => number {
  const best = new Map<number, number[]>();
  for (const { candidate, value } of judged.toSorted((a, b) => b.value - a.value)) {
    const values = best.get(candidate.thread) ?? [];
    if (values.length < THREAD_ENTRIES) values.push(Math.max(0, value));
    best.set(candidate.thread, values);
  }
  best.delete(-1);
  const sums = new Map(
    [...best].map(([thread, values]) => [thread, values.reduce((sum, one) => sum + one, 0)]),
  );
  const most = Math.max(Number.MIN_VALUE, ...sums.values());
  return (thread) => (sums.get(thread) ?? 0) / most;
}

/**
 * Who was not compared by tokens comes after those who were. Who is in a language that the model does not know is neither
 * helped nor hurt by them. Who has none yet is taken to have what its words let expect: what is new would otherwise come
 * after all that is merely alike.
 */
function withTokensOfAll(
  candidates: readonly Judged[],
  bestWords: number,
  { isCovered, covers }: Question,
): readonly Judged[] {
  const known = candidates.flatMap(({ tokens }) => tokens ?? []);
  if (known.length === 0) return candidates;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return candidates.map((each) => {
    if (isCovered && !covers(each.language)) return { ...each, tokens: mean };
    if (!each.hasVector) return { ...each, tokens: least + (most - least) * wordsOf(each, bestWords) };
    return { ...each, tokens: each.tokens ?? least };
  });
}

/** The same for directions, where they are summed up with the rest. */
function withDirectionOfAll(
  candidates: readonly Judged[],
  bestWords: number,
  { fusion }: Recipe,
): readonly Judged[] {
  const known = candidates.filter(({ hasVector }) => hasVector).map(({ cosine }) => cosine);
  if (fusion.way !== "features" || known.length === 0 || known.length === candidates.length)
    return candidates;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return candidates.map((each) =>
    each.hasVector ? each : { ...each, cosine: least + (most - least) * wordsOf(each, bestWords) },
  );
}

function wordsOf({ lexical }: Judged, bestWords: number): number {
  return bestWords > 0 ? lexical / bestWords : 0;
}

/** 0 to 1, or a little less than 0. */
function worthOf(
  { lexical, cosine, tokens, speaker, asks }: Judged,
  bestWords: number,
  { fusion }: Recipe,
  { legs, isCovered, hasDirections }: Question & { hasDirections: boolean },
): number {
  const words = legs.has("lexical") && bestWords > 0 ? lexical / bestWords : 0;
  const dense = legs.has("dense") ? cosine : 0;
  if (fusion.way === "features") {
    const { words: w, dense: d, speaker: s, asks: q } = fusion;
    return (w * words + d * dense + s * speaker - q * asks) / (w + (hasDirections ? d : 0) + s);
  }
  if (!legs.has("lexical")) return tokens ?? dense;
  if (tokens === undefined)
    return isCovered && hasDirections ? (words + fusion.dense * dense) / (1 + fusion.dense) : words;
  if (isCovered) return (((words + LEAST) / (1 + LEAST)) * tokens ** fusion.exponent) ** (1 / 3);
  return (words + fusion.tokens * tokens) / (1 + fusion.tokens);
}
