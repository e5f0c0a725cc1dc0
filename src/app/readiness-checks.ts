import { statfs } from "node:fs/promises";
import { sql } from "drizzle-orm";
import type { Analytics } from "../platform/analytics/index.ts";
import { type Catalog, isReadOnly } from "../platform/catalog/index.ts";
import type { SharedState } from "../platform/state/index.ts";
import { LIMITS } from "../surfaces/http/limits.ts";
import type { ReadinessCheck } from "../surfaces/ops/readiness.ts";
import { homeStamp } from "./home/home.tables.ts";
import { SUPERSEDED } from "./home/home-claim.ts";
import { type HomeParts, homeProblemOf, lookAtHome } from "./home/home-stamp.ts";
import { blobsOf, diskProblem, storageProblem } from "./home/storage.ts";

/** What `/api/health/ready` looks at. What is said is for anybody: no paths, no addresses. */
export function makeReadinessChecks(
  parts: HomeParts & { analytics: Analytics; state: SharedState },
): ReadinessCheck[] {
  const { catalog, home, analytics, state } = parts;
  const answers = (name: string, work: () => Promise<unknown>): ReadinessCheck => ({
    name,
    check: async () => void (await work()),
  });
  return [
    { name: "database", check: () => databaseProblem(catalog) },
    { name: "home", check: () => homeProblem(parts) },
    { name: "storage", check: () => storageProblem(blobsOf(home)) },
    { name: "disk", check: async () => diskProblem(await statfs(home), LIMITS.server) },
    answers("shared state", () => state.ping()),
    answers("query engine", () => analytics.probe("query")),
    answers("import engine", () => analytics.probe("load")),
  ];
}

/** One that cannot be written keeps nothing of what is asked of it. */
async function databaseProblem(catalog: Catalog): Promise<string | undefined> {
  await catalog.ping();
  try {
    await catalog.db.update(homeStamp).set({ checkedAt: sql`now()` });
    return undefined;
  } catch (error) {
    if (isReadOnly(error)) return "The database can only be read.";
    throw error;
  }
}

/** Somebody may have changed the home under the running server, or let the database adopt another. */
async function homeProblem(parts: HomeParts): Promise<string | undefined> {
  const view = await lookAtHome(parts);
  // Where the storage is not there, another check says so, and nothing in it can be compared.
  if (view.storeId === undefined && view.stamp !== undefined) return undefined;
  if (view.isSuperseded) return SUPERSEDED;
  return (
    homeProblemOf(view, parts) && "The files or the root secret that the database refers to are not there."
  );
}
