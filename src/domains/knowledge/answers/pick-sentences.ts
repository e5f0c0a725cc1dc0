import type { Passage } from "../knowledge.ts";
import { sentencesOf } from "../reading/split.ts";
import { coverage, hasType, type Question } from "./question.ts";

/** A sentence of a passage that may hold the answer. */
export interface Quote {
  passage: Passage;
  text: string;
  /** Where it begins in its passage. */
  at: number;
  features: Features;
  score: number;
}

/** What speaks for a sentence, each 0 to 1. */
export interface Features {
  /** Of the question's words, in the sentence. */
  own: number;
  /** In what stands around it, and not in itself. */
  around: number;
  hasType: number;
  rank: number;
  /** What the search says of the passage. */
  passage: number;
  /** Its tokens against those of the question, where there is a model for it. */
  tokens?: number;
}

/** Passages that are looked at. */
const PASSAGES = 3;
/** Longer ones are cut: nobody wants a page quoted. */
const SENTENCE_CHARACTERS = 600;
const WEIGHTS: Required<Features> = { own: 3.2, around: 1.6, hasType: 0.5, rank: 0.8, passage: 0, tokens: 8 };

/** A sentence and where it stands. */
export interface Sentence {
  passage: Passage;
  text: string;
  /** Where it begins in its passage. */
  at: number;
  /** 0 for those of the best passage. */
  rank: number;
}

/** The sentences among which an answer is looked for. */
export function sentencesIn(passages: readonly Passage[]): Sentence[] {
  return passages
    .slice(0, PASSAGES)
    .flatMap((passage, rank) => plainSentences(passage.content).map((each) => ({ ...each, passage, rank })));
}

/** Sentences by how well they answer, the best first. `likeness` is what their tokens say, where that is known. */
export function rankSentences(
  question: Question,
  sentences: readonly Sentence[],
  likeness?: readonly number[],
): Quote[] {
  const total = question.words.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const weighed = (shares: readonly number[]) =>
    shares.reduce((sum, share, i) => sum + share * (question.words[i]?.weight ?? 0), 0) / total;
  const covered = sentences.map(({ text }) => coverage(question, text));
  const titles = new Map<Passage, number[]>();
  const titleOf = (passage: Passage): number[] => {
    const known = titles.get(passage);
    if (known !== undefined) return known;
    const title = coverage(question, `${passage.titlePath.join(" ")} ${passage.documentName}`);
    titles.set(passage, title);
    return title;
  };
  const quotes = sentences.map(({ passage, text, at, rank }, i) => {
    const own = covered[i] ?? [];
    const neighbours = [i - 1, i + 1].filter((n) => sentences[n]?.passage === passage);
    const beside = [titleOf(passage), ...neighbours.map((n) => covered[n] ?? [])];
    const near = own.map((share, w) => Math.max(0, ...beside.map((other) => (other[w] ?? 0) - share)));
    const features: Features = {
      own: weighed(own),
      around: weighed(near),
      hasType: hasType(question.type, text) ? 1 : 0,
      rank: 1 / (rank + 1),
      passage: passage.score,
      ...(likeness !== undefined && { tokens: likeness[i] ?? 0 }),
    };
    return { passage, text, at, features, score: scoreOf(features) };
  });
  return quotes.sort((a, b) => b.score - a.score);
}

function scoreOf(features: Features): number {
  let score = 0;
  for (const name of Object.keys(WEIGHTS) as (keyof Features)[])
    score += WEIGHTS[name] * (features[name] ?? 0);
  return score;
}

/**
 * Weights of logistic models, fitted to 1,188 questions of XQuAD in English and German, each asked with and without the
 * paragraph that answers it (`bench/retrieval/answers.ts`). They go with the scores that searches give now.
 */
const BY_WORDS = { bias: -6.2, own: 6.4, around: 3.1, hasType: 0.4, passage: 7.7, tokens: 0 };
const BY_TOKENS = { bias: -6.2, own: 6.4, around: 3.1, hasType: 0.4, passage: 7.7, tokens: 0 };

/** How sure it is that the best sentence answers, 0 to 1. */
export function confidenceOf(features: Features): number {
  const { bias, ...weights } = features.tokens === undefined ? BY_WORDS : BY_TOKENS;
  let sum = bias;
  for (const name of Object.keys(weights) as (keyof typeof weights)[])
    sum += weights[name] * (features[name] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

function plainSentences(content: string): { text: string; at: number }[] {
  return sentencesOf(content, 0, content.length)
    .map(({ start, end }) => ({
      text: content.slice(start, end).trim().slice(0, SENTENCE_CHARACTERS),
      at: start,
    }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text) && !/^#{1,6} /.test(text));
}
