import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Analytics,
  type AnalyticsOptions,
  openAnalytics,
  type Part,
  type TableView,
} from "../../src/platform/analytics/index.ts";
import { type FolderBlobStore, openFolderBlobs } from "../../src/platform/blobs/index.ts";

/** The real thing in a temporary folder, for the tests. */
export interface TestAnalytics extends Analytics {
  home: string;
  blobs: FolderBlobStore;
  logged: { message: string }[];
  /** A key that was not used before. */
  key(): string;
  /** Rows as a view. */
  tableView(
    name: string,
    rows: readonly Record<string, unknown>[],
    extra?: Partial<TableView>,
  ): Promise<TableView>;
  remove(): Promise<void>;
}

export async function openTestAnalytics(options: Partial<AnalyticsOptions> = {}): Promise<TestAnalytics> {
  const home = await mkdtemp(join(tmpdir(), "kenning-analytics-"));
  // As in a home folder: what lies in it cannot be entered by others.
  await chmod(home, 0o700);
  const blobs = await openFolderBlobs({ folder: join(home, "blobs") });
  const logged: { message: string }[] = [];
  const analytics = await openAnalytics({
    blobs,
    tempFolder: join(home, "tmp"),
    log: { warn: (fields, message) => logged.push({ ...fields, message }) },
    ...options,
  });
  let last = 0;
  const key = (): string => `parts/${++last}.parquet`;
  return {
    ...analytics,
    home,
    blobs,
    logged,
    key,
    tableView: async (name, rows, extra = {}) =>
      tableViewOf(name, await analytics.rowsToPart({ rows, key: key() }), extra),
    remove: async () => {
      await analytics.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export function tableViewOf(name: string, part: Part, extra: Partial<TableView> = {}): TableView {
  return { name, parts: [part.path], columns: part.columns, version: "1", ...extra };
}
