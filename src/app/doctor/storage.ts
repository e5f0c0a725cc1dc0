import { statSync } from "node:fs";
import { join } from "node:path";
import { checkableParts, datasetsWith, sha256Of } from "../../domains/data/index.ts";
import { openAnalytics } from "../../platform/analytics/index.ts";
import { readStoreId } from "../../platform/blobs/index.ts";
import type { Config } from "../config.ts";
import { homeProblemOf, lookAtHome } from "../home/home-stamp.ts";
import { blobsOf, openBlobs, storageProblem } from "../home/storage.ts";
import { type Finding, fail, ok } from "./check.ts";
import { beforeOpening, withCatalog } from "./database.ts";

const NOT_YET = ok("Made at the first start.");
const NAMED = 5;
const FILES_PER_PAGE = 1_000;
const silent = { warn: () => undefined };

/** The home is the one that the database belongs to, and has the files that it refers to. */
export async function checkStorage(config: Config): Promise<Finding> {
  const { home } = config.storage;
  if (beforeOpening(config) !== null) return NOT_YET;
  const { jwtSecret } = config.security;
  const { view, hit } = await withCatalog(config, async (catalog) => {
    const seen = await lookAtHome({ catalog, home, jwtSecret });
    return { view: seen, hit: seen.missing.length > 0 ? await datasetsWith(catalog, seen.missing) : [] };
  });
  const problem = homeProblemOf(view, { home, jwtSecret });
  if (problem !== undefined) return fail(problem.message, problem.hint ?? "");
  const { stamp, sampled, missing } = view;
  if (missing.length > 0) {
    const files = missing.slice(0, NAMED).join(", ");
    const names = hit.slice(0, NAMED).map(({ id, name }) => `${name} (${id})`);
    const message = `${missing.length} of ${sampled} files with rows that were looked for are not in ${blobsOf(home)}, such as ${files}.`;
    return fail(message, `Restore them from a backup. Until then these cannot be read: ${names.join(", ")}.`);
  }
  if (stamp === undefined) return NOT_YET;
  const trouble = await storageProblem(blobsOf(home));
  if (trouble !== undefined)
    return fail(`${trouble} (${blobsOf(home)})`, "Nothing can be stored until that is mended.");
  return ok(
    `${blobsOf(home)} belongs to the database, keeps what is written, and has all ${sampled} files that were looked for.`,
  );
}

/** Every file of a dataset is, byte by byte, what was written. */
export async function checkFiles(config: Config): Promise<Finding> {
  if (beforeOpening(config) !== null) return NOT_YET;
  const folder = blobsOf(config.storage.home);
  const { whole, unknown, hit, damaged } = await withCatalog(config, async (catalog) => {
    const seen = { whole: 0, unknown: 0, damaged: [] as string[] };
    for (let afterId = 0; ; ) {
      const page = await checkableParts(catalog, afterId, FILES_PER_PAGE);
      for (const { key, sha256 } of page) {
        if (sha256 === null) seen.unknown += 1;
        else if ((await sha256Of(join(folder, key))) === sha256) seen.whole += 1;
        else seen.damaged.push(key);
      }
      const last = page.at(-1);
      if (last === undefined) break;
      afterId = last.id;
    }
    return { ...seen, hit: seen.damaged.length > 0 ? await datasetsWith(catalog, seen.damaged) : [] };
  });
  const others = unknown === 0 ? "" : ` Of ${unknown} older ones it is not known what they should be.`;
  if (damaged.length === 0) return ok(`All ${whole} files of datasets are what was written.${others}`);
  const names = hit.slice(0, NAMED).map(({ id, name }) => `${name} (${id})`);
  return fail(
    `${damaged.length} of ${whole + damaged.length} files of datasets are missing or not what was written, such as ${damaged.slice(0, NAMED).join(", ")} in ${folder}.${others}`,
    `Restore them from a backup, or import these again: ${names.join(", ")}. Look after the disk.`,
  );
}

/** Both engines answer a tiny query. */
export async function checkEngines({ storage: { home } }: Config): Promise<Finding> {
  if (statSync(join(home, "engine"), { throwIfNoEntry: false }) === undefined) return NOT_YET;
  // Opening a storage that is not there would make one.
  if ((await readStoreId(blobsOf(home))) === undefined)
    return fail("The engines have no storage to work on.", "Mend the storage first, see above.");
  const blobs = await openBlobs(home);
  const analytics = await openAnalytics({ blobs, tempFolder: join(home, "engine"), log: silent });
  try {
    await Promise.all([analytics.probe("query"), analytics.probe("load")]);
    return ok("The engines for queries and for imports answer.");
  } catch (error) {
    return fail(
      `An engine does not answer: ${(error as Error).message}`,
      "Its reason is in the server's log.",
    );
  } finally {
    await analytics.close();
  }
}
