export const LIMITS = {
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
    /** Queries that a question over a model which nobody has written may mean, and that are run to find the one. */
    candidateQueries: 12,
    /** Longest that each of these may run. */
    candidateMs: 2_000,
    /** Rows of each that are looked at. */
    candidateRows: 600,
    /** Questions that are asked back at once. */
    clarifications: 3,
    /** Queries more that are run to find out why a result is empty. */
    repairs: 3,
    /** Values of one field that questions can name without saying which field they mean. */
    valuesPerField: 3_000,
    /** Such values of all fields of a model. */
    values: 40_000,
    /** Longest such value. */
    valueCharacters: 120,
    /** Longest sentence of a model's instructions that something is made of. */
    sentenceCharacters: 600,
    /** Characters of a model's instructions that are read; the rest is only shown. */
    instructionCharacters: 40_000,
    /** Longest question in which an open period is looked for before it is read. */
    datedCharacters: 400,
    /** Models, as different callers see them, whose values are kept in memory; the longest unused one makes room. */
    keptModels: 10,
    /** Datasets, as different callers see them, whose values are kept in memory. */
    keptDatasets: 60,
    /** How long a question about datasets without a model can be followed up. */
    followUpMs: 24 * 3_600_000,
    /** Threads that read questions; a workspace has one of them at a time. */
    readers: 2,
    /** Questions that wait for such a thread. */
    waitingQuestions: 200,
    /** Longest that reading one question may take. */
    readMs: 10_000,
    /** Threads that work out what is known about a semantic model; a workspace has one of them at a time. */
    builders: 2,
    /** Longest that this may take for one model. */
    buildMs: 20_000,
    /** Memory of such a thread. */
    readerMemoryMb: 768,
    /** How long such a thread stays without a question. */
    idleReaderMs: 10 * 60_000,
    /** Longest digest of a semantic model that a language model is sent; a longer one goes without its descriptions. */
    digestCharacters: 60_000,
    /** Values of the data that a language model is sent because the question may mean them. */
    candidates: 60,
    /** Longest answer of a language model that fills in the query of a question. */
    fillInTokens: 2_000,
    /** Longest text about a result by a language model. */
    narrativeTokens: 800,
    /** Rows of a result that a language model may be sent to write about them, where its provider may get rows. */
    narratedRows: 50,
    /** Longest form of these rows. */
    narratedCharacters: 12_000,
    /** Longest that a refusal waits for what documents and memory know about its question. */
    otherSourcesMs: 1_500,
    /** How long answers can be read again. */
    keptAnswerDays: 90,
    /** Answers of one conversation that are kept; older ones make room. */
    keptAnswers: 500,
    /** Questions of one model whose meaning is verified. */
    verifiedQuestions: 1_000,
    /** Sentences, and verified questions, that the check of a model says something about. */
    advised: 10,
    /** Verified questions that are listed at once. */
    listedQuestions: 50,
    /** Rows of an answer of knowi_ask and ask_data. */
    askedRows: 100,
    /** Datasets that one such question can name. */
    namedDatasets: 50,
    /** Datasets of a workspace among which such a question finds its own. */
    searchedDatasets: 500,
    /** Sets of datasets that belong together, and published models, that such a question is put to. */
    askedGroups: 5,
    /** Metrics of one query of query_metrics. */
    queryMetrics: 10,
    /** Fields that such a query groups by. */
    queryFields: 6,
    /** Conditions of such a query. */
    queryConditions: 20,
    /** Numbers that its metrics, conditions and order are calculated from. */
    queryNumbers: 40,
    /** Values of all of these conditions together. */
    queryValues: 200,
    /** Longest name or value in such a query. */
    queryCharacters: 200,
    /** Names that are listed where one is not known. */
    listedNames: 30,
    /** Periods of a series in which those without rows are shown or counted as well. */
    seriesPeriods: 5_000,
    /** Groups that one chart shows. */
    chartGroups: 30,
    /** Points of a line or of a cloud of points in a chart. */
    chartPoints: 500,
  },
} as const;
