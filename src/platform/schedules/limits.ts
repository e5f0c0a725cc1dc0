export const LIMITS = {
  schedules: {
    /** Most minutes, hours, days, weeks or months between two occurrences of a schedule. */
    every: 1_000,
    /** Due schedules that are taken in one transaction. */
    claimed: 500,
    /** Longest that a server waits before it looks for due schedules again, should no notification or timer wake it. */
    lookMs: 30_000,
    /** How long it is remembered that a schedule came due. */
    keepDays: 30,
  },
} as const;
