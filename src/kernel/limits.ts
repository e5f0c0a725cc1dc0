/**
 * Bounds of what every call goes through. Each slice, engine and surface has a `limits.ts` of this form for its own:
 * plain numbers, units last in the name, and a sentence above each that goes into docs/configuration.md.
 */
export const LIMITS = {
  request: {
    /** Largest body of an HTTP request, unless a route says otherwise. */
    bodyBytes: 16 * 1024 * 1024,
    /** Most JSON-RPC messages in one batch. */
    batchMessages: 50,
    /** Deepest nesting of arguments. */
    argumentDepth: 64,
    /** Deepest nesting of a request as a whole. */
    bodyDepth: 100,
    /** Names of fields in one request, its batch and all, outside of arguments that are read apart. */
    fields: 2_000,
    /** Values in one request, its batch and all, outside of arguments that are read apart. */
    values: 25_000,
    /** One request, its batch and all, without white space and without the arguments that are read apart. */
    plainBytes: 2 * 1024 * 1024,
    /** A text among the arguments of a tool that is larger than this is read apart from its request. */
    largeTextBytes: 256 * 1024,
    /** Rows among the arguments of a tool that are larger than this are read apart from their request. */
    largeRowsBytes: 8 * 1024,
    /** Values in rows that are read apart. */
    rowValues: 3_000_000,
    /** Fields of one object in rows that are read apart. */
    objectFields: 100_000,
    /** A body up to this size is not counted among those that are held in memory. */
    smallBodyBytes: 64 * 1024,
    /** A request up to this size, and without a batch, does not wait for larger ones of its token. */
    lightBytes: 8 * 1024,
    /** Requests of one token that wait for their turn, each message of a batch counted; more are told to come again. */
    waitingPerToken: 1_000,
    /** Requests of one person in a workspace that are not answered yet; more are refused before they are read. */
    inFlightPerUser: 100,
    /** A body above `smallBodyBytes` of which less than `paceBytes` comes in this time is refused. */
    paceMs: 15_000,
    /** What has to come of a body in `paceMs`. */
    paceBytes: 64 * 1024,
    /** Bodies of one token that are held in memory at once, until their calls have ended. */
    bytesInFlightPerToken: 48 * 1024 * 1024,
    /** Bodies of one workspace that are held in memory at once. */
    bytesInFlightPerWorkspace: 64 * 1024 * 1024,
    /** All bodies that are held in memory at once. */
    bytesInFlight: 256 * 1024 * 1024,
  },
  call: {
    /** Longest a tool may run unless it declares its own limit. */
    defaultTimeoutMs: 60_000,
    /** How long further calls of a tool are refused at once after one of the same person was because too many wait. */
    refusedAgainMs: 250,
    /** So many refusals in that time, and all requests of that person are refused until it is over. */
    refusalsInARow: 10,
    /** Results of all calls of one request together, as JSON; what is beyond it becomes an error. */
    resultCharacters: 32 * 1024 * 1024,
    /** Longest natural-language instruction. */
    instructionCharacters: 2_000,
    /** Most of a call's arguments that is kept in the audit log. */
    auditExcerptCharacters: 2_000,
    /** Most text in everything that an audit event says beside its fixed fields. */
    auditMetadataCharacters: 6_000,
  },
  log: {
    /** Most of a stack that is logged. */
    stackCharacters: 20_000,
  },
} as const;
