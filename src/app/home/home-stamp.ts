import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { eq, getTableColumns, sql } from "drizzle-orm";
import { sampleOfParts } from "../../domains/data/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { ensureStoreId, readStoreId } from "../../platform/blobs/index.ts";
import { type Catalog, isReadOnly, pgCodeOf } from "../../platform/catalog/index.ts";
import { rootId, sealedWith } from "../../platform/vault/index.ts";
import { homeStamp } from "./home.tables.ts";
import { HomeClaim, isOneOf, readGenerations, SUPERSEDED, writeGenerations } from "./home-claim.ts";
import { readRootSecret, rootSecret, rootSecretFile } from "./root-secret.ts";
import { blobsOf, openBlobs } from "./storage.ts";

export interface HomeParts {
  catalog: Catalog;
  home: string;
  /** JWT_SECRET, if that is the root secret. */
  jwtSecret: string | null;
}

type Stamp = typeof homeStamp.$inferSelect;

/** What the database expects of its home, and what is there. */
export interface HomeView {
  stamp: Stamp | undefined;
  storeId: string | undefined;
  /** A copy of this home was started since. */
  isSuperseded: boolean;
  secretId: string | undefined;
  /** What the secrets in the database are sealed with; undefined when there are none. */
  expectedSecretId: string | undefined;
  sampled: number;
  /** The keys of those that are not there. */
  missing: string[];
  holdsParts: boolean;
}

const ADOPT = "kenning home adopt";
const KEEP = `Set KENNING_HOME to the home that was used before: a container keeps it on a volume, and servers with one DATABASE_URL share one. To go on with this one, see: ${ADOPT} --help`;
const LEFT_BEHIND = `Set KENNING_HOME to the home that was started last: servers with one DATABASE_URL share one, and a copy gets a database of its own. To go on with this one, or after restoring a backup, see: ${ADOPT} --help`;
const UNDEFINED_TABLE = "42P01";
const UNDEFINED_COLUMN = "42703";
/** Between looking at the row and at the file, servers that share the home may start. */
const LOOKS = 4;

interface ClaimedHome {
  /** The root secret. */
  root: string;
  claim: HomeClaim;
}

/**
 * Home and database belong together: rows are in files of the home, and secrets of the database can be opened with
 * the home's root secret alone. The first start stamps both; a server whose home is not the one that the database
 * was stamped with would acknowledge what nobody can read afterwards, so it does not start.
 */
export async function claimHome(parts: HomeParts): Promise<ClaimedHome> {
  const view = await lookAtHome(parts);
  const problem = homeProblemOf(view, parts);
  if (problem !== undefined) throw problem;
  const root = rootSecret(parts.home, parts.jwtSecret);
  const folder = blobsOf(parts.home);
  if (view.stamp !== undefined) {
    // First, because a storage with an id and without this is taken for a copy.
    if (view.isSuperseded) await writeGenerations(folder, [view.stamp.generation]);
    await ensureStoreId(folder, view.stamp.storeId);
  }
  await openBlobs(parts.home);
  const storeId = await ensureStoreId(folder);
  await requireWritable(parts.catalog, { storeId, secretId: rootId(root) });
  // Another server, with another home, may have been faster.
  const settled = homeProblemOf(await lookAtHome(parts), parts);
  if (settled !== undefined) throw settled;
  return { root, claim: new HomeClaim(folder) };
}

/** Writes the stamp or, if there is one, the time into it. */
async function requireWritable({ db }: Catalog, stamp: Pick<Stamp, "storeId" | "secretId">): Promise<void> {
  try {
    const now = { checkedAt: sql`now()` };
    await db.insert(homeStamp).values(stamp).onConflictDoUpdate({ target: homeStamp.id, set: now });
  } catch (error) {
    throw isReadOnly(error) ? readOnlyDatabase(error) : error;
  }
}

export async function lookAtHome({ catalog, home, jwtSecret }: HomeParts): Promise<HomeView> {
  const { stamp, isSuperseded } = await readGeneration(catalog, blobsOf(home));
  const secret = jwtSecret ?? readRootSecret(home);
  const sample = await sampleOfParts(catalog, stamp?.givenUpPartId ?? 0);
  const missing = sample.filter((key) => !existsSync(join(blobsOf(home), key)));
  return {
    stamp,
    storeId: await readStoreId(blobsOf(home)),
    isSuperseded,
    secretId: secret === undefined ? undefined : rootId(secret),
    expectedSecretId: stamp?.secretId ?? (await sealedRootId(catalog)),
    sampled: sample.length,
    missing,
    holdsParts: stamp === undefined && holdsParts(home),
  };
}

