import type { Analytics } from "../../../platform/analytics/index.ts";
import type { FolderBlobStore } from "../../../platform/blobs/index.ts";
import type { DescribeCsv } from "../connectors/index.ts";
import { csvOptions } from "./spool.ts";

interface DescribeParts {
  analytics: Analytics;
  blobs: FolderBlobStore;
  newPartKey(): string;
}

/** The columns of a CSV file, as a run would find them in its beginning: by converting that, and forgetting it. */
export function csvDescriber({ analytics, blobs, newPartKey }: DescribeParts): DescribeCsv {
  return async (head, format, signal) => {
    const { columns, part } = await analytics.convert({
      source: { bytes: head },
      format: "csv",
      key: newPartKey(),
      options: csvOptions(format),
      ...(signal && { signal }),
    });
    await blobs.delete(part.key);
    return columns;
  };
}
