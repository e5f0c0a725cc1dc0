import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { allParts } from "../../domains/data/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { ensureStoreId, replaceStoreId } from "../../platform/blobs/index.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import { rootId } from "../../platform/vault/index.ts";
import { homeStamp } from "./home.tables.ts";
import { newGeneration, writeGenerations } from "./home-claim.ts";
import { type HomeParts, type HomeView, homeProblemOf, lookAtHome } from "./home-stamp.ts";
import { rootSecret } from "./root-secret.ts";
import { blobsOf, openBlobs } from "./storage.ts";

/** What is gone for good, or goes at the next start, when a database goes on with another home. */
interface Losses {
  /** Files with rows of datasets. */
  missingParts: number;
  /** Files that this database knows nothing of. */
  foreignParts: number;
  /** Files of documents: those that are not there, and those that this database knows nothing of. */
  missingDocuments: number;
  foreignDocuments: number;
  /** Datasources whose passwords cannot be opened. */
  datasources: number;
  /** Language models whose keys cannot be opened. */
  llmKeys: number;
  lastPartId: number;
}

/** Lets the database go on with this home. Answers what was done, in sentences. */
export async function adoptHome(parts: HomeParts, options: { acceptLoss: boolean }): Promise<string> {
  await requireAlone(parts.catalog);
  const view = await lookAtHome(parts);
  if (homeProblemOf(view, parts) === undefined)
    return "This home and its database belong together: there is nothing to do.";
  const losses = await lossesOf(parts, view);
  const told = describe(losses, view, parts);
  if (told.length > 0 && !options.acceptLoss) {
    throw new AppError("conflict", `This would be lost: ${told.join("; ")}.`, {
      hint: "Look for the home or the backup that has it; without one: kenning home adopt --accept-loss",
    });
  }
  await restamp(parts, view, losses);
  return ["The database belongs to this home now.", ...told.map((loss) => `Given up: ${loss}.`)].join(" ");
}

/** A backend ends a moment after its client has. */
const ENDING_MS = 2_000;

/** A server that runs on would go on with the home that it has. */
async function requireAlone({ db }: Catalog): Promise<void> {
  for (const until = performance.now() + ENDING_MS; ; await sleep(100)) {
    const { rows } = await db.execute(sql`
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'kenning' AND pid <> pg_backend_pid()`);
    if (rows.length === 0) return;
    if (performance.now() < until) continue;
    throw new AppError(
      "conflict",
      `Kenning is running on this database, with ${rows.length} connection(s).`,
      {
        hint: "Stop all servers and commands that use it first.",
      },
    );
  }
}

async function lossesOf({ catalog, home }: HomeParts, { stamp, secretId }: HomeView): Promise<Losses> {
  const { keys, lastId } = await allParts(catalog, stamp?.givenUpPartId ?? 0);
  const there = await keysIn(home, "parts");
  const { rows: known } = await catalog.db.execute<{ blob_key: string }>(
    sql`SELECT blob_key FROM dataset_parts`,
  );
  const isKnown = new Set(known.map((row) => row.blob_key));
  const isOthers = (sealed: SQL) => sql`split_part(${sealed}, '.', 2) <> ${secretId ?? ""}`;
  return {
    missingParts: keys.filter((key) => !there.has(key)).length,
    foreignParts: [...there].filter((key) => !isKnown.has(key)).length,
    ...(await documentLosses(catalog, home)),
    datasources: await countOf(
      catalog,
      sql`datasources WHERE deleted_at IS NULL AND ${isOthers(sql`sealed_secrets`)}`,
    ),
    llmKeys: await countOf(catalog, sql`llm_providers WHERE ${isOthers(sql`sealed_key`)}`),
    lastPartId: lastId,
  };
}

async function keysIn(home: string, folder: string): Promise<Set<string>> {
  const names = await readdir(join(blobsOf(home), folder)).catch(() => []);
  return new Set(names.map((name) => `${folder}/${name}`));
}

async function countOf({ db }: Catalog, rowsOf: SQL): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`SELECT count(*)::int AS count FROM ${rowsOf}`);
  return rows[0]?.count ?? 0;
}

/** Documents keep their text without their file; the file itself cannot be downloaded or read again. */
async function documentLosses({ db }: Catalog, home: string) {
  const { rows } = await db.execute<{ blob_key: string }>(sql`
    SELECT blob_key FROM knowledge_documents UNION SELECT blob_key FROM knowledge_versions`);
  const known = new Set(rows.map((row) => row.blob_key));
  const there = await keysIn(home, "documents");
  return {
    missingDocuments: [...known].filter((key) => !there.has(key)).length,
    foreignDocuments: [...there].filter((key) => !known.has(key)).length,
  };
}

function describe(
  { missingParts, foreignParts, missingDocuments, foreignDocuments, datasources, llmKeys }: Losses,
  view: HomeView,
  { home }: HomeParts,
): string[] {
  const isSecretLost = view.expectedSecretId !== undefined && view.expectedSecretId !== view.secretId;
  return [
    missingParts > 0 && `${missingParts} file(s) with rows of datasets that are not in ${blobsOf(home)}`,
    foreignParts > 0 && `${foreignParts} file(s) in ${blobsOf(home)} that this database knows nothing of`,
    missingDocuments > 0 &&
      `the files of ${missingDocuments} document(s) that are not in ${blobsOf(home)}; what was read of them stays`,
    foreignDocuments > 0 &&
      `${foreignDocuments} file(s) of documents in ${blobsOf(home)} that this database knows nothing of`,
    datasources > 0 && `the passwords of ${datasources} datasource(s), which have to be entered again`,
    llmKeys > 0 && `the keys of ${llmKeys} language model(s), which have to be given again`,
    isSecretLost && "sign-ins under the former root secret, so that people and apps sign in again",
  ].filter((loss) => loss !== false);
}

async function restamp(
  { catalog, home, jwtSecret }: HomeParts,
  view: HomeView,
  losses: Losses,
): Promise<void> {
  const root = rootSecret(home, jwtSecret);
  await openBlobs(home);
  const folder = blobsOf(home);
  const isOurs = view.stamp !== undefined && view.storeId === view.stamp.storeId;
  const storeId = isOurs ? await ensureStoreId(folder) : await replaceStoreId(folder);
  const givenUp = losses.missingParts > 0 ? { givenUpPartId: losses.lastPartId } : {};
  const generation = newGeneration();
  await writeGenerations(folder, [generation]);
  const stamp = { storeId, secretId: rootId(root), generation, ...givenUp };
  await catalog.db.insert(homeStamp).values(stamp).onConflictDoUpdate({ target: homeStamp.id, set: stamp });
}
