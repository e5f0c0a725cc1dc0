export const LIMITS = {
  fetch: {
    /** Largest answer of a foreign server, after decompression, unless the caller says otherwise. */
    bodyBytes: 32 * 1024 * 1024,
    /** Largest headers of an answer. */
    headerBytes: 32 * 1024,
    /** Longest URL. */
    urlCharacters: 4_096,
    /** Redirects that are followed. */
    redirects: 5,
    /** Longest time for the name look-up and the connection. */
    connectMs: 10_000,
    /** Longest silence of the other side. */
    idleMs: 15_000,
    /** Longest time for everything together, unless the caller says otherwise. */
    totalMs: 60_000,
    /** Requests to foreign servers under way at once. */
    inFlight: 64,
    /** Connections to one foreign server. */
    connectionsPerOrigin: 8,
  },
} as const;
