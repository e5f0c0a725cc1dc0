import { and, asc, desc, eq, gt, inArray, isNull, max } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import { datasetParts, datasets } from "./data.tables.ts";

/** How many of the oldest and of the newest parts stand for all of them. */
const SAMPLED = 16;

/** Parts with rows that a dataset has now: each must be in blob storage, whatever is swept meanwhile. */
function current(afterId: number) {
  return and(isNull(datasetParts.untilVersion), gt(datasetParts.rowCount, 0), gt(datasetParts.id, afterId));
}

/** The keys of some parts that must be there, later ones than `afterId`. */
export async function sampleOfParts({ db }: Pick<Catalog, "db">, afterId: number): Promise<string[]> {
  const some = (order: typeof asc) =>
    db
      .select({ key: datasetParts.blobKey })
      .from(datasetParts)
      .where(current(afterId))
      .orderBy(order(datasetParts.id))
      .limit(SAMPLED);
  const found = [...(await some(asc)), ...(await some(desc))];
  return [...new Set(found.map(({ key }) => key))];
}

/** For whoever has to know what cannot be read: the datasets that some of these parts belong to. */
export async function datasetsWith(
  { db }: Pick<Catalog, "db">,
  keys: readonly string[],
): Promise<{ id: number; name: string }[]> {
  return db
    .selectDistinct({ id: datasets.id, name: datasets.name })
    .from(datasetParts)
    .innerJoin(datasets, eq(datasets.id, datasetParts.datasetId))
    .where(inArray(datasetParts.blobKey, [...keys]))
    .orderBy(asc(datasets.id));
}

/** The files of current parts whose SHA-256 is known, by pages: later ones than `afterId`. */
export async function checkableParts(
  { db }: Pick<Catalog, "db">,
  afterId: number,
  limit: number,
): Promise<{ id: number; key: string; sha256: string | null }[]> {
  return db
    .select({ id: datasetParts.id, key: datasetParts.blobKey, sha256: datasetParts.sha256 })
    .from(datasetParts)
    .where(current(afterId))
    .orderBy(asc(datasetParts.id))
    .limit(limit);
}

/** The keys of all parts that must be there, and the last id that a part has. */
export async function allParts(
  { db }: Pick<Catalog, "db">,
  afterId: number,
): Promise<{ keys: string[]; lastId: number }> {
  const rows = await db.select({ key: datasetParts.blobKey }).from(datasetParts).where(current(afterId));
  const [last] = await db.select({ id: max(datasetParts.id) }).from(datasetParts);
  return { keys: rows.map(({ key }) => key), lastId: last?.id ?? 0 };
}
