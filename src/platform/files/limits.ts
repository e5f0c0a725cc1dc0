export const LIMITS = {
  files: {
    /** Largest file that is fetched by its URL, or that a compressed file may turn into. */
    sourceBytes: 8 * 1024 * 1024 * 1024,
    /** All files together that one person has sent ahead to a workspace. */
    receivedBytes: 4 * 1024 * 1024 * 1024,
    /** How long a file that was sent ahead is kept. */
    receivedMs: 24 * 3_600_000,
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
} as const;
