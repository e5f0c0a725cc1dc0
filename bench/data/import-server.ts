import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileImports } from "../../src/domains/data/files/index.ts";
import { openAnalytics } from "../../src/platform/analytics/index.ts";
import { openFolderBlobs } from "../../src/platform/blobs/index.ts";
import { createGuardedFetch } from "../../src/platform/guarded-fetch/index.ts";

/** Kenning's imports alone, by the operator's path: a message is a path, its answer the finished part. */
const home = mkdtempSync(join(tmpdir(), "kenning-bench-"));
const log = { warn: (fields: object, message: string) => console.warn(message, fields) };
const blobs = await openFolderBlobs({ folder: join(home, "blobs") });
const analytics = await openAnalytics({ blobs, tempFolder: join(home, "engine"), log });
const fetch = createGuardedFetch({ allow: [] });
const imports = await openFileImports({ analytics, blobs, fetch, tempFolder: join(home, "imports"), log });
// The process that loads starts with the first job, and the server keeps it.
await analytics.describe();

process.on("message", async (path: string) => {
  if (path !== "stop") {
    const { part, rows, rejectedRows } = await imports.importFile({
      source: { path },
      scope: "1",
      key: "parts/one",
    });
    process.send?.({ bytes: part.bytes, rows, rejectedRows });
    return;
  }
  await imports.close();
  await analytics.close();
  await fetch.close();
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
});
process.send?.({});
