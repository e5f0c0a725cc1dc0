export const LIMITS = {
  bi: {
    /** Longest name of a dashboard, a widget or a field. */
    nameCharacters: 200,
    /** Text of a card that is only read. */
    textCharacters: 4_000,
    /** Longest description of a dashboard. */
    descriptionCharacters: 4_000,
    /** Dashboards of one workspace. */
    dashboards: 5_000,
    /** Widgets of one workspace. */
    widgets: 50_000,
    /** Widgets of one dashboard. */
    widgetsPerDashboard: 100,
    /** Columns of a dashboard. */
    columns: 24,
    /** Rows of a dashboard. */
    rows: 2_000,
    /** Rows of a dashboard that one widget takes. */
    tallest: 16,
    /** Fields of numbers in one widget. */
    series: 12,
    /** Groups that a chart tells apart; the rest is "Other". */
    groups: 8,
    /** Rows of a heatmap. */
    heatmapRows: 31,
    /** Bars of a chart unless it says otherwise; the rest is "Other". */
    bars: 50,
    /** Filters of one widget or one dashboard. */
    filters: 30,
    /** Values in the list of one filter. */
    filterValues: 1_000,
    /** Rows that a chart is made of; the engine has put others together before. */
    chartRows: 3_000,
    /** Points of a scatter chart; of more, a sample is shown. */
    scatterPoints: 5_000,
    /** Rows of a table on a page. */
    pageRows: 200,
    /** Columns of a table on a page at a time; the others are a click away. */
    pageColumns: 50,
    /** Cells of all tables of a page together, shared out among them: a page of many tables shows fewer rows of each. */
    pageCells: 60_000,
    /** Largest that the widgets of a page may be together; those that do not fit are shown when they are asked for. */
    pageBytes: 8 * 1024 * 1024,
    /** Rows of a table in a PDF. */
    pdfRows: 1_000,
    /** Columns of a table in a PDF: more cannot be read. */
    pdfColumns: 20,
    /** Cells of all tables of a PDF together, shared out among them. */
    pdfCells: 30_000,
    /** Rows of a sheet in a workbook. */
    sheetRows: 10_000,
    /** Columns of a sheet in a workbook. */
    sheetColumns: 2_000,
    /** Cells of all sheets of a workbook together, shared out among them. */
    sheetCells: 100_000,
    /** Longest that the query of one widget may take on a page or in an export. */
    queryMs: 60_000,
    /** Widgets of one dashboard whose queries run at once: each has all cores, and more of one person's count as a burden. */
    queriesAtOnce: 2,
    /** Results that are kept in memory while their data stays the same. */
    keptResults: 400,
    /** Whole pages of dashboards that are kept in memory, for a minute. */
    keptPages: 50,
    /** Pictures that are kept in memory. */
    keptPictures: 400,
    /** Memory that kept results may take, and kept pages, and kept pictures: each of them so much. */
    keptBytes: 64 * 1024 * 1024,
    /** Former versions of a dashboard or widget, the newest, that details list. */
    listedVersions: 20,
    /** Former versions of a dashboard or widget that are kept. */
    keptVersions: 100,
    /** Days that deleted dashboards and widgets can be brought back. */
    binDays: 30,
    /** Embeds of one workspace that work. */
    embeds: 2_000,
    /** Attributes of an embed's viewer. */
    attributes: 50,
    /** Longest that a ticket for an embed works, in minutes. */
    ticketMinutes: 10,
    /** Pages that may show one embed. */
    origins: 20,
    /** How long a download link works. */
    linkMinutes: 15,
  },
  documents: {
    /** PDFs and workbooks that are made at the same time, by all workspaces: each in a process of its own. */
    processes: 2,
    /** PDFs and workbooks that wait to be made; a workspace has at most half of them. */
    waiting: 16,
    /** Longest that one of them may take. */
    ms: 60_000,
    /** How long a process that makes them is kept when there is nothing to do. */
    idleMs: 5 * 60_000,
    /** Memory of each process that makes them. */
    memoryMb: 1_024,
    /** Largest PDF or workbook. */
    bytes: 64 * 1024 * 1024,
    /** Longest text in a PDF, such as the description of a dashboard; values of tables are cut off sooner. */
    textCharacters: 10_000,
    /** Longest text in a cell of a workbook, which is what Excel can hold. */
    sheetCellCharacters: 32_767,
  },
} as const;
