export const LIMITS = {
  console: {
    /** Largest file that the console sends ahead of the call that uses it. */
    fileBytes: 2 * 1024 * 1024 * 1024,
    /** Longest name of such a file. */
    fileNameCharacters: 255,
    /** How often a stream without news says that it is still there, so that no proxy closes it. */
    heartbeatMs: 15_000,
  },
} as const;
