import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eq, type SQL, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { syncFolder } from "../../platform/blobs/index.ts";
import type { CatalogTx, StorageClaim } from "../../platform/catalog/index.ts";
import { homeStamp } from "./home.tables.ts";

/** Begins with a dot, so it is no blob. */
const FILE = ".generation";

export const SUPERSEDED = "Another copy of this home was started on the database since.";

/**
 * Tells a home from its copies. Each start writes a new generation into the home and into the database, so that a copy
 * is left behind as soon as another one is started; servers that share a home share the file as well.
 */
export class HomeClaim implements StorageClaim {
  readonly #folder: string;
  /** What the database said last of this home; undefined before a command has changed anything. */
  #generation: string | undefined;

  constructor(blobsFolder: string) {
    this.#folder = blobsFolder;
  }

  /** The row stays locked until the change is there, so no other copy can be started in between. */
  holds(): SQL {
    if (this.#generation === undefined) return sql`false`;
    return sql`(SELECT generation FROM home_stamp WHERE id = 1 FOR KEY SHARE) = ${this.#generation}`;
  }

  async require(tx: CatalogTx): Promise<void> {
    if (this.#generation === undefined) return this.take(tx);
    const generation = await lockedGeneration(tx, "key share");
    if (generation === this.#generation) return;
    // Another server of the same home may have started.
    if (!isOneOf(await readGenerations(this.#folder), generation)) throw supersededHome();
    this.#generation = generation ?? undefined;
  }

  /** The file is first, and names both: a crash before the database has the new one leaves one that is accepted. */
  async take(tx: CatalogTx): Promise<void> {
    const former = await lockedGeneration(tx, "update");
    if (!isOneOf(await readGenerations(this.#folder), former)) throw supersededHome();
    const generation = newGeneration();
    await writeGenerations(this.#folder, [generation, former]);
    await tx.update(homeStamp).set({ generation });
    this.#generation = generation;
  }
}

/** What a home's file may hold and the database must say; undefined when there is no file. */
export async function readGenerations(folder: string): Promise<string[] | undefined> {
  try {
    return (await readFile(join(folder, FILE), "utf8")).trim().split("\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A database of an earlier version has none yet. */
export function isOneOf(known: readonly string[] | undefined, generation: string | null): boolean {
  return generation === null || (known?.includes(generation) ?? false);
}

export async function writeGenerations(folder: string, generations: (string | null)[]): Promise<void> {
  const draft = join(folder, `${FILE}.${newGeneration()}`);
  const lines = generations.filter((generation) => generation !== null);
  try {
    await writeFile(draft, `${lines.join("\n")}\n`, { mode: 0o600, flush: true });
    await rename(draft, join(folder, FILE));
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
}

export function newGeneration(): string {
  return randomBytes(12).toString("hex");
}

async function lockedGeneration(tx: CatalogTx, lock: "update" | "key share"): Promise<string | null> {
  const [row] = await tx
    .select({ generation: homeStamp.generation })
    .from(homeStamp)
    .where(eq(homeStamp.id, 1))
    .for(lock);
  return row?.generation ?? null;
}

function supersededHome(): AppError {
  return new AppError("unavailable", `Nothing can be changed here: ${SUPERSEDED}`, {
    hint: "Whoever runs the servers stops all but those with the home in use, or lets them share it; kenning doctor says more.",
  });
}
