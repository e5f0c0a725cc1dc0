export const LIMITS = {
  instructions: {
    /** Calls of one plan. */
    steps: 20,
    /** Ways of dividing an instruction into steps that are tried. */
    readings: 16,
    /** Days that what an instruction did can be undone. */
    undoDays: 30,
    /** Longest that a plan may take from its first step to its last. */
    totalMs: 300_000,
    /** Tokens of a plan that a language model writes. */
    planTokens: 2_000,
    /** Characters of a step's result that the answer repeats. */
    resultCharacters: 20_000,
  },
} as const;
