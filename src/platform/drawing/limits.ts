export const LIMITS = {
  drawing: {
    /** Values that one chart may have, of all its series together. */
    values: 6_000,
    /** Series that one chart shows; more cannot be told apart. */
    series: 12,
    /** Bars that one chart shows; with more, how many there are is said below it. */
    bars: 50,
    /** Slices of a pie; with more, the smallest are put together as one. */
    slices: 7,
    /** Rows that a table shows as a picture. */
    tableRows: 12,
    /** Columns that a table shows as a picture. */
    tableColumns: 12,
    /** Characters of a value in a table on a page or in a PDF. */
    cellCharacters: 300,
    /** Characters of what is sent to be drawn, as JSON. */
    subjectCharacters: 500_000,
    /** Longest text in a chart that is looked at; what does not fit its place is cut off sooner. */
    labelCharacters: 300,
    /** Narrowest and lowest picture, in pixels. */
    leastPx: 80,
    /** Widest and highest picture, in pixels. */
    mostPx: 2_000,
    /** Values that are shown when a pointer is over a chart; a chart with more shows none. */
    hoverValues: 3_000,
    /** Font files of one folder that are looked at for characters that Inter has no letters for. */
    fonts: 1_000,
    /** Longest that the drawing of one picture may take. */
    ms: 10_000,
    /** Pictures that are drawn at the same time, by all workspaces, and PNGs that are made of them. */
    threads: 2,
    /** Pictures that wait to be drawn; a workspace has at most half of them. */
    waiting: 32,
    /** How long a thread or process that draws is kept when there is nothing to draw. */
    idleMs: 5 * 60_000,
    /** Memory of each thread that draws. */
    memoryMb: 256,
    /** Memory of each process that makes PNGs of drawings. */
    pngMemoryMb: 512,
  },
} as const;
