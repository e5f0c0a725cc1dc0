import type { Kind } from "./types.ts";

/** How the entries of a kind are weighed. Measured by `bench/retrieval.bench.ts`. */
export interface Recipe {
  /** How soon more of the same word adds nothing. */
  k1: number;
  /** How much long entries are held against them. */
  b: number;
  /** What a word in each field counts. */
  weights: { body: number; title: number; context: number };
  /** What the words of the entries before and after it in the same thread count, nearest first. */
  before: readonly number[];
  after: readonly number[];
  /** Where the parts of a question's words stand in more places, only the rarest of each word find entries. */
  partPostings: number;
  fusion: LegsFusion | FeaturesFusion;
}

/** Words, direction and tokens. */
interface LegsFusion {
  way: "legs";
  /** In languages that the model knows: the power of what tokens say, which multiplies what words say. */
  exponent: number;
  /** In others: the weight of what tokens say, which is added. */
  tokens: number;
  /** The weight of direction where there are no tokens. */
  dense: number;
  /** What has none of the question's words is a hit only where its direction is this near. */
  leastCosine: number;
}

/** A weighted sum. */
interface FeaturesFusion {
  way: "features";
  words: number;
  dense: number;
  speaker: number;
  asks: number;
  thread: number;
}

const LEGS: LegsFusion = { way: "legs", exponent: 10, tokens: 0.5, dense: 1, leastCosine: 0.25 };

const PART_POSTINGS = 200_000;

export const RECIPES: Record<Kind, Recipe> = {
  document: {
    k1: 0.9,
    b: 0.5,
    weights: { body: 1, title: 0.5, context: 0.5 },
    before: [],
    after: [],
    partPostings: PART_POSTINGS,
    fusion: LEGS,
  },
  memory: {
    k1: 1,
    b: 0.3,
    weights: { body: 1, title: 1, context: 0.5 },
    before: [0.7, 0.35, 0.2],
    after: [0.4, 0.2],
    partPostings: PART_POSTINGS,
    fusion: { way: "features", words: 4.2, dense: 8, speaker: 1.1, asks: 1.2, thread: 0.1 },
  },
  asset: {
    k1: 1.2,
    b: 0.3,
    weights: { body: 1, title: 3, context: 0.5 },
    before: [],
    after: [],
    partPostings: PART_POSTINGS,
    fusion: LEGS,
  },
};
