export const LIMITS = {
  models: {
    /** Rows of one execute_query. */
    queryRows: 1_000,
    /** Rows of one query on `/mcp`, unless its caller asks for more. */
    shownRows: 100,
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
    /** Datasets that are counted at once to infer a model: each takes a core, and a statement that waits for one is treated as a long one. */
    lookedAtOnce: 2,
    /** Models that are looked at together for one list. */
    seenAtOnce: 4,
    /** What is remembered in one process of how models fit the data. */
    keptBindings: 2_000,
    /** Longest check that the keys of a relationship are unique. */
    uniquenessMs: 10_000,
    /** Datasets of which one model is guessed. */
    inferredDatasets: 60,
    /** Columns of a dataset that are looked at to guess a model. */
    inferredColumns: 200,
    /** Rows of a dataset that are looked at for that; keys are checked over all rows. */
    inferenceRows: 100_000,
    /** Rows of a live dataset that are looked at for that, and for its keys. */
    liveSampleRows: 50_000,
    /** Values that are looked at for that in one dataset, its rows times its columns. */
    inferenceValues: 2_000_000,
    /** Pairs of columns whose values are compared, to find what belongs together. */
    inferredPairs: 300,
    /** Different values of a column that are looked for in a key. */
    inferenceValuesCompared: 10_000,
    /** Longest that one look at data may take. */
    inferenceMs: 20_000,
    /** Longest that guessing a model may take in all. */
    inferenceTotalMs: 60_000,
    /** Looks at datasets, as different callers see them, that are remembered in one process. */
    keptLooks: 500,
    /** Sets of datasets that are remembered with what belongs together in them. */
    keptInferences: 50,
  },
} as const;
