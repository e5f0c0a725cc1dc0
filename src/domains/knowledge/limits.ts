export const LIMITS = {
  knowledge: {
    /** Longest name of a knowledge base, folder or document. */
    nameCharacters: 255,
    /** Longest description of a knowledge base. */
    descriptionCharacters: 2_000,
    /** Knowledge bases that one listing returns. */
    listedBases: 100,
    /** Users whose knowledge bases one listing can be limited to. */
    owners: 100,
    /** Nodes that one listing returns, unless it is recursive. */
    listedNodes: 500,
    /** Nodes of a recursive listing; where there are more, it is refused. */
    recursiveNodes: 5_000,
    /** How deep folders may be nested. */
    folderDepth: 100,
    /** Characters of a document that one call reads. */
    readCharacters: 100_000,
    /** Knowledge bases that are searched at once. */
    searchedBases: 100,
    /** Passages that one search returns. */
    results: 50,
    /** Passages on each side that a search merges into a hit. */
    searchContext: 3,
    /** Longest question of a search. */
    queryCharacters: 2_000,
    /** How long a download token is good for. */
    downloadSeconds: 300,
    /** How long an upload token is good for. */
    uploadSeconds: 3_600,
    /** Largest document. */
    documentBytes: 200 * 1024 * 1024,
    /** Most text of one document; what comes after it is left out, and the document says so. */
    textCharacters: 10_000_000,
    /** Documents of one knowledge base. */
    documents: 1_000_000,
    /** Documents that one process reads at once. */
    readers: 3,
    /** Of one workspace: the last reader is there for the others. */
    readersPerWorkspace: 2,
    /** Documents that may wait to be read in a process of their own. */
    waitingReaders: 100,
    /** Memory of the process that reads a document. */
    readerMemoryMb: 1_024,
    /** Pages of one document whose text is recognised in a picture. */
    recognisedPages: 300,
    /** How long texts are recognised in the pictures of one document; pages after that are left out. */
    recognitionMs: 5 * 60_000,
    /** Pixels of a page of a PDF in which a text is recognised; larger ones are made smaller. */
    recognisedPixels: 12_000_000,
    /** Longest that reading a document may take. */
    readMs: 10 * 60_000,
    /** A plain text up to this size is read by the server itself; larger ones and all other files in a process of their own. */
    plainTextBytes: 1024 * 1024,
    /** Further tries after reading failed for a reason that is not the file's. */
    retries: 2,
    /** Wait before the first further try, about; it doubles with each one. */
    retrySeconds: 2,
    /** Longest reason for a failure that is kept. */
    reasonCharacters: 500,
    /** How long a call waits for a document that it added to become searchable. */
    waitMs: 20_000,
    /** A passage has about so many words and marks. */
    chunkTokens: 500,
    /** So many of them are repeated at the start of the next passage. */
    overlapTokens: 50,
    /** Passages of one document. */
    chunks: 100_000,
    /** Documents that one question can be limited to. */
    askedDocuments: 1_000,
    /** Passages among which an answer is looked for. */
    answerPassages: 5,
    /** Sentences of an answer that a language model writes. */
    statements: 10,
    /** Longest of these sentences. */
    statementCharacters: 600,
    /** Tokens that a language model may write for an answer. */
    answerTokens: 1_000,
    /** Documents that data is extracted from at once. */
    extractedDocuments: 1_000,
    /** Passages of each document that are looked through, for each step of depth. */
    passagesPerDepth: 20,
    /** Longest that looking through one document for its data may take. */
    extractionMs: 20_000,
    /** Documents whose extracted values are shown with their places; all are in the dataset. */
    shownExtractions: 50,
    /** How long deleted documents and knowledge bases, and files that were replaced, can be brought back. */
    keptDays: 30,
  },
} as const;
