/** The bounds of what Kenning can do, a group for each slice or large part of one; `limits.ts` says how they are kept. */
export const DOMAIN_LIMITS = {
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
    cancelMs: 2_000,
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
  identity: {
    /** Shortest password. Length is what resists guessing (NIST SP 800-63B); no rules on its characters. */
    passwordMinCharacters: 12,
    /** Longest password, so that hashing cannot be made to work on megabytes. */
    passwordMaxCharacters: 256,
    /** Passwords hashed at once in one process: each takes 19 MiB and a thread for about 50 ms. */
    passwordHashesAtOnce: 2,
    /** Password checks that may wait for their turn; more are turned away. */
    passwordHashesWaiting: 50,
    /** Longest Authorization header. */
    authorizationCharacters: 8_192,
    /** Attributes of a member, which policies of datasets can ask for. */
    attributesPerMember: 50,
    /** Longest value of an attribute. */
    attributeCharacters: 500,
    /** Tokens of one person in one workspace that are neither expired nor revoked. */
    tokensPerMember: 200,
    /** Names of workspaces, people, groups and tokens. */
    nameCharacters: 100,
    /** Toolsets, models or knowledge bases that one token may be limited to. */
    namesPerTokenLimit: 100,
    /** Tokens whose owner and power are kept in memory in one process. */
    cachedTokens: 10_000,
    /** Longest that a token's power is kept in memory; a change is seen at once, this only bounds a missed one. */
    cachedTokenMs: 30_000,
    /** Largest body of a sign-in with client id and secret. */
    loginBytes: 4 * 1024,
    /** Longest that a request waits for the database to say whose its token is. */
    tokenLookupMs: 5_000,
    /** Audit events that wait for the database; calls are slowed down from half of it on, and what is beyond it is counted and dropped. */
    auditWaitingEvents: 20_000,
    /** Longest that a call is held up for audit events to be written; an outage must not stop everything. */
    auditRoomMs: 2_000,
    /** Audit events written in one statement. */
    auditBatchEvents: 2_000,
    /** Longest time an audit event waits before it is written. */
    auditBatchMs: 200,
    /** Audit events in one page of a listing. */
    auditPageEvents: 500,
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
    /** Longest SQL that a query may become. */
    sqlCharacters: 8 * 1024 * 1024,
  },
  files: {
    /** Largest file that is fetched by its URL, or that a compressed file may turn into. */
    sourceBytes: 8 * 1024 * 1024 * 1024,
    /** Longest download of a file. */
    downloadMs: 30 * 60_000,
    /** How much of a file is looked at to tell what it is. */
    headBytes: 64 * 1024,
    /** A compressed file that grows by more than this factor is taken for a bomb. */
    compressionRatio: 250,
    /** Up to this size a compressed file may grow by any factor. */
    compressionFreeBytes: 64 * 1024 * 1024,
    /** Excel, XML and unusual JSON files that are read at once; more wait. */
    readers: 2,
    /** Files that may wait to be read; more are turned away. */
    waitingReaders: 100,
    /** Memory of the process that reads one Excel, XML or JSON file. */
    readerMemoryMb: 768,
    /** Longest that reading one such file may take. */
    readMs: 20 * 60_000,
    /** What such a process hands over at once. */
    batchBytes: 1024 * 1024,
    /** Files inside an Excel file. */
    zipEntries: 10_000,
    /** All files inside an Excel file together, unpacked. */
    unpackedBytes: 4 * 1024 * 1024 * 1024,
    /** All different texts of an Excel file together, unpacked. */
    sharedTextBytes: 256 * 1024 * 1024,
    /** Rows of an Excel sheet that are looked at to find its header. */
    headerRows: 20,
    /** Largest single row of an Excel, XML or JSON file. */
    rowBytes: 16 * 1024 * 1024,
    /** Deepest nesting of XML. */
    xmlDepth: 100,
    /** Attributes of one XML element. */
    xmlAttributes: 10_000,
    /** Different places at which elements of an XML file can stand. */
    xmlPaths: 50_000,
    /** How deep inside a JSON object its rows are looked for. */
    jsonSearchDepth: 8,
    /** Remarks on how a file was read. */
    notes: 20,
    /** Longest piece of a file that is repeated in a remark or an error. */
    excerptCharacters: 80,
  },
  agent: {
    /** Longest that one query of a question may run. */
    queryMs: 30_000,
    /** Longest that a question may take in all. */
    totalMs: 5 * 60_000,
    /** Rows that are read to answer a question. */
    rows: 10_000,
    /** Rows of an answer that are handed to the client as data. */
    shownRows: 1_000,
    /** Rows of a table in the text of an answer. */
    tableRows: 25,
    /** Readings of a question that are run to see whether they differ. */
    rivals: 3,
    /** Questions that are asked back at once. */
    clarifications: 3,
    /** Queries more that are run to find out why a result is empty. */
    repairs: 3,
    /** Values of one field that questions can name without saying which field they mean. */
    valuesPerField: 5_000,
    /** Such values of all fields of a model. */
    values: 100_000,
    /** Longest such value. */
    valueCharacters: 200,
    /** Models, as different callers see them, whose values are kept in memory; the longest unused one makes room. */
    keptModels: 20,
    /** Datasets, as different callers see them, whose values are kept in memory. */
    keptDatasets: 200,
    /** Groups that one chart shows. */
    chartGroups: 30,
    /** Points of a line or of a cloud of points in a chart. */
    chartPoints: 500,
  },
  models: {
    /** Rows of one execute_query. */
    queryRows: 1_000,
    /** Longest that one execute_query may run. */
    queryMs: 30_000,
    /** Threads of one execute_query. */
    queryThreads: 2,
    /** Memory of one execute_query before it spills to disk. */
    queryMemoryMb: 512,
    /** Disk that one execute_query may take for what does not fit into memory. */
    querySpillMb: 2 * 1024,
    /** Longest text that a number written into SQL may ask a function for (`repeat`, `lpad`, widths of `format`). */
    madeCharacters: 100_000,
    /** Longest list that numbers written into SQL may ask a function for (`range`, `list_resize`). */
    madeItems: 10_000_000,
    /** Wildcards for any text in one pattern of LIKE, ILIKE or GLOB. */
    patternWildcards: 16,
    /** Longest regular expression in SQL. */
    patternCharacters: 5_000,
    /** How deep brackets may be nested in a text in SQL. */
    textNesting: 200,
    /** Parameters of one execute_query. */
    params: 100,
    /** Longest value of a parameter. */
    paramCharacters: 10_000,
    /** Datasets that one get_datasets shows. */
    datasetsPerCall: 10,
    /** Items on a page of a digest, at most. */
    itemsPerPage: 500,
    /** Stored queries of one person in a workspace that have no name; the oldest makes room. */
    storedQueries: 1_000,
    /** Stored queries of one person in a workspace that have a name. */
    namedQueries: 500,
    /** Largest stored query, its SQL and its parameters together; a larger one runs but is not stored. */
    storedQueryBytes: 64 * 1024,
    /** SQL of a stored query that a list shows. */
    listedSqlCharacters: 2_000,
    /** Each parameter of a stored query that a list shows. */
    listedParamCharacters: 200,
    /** Longest title of an improvement request. */
    titleCharacters: 200,
    /** Longest description of an improvement request. */
    descriptionCharacters: 2_000,
    /** Improvement requests of a workspace that are open at once. */
    openImprovements: 1_000,
    /** Largest text that is read as models, all its files together. */
    modelBytes: 4 * 1024 * 1024,
    /** Files that are read together as models. */
    modelFiles: 2_000,
    /** Words, signs and line breaks of the files of models that are read together: reading one takes some microseconds. */
    modelTokens: 100_000,
    /** Readings of models at work at once, each in a thread of its own and of another workspace; more wait. */
    readers: 2,
    /** Readings of models that may wait; more are turned away. */
    waitingReaders: 100,
    /** Memory of one reading of models. */
    readerMemoryMb: 256,
    /** Longest that one reading of models may take. */
    readMs: 20_000,
    /** Values of a model's file after its aliases have been followed. */
    modelValues: 100_000,
    /** Deepest nesting of a model's file. */
    modelDepth: 40,
    /** Longest name of a model. */
    modelNameCharacters: 100,
    /** Longest name of anything in a model. */
    partNameCharacters: 200,
    /** Models of one file or folder. */
    modelsPerFile: 50,
    /** Models of a workspace, drafts among them. */
    modelsPerWorkspace: 500,
    /** Problems of models that are listed at once; the rest is counted. */
    problems: 200,
    /** Longest message of such a problem; SQL in it is cut. */
    problemCharacters: 1_000,
    /** Differences between two versions of a model that are printed; the rest is counted. */
    printedChanges: 200,
    /** Versions of a model that are kept; the oldest make room. */
    versions: 200,
    /** Longest that the engine may take to say which columns a part of a model has. */
    bindMs: 10_000,
    /** Relationships of a model whose keys are compared with the data when it is checked. */
    checkedRelationships: 50,
    /** Parts of one model that the engine is asked about at once. */
    askedAtOnce: 8,
    /** Models that are looked at together for one list. */
    seenAtOnce: 4,
    /** What is remembered in one process of how models fit the data. */
    keptBindings: 2_000,
    /** Longest check that the keys of a relationship are unique. */
    uniquenessMs: 10_000,
  },
  data: {
    /** Longest name of a dataset, datasource or query. */
    nameCharacters: 200,
    /** A part smaller than this is put together with others in the background. */
    smallPartBytes: 8 * 1024 * 1024,
    /** This many small parts are put together. */
    smallParts: 16,
    /** Rows of one push. */
    pushRows: 100_000,
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
    /** Datasets whose small parts are put together at once. */
    compactions: 1,
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
