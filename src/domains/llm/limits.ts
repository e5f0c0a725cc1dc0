export const LIMITS = {
  llm: {
    /** Providers of language models that a workspace may have. */
    providers: 20,
    /** Longest that a call of a language model may take, unless its provider is set up otherwise. */
    defaultTimeoutMs: 30_000,
    /** Longest that can be set up for a provider. */
    longestTimeoutMs: 120_000,
    /** Calls of language models that one workspace has under way at once. */
    callsAtOnce: 8,
    /** Failures of a provider in a row after which it is not asked for a while. */
    failuresInRow: 3,
    /** How long a provider is not asked then; twice as long when it fails again afterwards. */
    pauseMs: 60_000,
    /** Longest such pause. */
    longestPauseMs: 15 * 60_000,
  },
} as const;
