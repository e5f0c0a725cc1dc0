export const LIMITS = {
  exports: {
    /** Largest file of an export that stands in the answer itself on `/mcp`; a larger one is a link. */
    inlineBytes: 64 * 1024,
    /** How long such a link is good. */
    keptMs: 15 * 60_000,
  },
  search: {
    /** Assets that one search finds. */
    hits: 100,
  },
} as const;
