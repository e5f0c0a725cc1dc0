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
    /** What a search over documents, memories and assets finds, of each source and in all. */
    everywhere: 20,
    /** Rows that stand in the text of an asset. */
    fetchedRows: 50,
  },
} as const;
