export const LIMITS = {
  retrieval: {
    /** Characters of an entry that are searched; what comes after them is not found. */
    entryCharacters: 40_000,
    /** Characters of a question that are searched for. */
    queryCharacters: 2_000,
    /** Different words of a question that are searched for; the first ones count. */
    queryWords: 64,
    /** Hits of one search. */
    hits: 1_000,
    /** Values that one filter may name. */
    filterValues: 10_000,
    /** Entries of one collection, of a workspace. */
    entries: 8_000_000,
    /** Memory that all indexes have together; the one that was not asked for longest makes room. */
    memoryBytes: 1_500_000_000,
    /** How long an index that nobody asks is kept in memory. */
    idleMs: 30 * 60_000,
    /** Longest that the thread which searches may keep others waiting before it counts as failed. */
    pingMs: 10_000,
    /** Longest that a search waits for its index, which is built when it is first asked. */
    waitMs: 25_000,
    /** Longest that a search waits for what others have changed meanwhile, where that is much. */
    catchUpMs: 3_000,
    /** How long changes are logged; an index that has not looked for longer is compared as a whole. */
    changesMs: 60 * 60_000,
  },
} as const;
