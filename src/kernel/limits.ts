import { DOMAIN_LIMITS } from "./domain-limits.ts";

/**
 * Every bound in Kenning has its name here, and a sentence that goes into docs/configuration.md.
 * Units come last in the name.
 */
export const LIMITS = {
  server: {
    /** How long a stopping server waits for requests that still run. */
    drainMs: 10_000,
    /** Largest headers of a request. */
    headerBytes: 32 * 1024,
    /** Longest time in which the headers of a request must arrive. */
    headersMs: 20_000,
    /** Longest time in which a whole request must arrive. */
    requestMs: 300_000,
    /** How long an idle connection is kept. */
    keepAliveMs: 65_000,
    /** Longest that each check of `/api/health/ready` may take. */
    readyMs: 10_000,
    /** How long an answer of `/api/health/ready` is given again, so that asking often costs nothing. */
    readyKeptMs: 1_000,
    /** With less free space where the home is, `/api/health/ready` says no. */
    diskFreeBytes: 64 * 1024 * 1024,
    /** With room for fewer files there, it says no as well. */
    diskFreeFiles: 1_000,
  },
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
    /** Results of all calls of one request together, as JSON; what is beyond it becomes an error. */
    resultCharacters: 32 * 1024 * 1024,
    /** Longest natural-language instruction. */
    instructionCharacters: 2_000,
    /** Most of a call's arguments that is kept in the audit log. */
    auditExcerptCharacters: 2_000,
    /** Most text in everything that an audit event says beside its fixed fields. */
    auditMetadataCharacters: 6_000,
  },
  session: {
    /** Live sessions in one process; the longest idle one makes room. */
    perProcess: 10_000,
    /** Sessions one person may hold on one endpoint; the longest idle one makes room. */
    perUser: 100,
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
  },
  state: {
    /** Records kept in memory by shared state; the longest unused one makes room. */
    entries: 200_000,
    /** All values kept in memory together; the longest unused one makes room. */
    totalBytes: 256 * 1024 * 1024,
    /** Largest single value. */
    valueBytes: 256 * 1024,
    /** Longest key. */
    keyCharacters: 512,
    /** Callers counted by one rate limit at a time; the one that was counted first makes room. */
    limiterKeys: 100_000,
    /** Callers that may wait for one lock. */
    lockWaiters: 1_000,
    /** How often expired records are cleared away. */
    sweepMs: 30_000,
  },
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
  blobs: {
    /** Longest key of a blob. */
    keyCharacters: 512,
    /** Longest part of a key between two slashes. */
    segmentCharacters: 200,
    /** Most parts of a key. */
    segments: 16,
  },
  sandbox: {
    /** Calls that may wait for a sandbox. */
    queuedCalls: 256,
    /** Parameters of all calls that wait for a sandbox, together. */
    queuedBytes: 256 * 1024 * 1024,
    /** Largest parameters or result of one call. */
    messageBytes: 64 * 1024 * 1024,
    /** Longest start of a sandboxed process. */
    startMs: 30_000,
    /** How long a cancelled call may go on before its process is killed. */
    cancelGraceMs: 1_000,
    /** How often the memory of a busy sandboxed process is looked at. */
    memoryPollMs: 25,
    /** Longest line of a sandboxed process that is logged. */
    logLineCharacters: 2_000,
    /** Largest file that a sandboxed process may write (where the operating system can tell it so). */
    fileBytes: 8 * 1024 * 1024 * 1024,
    /** Files that a sandboxed process may have open. */
    openFiles: 1_024,
  },
  analytics: {
    /** Queries of one workspace that run at once; more wait. */
    queriesPerScope: 10,
    /** Queries of one workspace that may wait; more are turned away. */
    waitingPerScope: 100,
    /** Queries of all workspaces that may wait; more are turned away. */
    waitingQueries: 1_000,
    /** Longest that a query waits for its turn. */
    waitMs: 30_000,
    /** Queries that one process runs at once. */
    queriesPerWorker: 8,
    /** Processes that run queries, unless the operator says otherwise. */
    workers: 2,
    /** Processes more that may run queries for a while, when long queries occupy those; fewer on a small machine. */
    extraWorkers: 3,
    /** How long such a process is kept without a query. */
    extraWorkerIdleMs: 60_000,
    /** What runs longer counts as a long query: its process gives way to others, and nothing new begins there. */
    longQueryMs: 250,
    /** Processes that long queries of one workspace may occupy, but never all; its next queries then run in these. */
    longProcessesPerScope: 3,
    /** Long queries of one workspace at which its next ones get processes of their own, with one long query at a time; more wait. */
    longQueriesPerScope: 3,
    /** How long a workspace whose query ended a process has processes of its own, and runs one query at a time beside a long one. */
    confinedMs: 60_000,
    /** How long a query is known to be a heavy one, by its text without values: it then waits for other long ones before it begins. */
    heavyMs: 10 * 60_000,
    /** Workspaces that have processes of their own, two each; more wait. */
    ownProcessScopes: 2,
    /** How long a cancelled query may go on in a process of its workspace before that is killed. */
    ownCancelGraceMs: 500,
    /** First pause before such a process is started again when a query ended it; each time twice as long. */
    restartMs: 125,
    /** Longest such pause. */
    restartMaxMs: 2_000,
    /** Query engines that one process keeps ready; the longest unused one makes room. */
    enginesPerWorker: 32,
    /** How long a query engine is kept ready without a query. */
    engineIdleMs: 10 * 60_000,
    /** Rows of a result, unless the caller says otherwise. */
    resultRows: 10_000,
    /** Largest result as JSON, with the names of its columns in each row; what is beyond it is left out, and the answer says so. */
    resultBytes: 2 * 1024 * 1024,
    /** Values of a result, its rows times its columns; what is beyond them is left out as well. */
    resultValues: 200_000,
    /** Largest result as JSON that a part of the server can ask for at once; more comes as a stream. */
    resultMaxBytes: 48 * 1024 * 1024,
    /** Rows of one batch of a stream. */
    batchRows: 10_000,
    /** Largest batch of a stream, as JSON; a single row may be larger, up to the largest result. */
    batchBytes: 4 * 1024 * 1024,
    /** How long a stream may lie unread before it is closed. */
    streamIdleMs: 120_000,
    /** Longest that a query may run, unless the caller says otherwise. */
    queryMs: 60_000,
    /** How long a cancelled query may go on before its process is killed. */
    cancelGraceMs: 3_000,
    /** Longest SQL text. */
    sqlCharacters: 200_000,
    /** Parameters of one query. */
    params: 1_000,
    /** Datasets that one query can see. */
    relations: 500,
    /** Parts of all datasets that one query can see. */
    parts: 5_000,
    /** Disk that one query engine may take for what does not fit into memory. */
    spillMb: 8 * 1024,
    /** Threads of one query, at most. */
    threads: 8,
    /** Least memory of a process that runs queries, if the operator does not say. */
    queryMemoryMinMb: 1_024,
    /** Most memory of a process that runs queries, if the operator does not say. */
    queryMemoryMaxMb: 8_192,
    /** Memory of each process that reads files and writes parts. */
    loadMemoryMb: 1_024,
    /** Conversions of files that run at once, each in a process of its own. */
    conversions: 2,
    /** Pushes that run at once. */
    smallJobs: 3,
    /** Conversions and other work on parts that may wait. */
    waitingJobs: 200,
    /** Largest file that is converted. */
    fileBytes: 32 * 1024 * 1024 * 1024,
    /** Longest conversion of a file. */
    convertMs: 30 * 60_000,
    /** Longest other work on parts. */
    jobMs: 5 * 60_000,
    /** Rows of a Parquet file that is taken in; a small file can promise a great many. */
    parquetRows: 2_000_000_000,
    /** Columns of a dataset. */
    columns: 2_000,
    /** Longest row of a CSV file. */
    rowBytes: 4 * 1024 * 1024,
    /** Largest single object of a JSON file. */
    objectBytes: 16 * 1024 * 1024,
    /** Deepest nesting of JSON; what a column has below level 8 is kept as JSON. */
    jsonDepth: 200,
    /** Rejected rows that are listed; all of them are counted. */
    rejectedRows: 100,
    /** Rejected rows at which a file is refused as a whole. */
    rejectedMost: 100_000,
    /** Longest reason for which a row was rejected. */
    reasonCharacters: 300,
    /** Largest batch of rows that is pushed at once, as JSON. */
    pushBytes: 48 * 1024 * 1024,
    /** Threads that read large pushes, each of another workspace; more wait. */
    rowReaders: 2,
    /** Large pushes that may wait to be read; more are turned away. */
    waitingRowReaders: 100,
    /** Memory of one thread that reads a large push. */
    rowReaderMemoryMb: 768,
    /** Longest that reading one large push may take. */
    rowReaderMs: 60_000,
    /** Values of all columns that are looked at to estimate how many different ones each column has. */
    distinctValues: 5_000_000,
    /** Longest smallest or largest text of a column that is kept. */
    extremeCharacters: 200,
    /** Deepest nesting of a column's type. */
    typeDepth: 16,
    /** Longest error message of the engine that is passed on. */
    errorCharacters: 1_000,
  },
  commandLine: {
    /** Size at which the log of unexpected errors is put aside; one older file is kept. */
    errorLogBytes: 5 * 1024 * 1024,
    /** Most of a stack that is logged. */
    stackCharacters: 20_000,
    /** Longest graceful stop of the server after a signal. */
    stopMs: 30_000,
    /** Longest that one check of the doctor may take. */
    checkMs: 15_000,
  },
  stdio: {
    /** How long the bridge for desktop clients waits for a server that is not running yet. */
    startWaitMs: 10_000,
    /** How often it looks whether the server is there. */
    startPollMs: 250,
    /** Longest wait for the answer when it opens a new session. */
    handshakeMs: 10_000,
    /** How long it waits for answers after the client has closed its end. */
    drainMs: 5_000,
    /** How long it tries to end its session before it goes. */
    farewellMs: 1_000,
  },
  ...DOMAIN_LIMITS,
} as const;
