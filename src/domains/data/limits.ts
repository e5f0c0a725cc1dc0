export const LIMITS = {
  data: {
    /** Rows of a dataset whose texts a search for assets looks through. */
    sampleRows: 200,
    /** Characters of these texts. */
    sampleCharacters: 1_000,
    /** Longest that reading them may take for one dataset. */
    sampleMs: 5_000,
    /** How long a search waits for those of new datasets; the next one has them. */
    sampleWaitMs: 1_500,
    /** Datasets whose texts are kept in memory. */
    sampledDatasets: 10_000,
    /** Longest name of a dataset, datasource or query. */
    nameCharacters: 200,
    /** A part smaller than this is put together with others in the background. */
    smallPartBytes: 8 * 1024 * 1024,
    /** This many small parts are put together. */
    smallParts: 16,
    /** A file of a dataset up to this size is checked before its rows are read for the first time since the start; a larger one meanwhile. */
    checkedFirstBytes: 1024 * 1024 * 1024,
    /** Rows of one push. */
    pushRows: 100_000,
    /** Longest key by which a push that is sent again is known. */
    idempotencyKeyCharacters: 200,
    /** Former versions of a dataset, the newest, that its details list. */
    listedVersions: 20,
    /** Rows of one get_data. */
    readRows: 10_000,
    /** Rows of one export. */
    exportRows: 200_000,
    /** Largest file of one export; what is beyond it is left out, and the answer says so. */
    exportBytes: 16 * 1024 * 1024,
    /** Queries of a datasource that its details name. */
    listed: 100,
    /** Datasets whose small parts are put together at once, one of each workspace. */
    compactions: 2,
  },
  datasources: {
    /** Connections to foreign databases that are open at once in one process. */
    connections: 32,
    /** Longest time to connect to a foreign database and to sign in. */
    connectMs: 15_000,
    /** Longest test of a datasource, or listing of its tables or columns. */
    metadataMs: 30_000,
    /** Longest that a query on a datasource may run, whatever its caller says. */
    runMs: 60 * 60_000,
    /** How long the server is asked to stop a cancelled query before the connection is dropped. */
    cancelMs: 5_000,
    /** How long a connection may take to close in an orderly way. */
    goodbyeMs: 1_000,
    /** Rows of one batch of a result. */
    batchRows: 1_000,
    /** Values of one batch of a result. */
    batchBytes: 1024 * 1024,
    /** Largest single row; no more than the engine takes as one object. */
    rowBytes: 16 * 1024 * 1024,
    /** Columns of a result. */
    columns: 4_096,
    /** Tables that are listed. */
    tables: 5_000,
    /** Longest text of a query. */
    queryCharacters: 200_000,
    /** Values of all parameters of a query together, lists counted by their items. */
    parameterValues: 10_000,
    /** Longest error message of a foreign database that is passed on. */
    errorCharacters: 500,
    /** Memory of the process that reads an SQLite or DuckDB file. */
    fileMemoryMb: 1_024,
    /** Largest file that is fetched by its URL. */
    downloadBytes: 8 * 1024 * 1024 * 1024,
    /** Longest silence of a server that is asked for a file or a page. */
    silenceMs: 60_000,
    /** Largest page of a REST API. */
    pageBytes: 32 * 1024 * 1024,
    /** Pages of a REST API that one query reads. */
    pages: 10_000,
    /** Deepest nesting of a JSON value. */
    jsonDepth: 200,
  },
  c9ql: {
    /** Longest text of a C9QL query. */
    textCharacters: 200_000,
    /** Most words, numbers and signs in a query. */
    tokens: 40_000,
    /** Most statements in one query. */
    statements: 50,
    /** Deepest nesting of an expression. */
    depth: 200,
    /** Most values that one run-time parameter may have. */
    parameterValues: 10_000,
    /** Most columns that transpose makes of the values of a field. */
    transposedColumns: 500,
    /** Longest SQL that a query may become. */
    sqlCharacters: 8 * 1024 * 1024,
  },
  queries: {
    /** Queries on datasources that run at once in one process; more wait. */
    runs: 4,
    /** Runs of one workspace at work at once; a place stays for the others. */
    runsPerWorkspace: 3,
    /** Runs of one workspace that wait or are at work. */
    activeRuns: 200,
    /** Queries of one workspace. */
    perWorkspace: 5_000,
    /** Rows of one query's result; more are left out, and the run says so. */
    rows: 50_000_000,
    /** All values of one query's result together; more are left out, and the run says so. */
    bytes: 16 * 1024 * 1024 * 1024,
    /** Disk that one answer takes before it is a dataset; more is left out, and the run says so. */
    spoolBytes: 32 * 1024 * 1024 * 1024,
    /** How long a call waits for a run to end before it answers that it goes on. */
    waitMs: 10_000,
    /** Further tries after a connection was lost. */
    retries: 3,
    /** Wait before the first further try, about; it doubles with each one. */
    retrySeconds: 1,
    /** Runs of one query that are remembered. */
    keptRuns: 50,
    /** Runs of a query that its details show. */
    shownRuns: 5,
    /** Parameters that one query has values for. */
    parameters: 100,
    /** All values of these parameters together. */
    parameterBytes: 1024 * 1024,
    /** Longest error of a run that is kept. */
    errorCharacters: 2_000,
  },
} as const;
