export const LIMITS = {
  analytics: {
    /** Queries of one workspace that run at once; more wait. */
    queriesPerScope: 10,
    /** Queries of one person in a workspace that run at once; more wait, and the other places stay for others. */
    queriesPerUser: 8,
    /** Queries of one workspace that may wait; more are turned away. */
    waitingPerScope: 100,
    /** Queries of one person in a workspace that may wait; more are turned away, and so are those that would wait too long. */
    waitingPerUser: 50,
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
    /** Processes that long queries of one person may occupy, but never all; their next queries then run in these. */
    longProcessesPerUser: 3,
    /** Long queries of one person at which their next ones get processes of their workspace's own, with one long query at a time; more wait. */
    longQueriesPerUser: 3,
    /** Long queries of one workspace at which the same holds for everybody in it who has one of them. */
    longQueriesPerScope: 6,
    /** Quarantine: how long somebody whose query ended a process has to do with processes of the workspace's own, one query at a time beside a long one. */
    quarantineMs: 60_000,
    /** How long a query is known to be a heavy one, by its text without values: it then waits for other long ones before it begins. */
    heavyMs: 10 * 60_000,
    /** Workspaces that have processes of their own, two each; more wait. */
    ownProcessScopes: 2,
    /** Rows of a live dataset that are copied where a statement needs rows of two places at once. */
    liveCopyRows: 100_000,
    /** How long such a copy is used again. */
    liveCopyMs: 30_000,
    /** How long a sample of a live dataset is used again by whoever looks at data that nobody has described. */
    liveSampleMs: 10 * 60_000,
    /** Copies of live datasets that are kept at once. */
    liveCopies: 100,
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
    /** Characters of all parts of a statement that is translated for a live dataset, those of its parts counted again. */
    liveCharactersWritten: 4_000_000,
    /** Parameters of one query. */
    params: 1_000,
    /** Datasets that one query can see. */
    tableViews: 500,
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
} as const;
