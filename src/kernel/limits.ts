/**
 * Every bound in Kenning has its name here, and a sentence that goes into docs/configuration.md.
 * Units come last in the name.
 */
export const LIMITS = {
  request: {
    /** Largest body of an HTTP request, unless a route says otherwise. */
    bodyBytes: 16 * 1024 * 1024,
    /** Most JSON-RPC messages in one batch. */
    batchMessages: 50,
    /** Deepest nesting of arguments. */
    argumentDepth: 64,
  },
  call: {
    /** Longest a tool may run unless it declares its own limit. */
    defaultTimeoutMs: 60_000,
    /** Longest natural-language instruction. */
    instructionCharacters: 2_000,
    /** Most of a call's arguments that is kept in the audit log. */
    auditExcerptCharacters: 2_000,
  },
  session: {
    /** Live sessions in one process; the longest idle one makes room. */
    perProcess: 10_000,
    /** Sessions one person may hold on one endpoint; the longest idle one makes room. */
    perUser: 100,
    /** Bytes of a session id chosen by a client. */
    idCharacters: 128,
    /** Events kept for each session so that a broken stream can be resumed. */
    replayEvents: 200,
  },
} as const;
