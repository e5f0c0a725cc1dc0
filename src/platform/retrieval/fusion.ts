import type { Recipe } from "./recipes.ts";
import type { Hit, Legs } from "./types.ts";
import type { Candidate } from "./wire.ts";

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
export function fuse(candidates: readonly Judged[], recipe: Recipe, question: Question): Hit[] {
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
