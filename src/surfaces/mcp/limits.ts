export const LIMITS = {
  session: {
    /** Live sessions in one process; the longest idle one makes room. */
    perProcess: 10_000,
    /** Sessions one person may hold on one endpoint; the longest idle one makes room. */
    perUser: 100,
    /** Toolsets that one person may have switched on in all sessions and clients; the longest unused one makes room. */
    enabledToolsets: 500,
    /** Resources that one session may watch. */
    watchedResources: 100,
    /** Longest address of a resource. */
    uriCharacters: 2_000,
    /** Streams that one person may hold open on one endpoint for what the server says by itself. */
    streamsPerUser: 20,
    /** Longest life of such a stream; the client opens the next one. */
    streamMs: 3_600_000,
    /** How often it is checked that the token behind such a stream is still good. */
    streamCheckMs: 30_000,
    /** Most of what a client says of itself that is kept with its session. */
    greetingCharacters: 8_192,
    /** Bytes of a session id chosen by a client. */
    idCharacters: 128,
    /** Longest wait for a text by the language model of a client (in revisions whose requests the server sends). */
    sampleMs: 30_000,
  },
} as const;
