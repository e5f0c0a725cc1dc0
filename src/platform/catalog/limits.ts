export const LIMITS = {
  catalog: {
    /** How long a call waits for the database before another connection is tried, which has as long to answer: where it does not, the database hangs and the call fails. */
    patienceMs: 5_000,
    /** Longest that the database may take to answer a health check. */
    pingMs: 2_000,
    /** How often it is checked that the database's notifications arrive; while they do not, what others do is looked for as often. */
    pulseEveryMs: 30_000,
    /** Longest that a notification of our own may take to come back. */
    pulseTimeoutMs: 3_000,
  },
} as const;