/** Why this home must not be used with this database; undefined when nothing speaks against it. */
export function homeProblemOf(
  view: HomeView,
  { home, jwtSecret }: Omit<HomeParts, "catalog">,
): AppError | undefined {
  // A home that is another altogether has another secret as well, and to restore that one would not help.
  return storeProblem(view, home, jwtSecret) ?? secretProblem(view, home, jwtSecret);
}

function secretProblem(view: HomeView, home: string, jwtSecret: string | null): AppError | undefined {
  const { secretId, expectedSecretId } = view;
  if (expectedSecretId === undefined || expectedSecretId === secretId) return undefined;
  const file = rootSecretFile(home);
  const restore = `Restore ${file} from a backup, or set JWT_SECRET if that was used. Lost for good? See: ${ADOPT} --help`;
  if (secretId === undefined) {
    return refusal(
      `${file} is missing, from which the keys to the secrets in the database are derived.`,
      restore,
    );
  }
  const what = jwtSecret === null ? file : "JWT_SECRET";
  return refusal(`${what} is not the root secret that this database was used with.`, restore);
}

function storeProblem(view: HomeView, home: string, jwtSecret: string | null): AppError | undefined {
  const { stamp, storeId, sampled, missing, holdsParts } = view;
  const folder = blobsOf(home);
  const hasNone = sampled > 0 && missing.length === sampled;
  const isOthers =
    stamp === undefined
      ? holdsParts && (sampled === 0 || hasNone)
      : storeId !== undefined && storeId !== stamp.storeId;
  if (isOthers) return refusal(`The files in ${folder} belong to another database.`, KEEP);
  if (hasNone)
    return refusal(
      `The rows of this database's datasets are not in ${folder}.`,
      `If they are lost, restore ${folder} from a backup. ${KEEP}`,
    );
  if (view.isSuperseded && storeId !== undefined) return refusal(`${SUPERSEDED} (${home})`, LEFT_BEHIND);
  // A backup may leave out the file with the id; that everything else is there says enough.
  const isBare = stamp !== undefined && storeId === undefined && !(sampled > 0 && missing.length === 0);
  if (!isBare) return undefined;
  // With its own root secret in it, it is the home that this database had, and only this folder went.
  if (jwtSecret === null && view.secretId !== undefined && view.secretId === view.expectedSecretId)
    return refusal(
      `${folder} is missing, or what it held.`,
      `Restore it from a backup, or mount it. ${KEEP}`,
    );
  return refusal(`The home ${home} is new, and this database belongs to another.`, KEEP);
}

function refusal(message: string, hint: string): AppError {
  return new AppError("unavailable", message, { hint });
}

async function readGeneration(
  catalog: Catalog,
  folder: string,
): Promise<Pick<HomeView, "stamp" | "isSuperseded">> {
  for (let look = 1; ; look += 1) {
    const stamp = await readStamp(catalog);
    const isSuperseded = stamp !== undefined && !isOneOf(await readGenerations(folder), stamp.generation);
    if (!isSuperseded || look === LOOKS) return { stamp, isSuperseded };
  }
}

async function readStamp({ db }: Catalog): Promise<Stamp | undefined> {
  try {
    const [stamp] = await db.select().from(homeStamp).where(eq(homeStamp.id, 1));
    return stamp;
  } catch (error) {
    // The doctor looks at databases, too, that an older version left.
    if (pgCodeOf(error) === UNDEFINED_TABLE) return undefined;
    if (pgCodeOf(error) === UNDEFINED_COLUMN) {
      const { generation: _, ...columns } = getTableColumns(homeStamp);
      const [older] = await db.select(columns).from(homeStamp);
      return older && { ...older, generation: null };
    }
    throw error;
  }
}

/** Databases that were never stamped tell by what was sealed last. */
async function sealedRootId({ db }: Catalog): Promise<string | undefined> {
  const { rows } = await db.execute<{ sealed: string }>(
    sql`SELECT sealed FROM signing_keys ORDER BY created_at DESC LIMIT 1`,
  );
  return rows[0] === undefined ? undefined : sealedWith(rows[0].sealed);
}

function holdsParts(home: string): boolean {
  const parts = join(blobsOf(home), "parts");
  return existsSync(parts) && readdirSync(parts).length > 0;
}

export function readOnlyDatabase(cause: unknown): AppError {
  return new AppError("unavailable", "The database can only be read.", {
    hint: "Let DATABASE_URL name the primary server rather than a standby, and switch default_transaction_read_only off.",
    cause,
  });
}
