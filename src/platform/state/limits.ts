export const LIMITS = {
  state: {
    /** Records kept in memory by shared state; the longest unused one makes room. */
    entries: 200_000,
    /** All values kept in memory together; the longest unused one makes room. */
    totalBytes: 256 * 1024 * 1024,
    /** Largest single value. */
    valueBytes: 256 * 1024,
    /** Longest key. */
    keyCharacters: 512,
    /** Callers counted by one rate limit at a time; the one that was counted first makes room. */
    limiterKeys: 100_000,
    /** Longest that Redis may take for an answer, where state is there. */
    redisMs: 2_000,
    /** How often expired records are cleared away. */
    sweepMs: 30_000,
  },
} as const;
