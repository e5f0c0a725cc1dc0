import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { createTestDatabase, silentLog } from "../../../test/support/database.ts";
import { type Catalog, openCatalog } from "./index.ts";
import { migrate } from "./migrate.ts";

const MIGRATIONS = fileURLToPath(new URL("migrations", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function openEmpty(count = 1): Promise<Catalog[]> {
  const database = await createTestDatabase({ empty: true });
  cleanups.push(database.drop);
  const open = () => openCatalog({ home: "", databaseUrl: database.url, log: silentLog });
  const catalogs = await Promise.all(Array.from({ length: count }, open));
  for (const catalog of catalogs) cleanups.push(() => catalog.close());
  return catalogs;
}

const tablesOf = async ({ pool }: Catalog) => {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  return rows.map((row) => row.name);
};

interface Journal {
  entries: { idx: number; when: number; tag: string; version: string; breakpoints: boolean }[];
}

/** A folder of migrations with one statement each. */
function folderOf(...migrations: { when: number; statement: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), "kenning-migrations-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const journal: Journal = { entries: [] };
  for (const [idx, { when, statement }] of migrations.entries()) {
    journal.entries.push({ idx, when, tag: `m${idx}`, version: "7", breakpoints: true });
    writeFileSync(join(folder, `m${idx}.sql`), statement);
  }
  cpSync(join(MIGRATIONS, "meta"), join(folder, "meta"), { recursive: true });
  writeFileSync(join(folder, "meta", "_journal.json"), JSON.stringify(journal));
  return folder;
}

const first = { when: 100, statement: "CREATE TABLE first (id int)" };
const second = { when: 200, statement: "CREATE TABLE second (id int)" };

describe("migrating", () => {
  it("can be done by several servers at once", async () => {
    const catalogs = await openEmpty(6);
    await Promise.all(catalogs.map((catalog) => catalog.migrate()));
    const [catalog] = catalogs as [Catalog];
    expect(await tablesOf(catalog)).toContain("outbox_events");
    const { rows } = await catalog.pool.query("SELECT hash FROM drizzle.__drizzle_migrations");
    expect(rows).toHaveLength(readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql")).length);
  });

  it("applies what is new, also when it was written before the last one", async () => {
    const [catalog] = (await openEmpty()) as [Catalog];
    await migrate(catalog, silentLog, folderOf(second));
    await migrate(catalog, silentLog, folderOf(first, second));
    expect(await tablesOf(catalog)).toEqual(["first", "second"]);
  });

  it("changes nothing when one statement fails", async () => {
    const [catalog] = (await openEmpty()) as [Catalog];
    const broken = {
      when: 300,
      statement: "CREATE TABLE third (id int);--> statement-breakpoint\nSELECT nonsense",
    };
    await expect(migrate(catalog, silentLog, folderOf(first, broken))).rejects.toThrow();
    expect(await tablesOf(catalog)).toEqual([]);
  });

  it("refuses a database of a newer Kenning and leaves it as it is", async () => {
    const [catalog] = (await openEmpty()) as [Catalog];
    await migrate(catalog, silentLog, folderOf(first, second));
    const third = { when: 300, statement: "CREATE TABLE third (id int)" };
    for (const older of [folderOf(first), folderOf(first, third)]) {
      await expect(migrate(catalog, silentLog, older)).rejects.toMatchObject({
        code: "unavailable",
        message: "The database was made by a newer version of Kenning.",
      });
    }
    expect(await tablesOf(catalog)).toEqual(["first", "second"]);
  });
});

it("the migrations say the same as the tables", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kenning-generated-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(MIGRATIONS, folder, { recursive: true });
  // drizzle-kit takes no configuration file beside such options, and its output folder relative to here.
  const kit = join(REPOSITORY, "node_modules", "drizzle-kit", "bin.cjs");
  const options = [
    "--dialect=postgresql",
    "--schema=./src/**/*.tables.ts",
    `--out=${relative(REPOSITORY, folder)}`,
  ];
  await promisify(execFile)(process.execPath, [kit, "generate", ...options], { cwd: REPOSITORY });
  const journalOf = (place: string) =>
    JSON.parse(readFileSync(join(place, "meta", "_journal.json"), "utf8")) as Journal;
  expect(journalOf(folder).entries, "run `npx drizzle-kit generate`").toEqual(journalOf(MIGRATIONS).entries);
});

it("of the pictures of the tables only the newest is kept, which is all that drizzle-kit compares with", () => {
  const pictures = readdirSync(join(MIGRATIONS, "meta")).filter((name) => name.endsWith("_snapshot.json"));
  const newest = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql")).length - 1;
  expect(pictures, "delete the older ones").toEqual([`${String(newest).padStart(4, "0")}_snapshot.json`]);
});
