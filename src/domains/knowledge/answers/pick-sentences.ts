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
  /** What the words of its passage say. */
  passage: number;
  /** What the tokens of its passage say; not known before it has been embedded. */
  tokens?: number | undefined;
}

/** Passages that are looked at. */
const PASSAGES = 3;
/** Longer ones are cut: nobody wants a page quoted. */
const SENTENCE_CHARACTERS = 600;
const WEIGHTS = { own: 3.2, around: 1.6, hasType: 0.5, rank: 0.8 };

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

/** Sentences by how well they answer, the best first. */
export function rankSentences(question: Question, sentences: readonly Sentence[]): Quote[] {
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
      passage: passage.legs.lexical,
      tokens: passage.legs.tokens,
    };
    return { passage, text, at, features, score: scoreOf(features) };
  });
  return quotes.sort((a, b) => b.score - a.score);
}

function scoreOf(features: Features): number {
  let score = 0;
  for (const name of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[])
    score += WEIGHTS[name] * features[name];
  return score;
}

/**
 * Weights of logistic models, fitted to 1,188 questions of XQuAD in English and German, each asked with and without the
 * paragraph that answers it, in a workspace of its own language and of both (`bench/retrieval/answers.ts`).
 */
const BY_WORDS = { bias: -6.85, own: 6.52, around: 3.84, hasType: 1.15, passage: 6.68, tokens: 0 };
const BY_TOKENS = { bias: -13.01, own: 6.2, around: 3.34, hasType: 0.98, passage: 3.27, tokens: 11.63 };

/** How sure it is that the best sentence answers, 0 to 1. */
export function confidenceOf({ own, around, hasType: typed, passage, tokens }: Features): number {
  const weights = tokens === undefined ? BY_WORDS : BY_TOKENS;
  const sum =
    weights.bias +
    weights.own * own +
    weights.around * around +
    weights.hasType * typed +
    weights.passage * passage +
    weights.tokens * (tokens ?? 0);
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
