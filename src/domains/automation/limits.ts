export const LIMITS = {
  alerts: {
    /** Alerts of one workspace. */
    perWorkspace: 10_000,
    /** Longest name of an alert. */
    nameCharacters: 200,
    /** Longest condition of an alert. */
    conditionCharacters: 2_000,
    /** Matching rows that are attached to a notice, and looked at to see whether others match than before. */
    rows: 1_000,
    /** Matching rows that a notice shows in its text. */
    shownRows: 10,
    /** Characters of a value that a notice shows in its text. */
    shownCharacters: 60,
    /** Checks of alerts that one server makes at the same time; half of them for one workspace. */
    checks: 4,
    /** Alerts of one dataset that are looked at at the same time. */
    looksAtOnce: 4,
    /** Conditions on one dataset that are asked in one query, of which those that match are then looked at one by one. */
    conditionsAtOnce: 50,
    /** Rows that such a query may look at, counted for each of its conditions; of larger datasets fewer are asked at once. */
    conditionRows: 50_000_000,
    /** Longest that one check may take. */
    checkMs: 60_000,
    /** How long changes of a dataset are gathered before its real-time alerts are checked. */
    gatherMs: 2_000,
    /** Days of the past that a new condition is tried on. */
    backtestDays: 90,
    /** Longest that trying a new condition on the past may take; then nothing is said of it. */
    backtestMs: 15_000,
    /** Most checks in a row that an alert can be made to wait for before it fires. */
    hold: 100,
    /** Checks that must fail one after the other before an alert is in its error state. */
    failures: 3,
    /** Checks without a match, one after the other, before an alert that is checked by the minute has recovered. */
    calmChecks: 2,
    /** How long a notice of an alert is tried to be delivered. */
    noticeMs: 24 * 3_600_000,
    /** Happenings that the details of an alert list. */
    listed: 20,
    /** Happenings that are kept of each alert. */
    kept: 500,
    /** How long the test of an alert waits for its messages. */
    testMs: 10_000,
  },
  reports: {
    /** Reports of one workspace. */
    perWorkspace: 2_000,
    /** Widgets of one report. */
    widgets: 20,
    /** Longest text of a report's mail. */
    bodyCharacters: 10_000,
    /** Rows of each widget in the CSV files of a report. */
    csvRows: 10_000,
    /** Largest that the files of one report may be together; what does not fit is left out, and the message says so. */
    fileBytes: 15 * 1024 * 1024,
    /** Reports that one server makes at the same time; half of them for one workspace. */
    atOnce: 4,
    /** Longest that a report may take. */
    makeMs: 5 * 60_000,
    /** Longest that a report is tried to be delivered; not beyond the next one. */
    sendMs: 24 * 3_600_000,
    /** How long whoever sends a report now waits for its messages. */
    waitMs: 60_000,
    /** Runs that the details of a report list. */
    listed: 20,
    /** Runs that are kept of each report. */
    kept: 500,
  },
} as const;
