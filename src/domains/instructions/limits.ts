export const LIMITS = {
  instructions: {
    /** Calls of one plan. */
    steps: 20,
    /** Ways of dividing an instruction into steps that are tried. */
    readings: 16,
    /** Instructions that are planned at once, one of each workspace. */
    planners: 2,
    /** Instructions that may wait to be planned; half of them of one workspace. */
    waitingPlans: 40,
    /** Longest that planning an instruction may take, with looking up what it speaks of. */
    planMs: 15_000,
    /** Memory of a thread that plans. */
    planMemoryMb: 256,
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
