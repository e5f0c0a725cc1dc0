import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../test/support/command-line.ts";
import { createTestDatabase, silentLog, type TestDatabase } from "../../../test/support/database.ts";
import { openCatalog } from "../../platform/catalog/index.ts";
import { type App, compose } from "../compose.ts";
import { loadConfig } from "../config.ts";
import { checkStorage } from "../doctor/storage.ts";
import { adoptHome } from "./adopt-home.ts";
import { SUPERSEDED } from "./home-claim.ts";
import { diskProblem } from "./storage.ts";

const top = mkdtempSync(join(tmpdir(), "kenning-homes-"));
const running = new Map<App, string>();
const databases: TestDatabase[] = [];
/** A database with rows, and the home in which they are. */
let database: TestDatabase;
let home: string;
let token: string;

async function newDatabase(): Promise<TestDatabase> {
  const made = await createTestDatabase();
  databases.push(made);
  return made;
}

const newHome = () => mkdtempSync(join(top, "home-"));

function copyOfHome(): string {
  const copy = newHome();
  cpSync(home, copy, { recursive: true });
  return copy;
}

async function start(folder: string, { url = database.url, env = {} } = {}): Promise<App> {
  const settings = { PORT: String(await freePort()), KENNING_HOME: folder, DATABASE_URL: url, ...env };
  const app = await compose(loadConfig({ env: settings, cwd: top }), { log: pino({ level: "silent" }) });
  running.set(app, (await app.listen()).url);
  return app;
}

async function stop(app: App): Promise<void> {
  running.delete(app);
  await app.close();
}

async function call(app: App, name: string, args: object): Promise<{ failure: string; text: string }> {
  const response = await fetch(`${running.get(app)}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await response.text();
  return { text, failure: /"isError":true/.test(text) || !response.ok ? text : "" };
}

const push = (app: App) => call(app, "push_data", { dataset_name: "Kept", rows: [{ n: 4711 }] });
const read = (app: App) => call(app, "get_data", { dataset_id: 1 });
async function ready(app: App): Promise<{ status: string; problems?: { name: string; message: string }[] }> {
  return (await fetch(`${running.get(app)}/api/health/ready`)).json() as never;
}

beforeAll(async () => {
  database = await newDatabase();
  home = newHome();
  const app = await start(home);
  await app.identity.workspaces.create({ slug: "acme", name: "Acme" });
  const who = { email: "a@example.com", workspace: "acme" };
  await app.identity.users.create({ ...who, role: "admin", password: "correct horse battery" });
  token = (await app.identity.tokens.create({ ...who, kind: "api" })).token;
  expect(await push(app)).toMatchObject({ failure: "" });
  await stop(app);
});
afterEach(async () => {
  for (const app of running.keys()) await stop(app);
});
afterAll(async () => {
  for (const one of databases) await one.drop();
  rmSync(top, { recursive: true, force: true });
});

describe("a server does not start on a home that its database does not belong to:", () => {
  const secretOf = (folder: string) => join(folder, "root-secret");
  it.each<[string, RegExp, () => string]>([
    ["one that was not kept", /rows of this database's datasets are not in .*blobs/, newHome],
    [
      "one that has the root secret alone",
      /rows of this database's datasets are not in .*blobs/,
      () => {
        const folder = newHome();
        cpSync(secretOf(home), secretOf(folder));
        return folder;
      },
    ],
    [
      "one whose root secret is lost",
      /root-secret is missing/,
      () => {
        const folder = copyOfHome();
        rmSync(secretOf(folder));
        return folder;
      },
    ],
    [
      "one with another root secret",
      /is not the root secret that this database was used with/,
      () => {
        const folder = copyOfHome();
        writeFileSync(secretOf(folder), "x".repeat(64));
        return folder;
      },
    ],
    [
      "one whose files are lost",
      /rows of this database's datasets are not in .*blobs/,
      () => {
        const folder = copyOfHome();
        rmSync(join(folder, "blobs", "parts"), { recursive: true });
        return folder;
      },
    ],
    [
      "one of another database",
      /belong to another database/,
      () => {
        const folder = copyOfHome();
        writeFileSync(join(folder, "blobs", ".store-id"), "another\n");
        return folder;
      },
    ],
  ])("%s", async (_, message, make) => {
    const folder = make();
    const before = readdirSync(folder, { recursive: true });
    await expect(start(folder)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(message),
      hint: expect.stringContaining("kenning home adopt"),
    });
    // Nothing was made up, so that what is missing can still be put there.
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  it("one that was not kept, although there are no rows to be missed yet", async () => {
    const { url } = await newDatabase();
    const former = newHome();
    await stop(await start(former, { url }));
    await expect(start(newHome(), { url })).rejects.toThrow("is new, and this database belongs to another");
    rmSync(join(former, "blobs"), { recursive: true });
    await expect(start(former, { url })).rejects.toThrow(/blobs is missing, or what it held\.$/);
  });

  it("a database that is new", async () => {
    const { url } = await newDatabase();
    await expect(start(home, { url })).rejects.toThrow("belong to another database");
    expect(readdirSync(join(home, "blobs", "parts"))).toHaveLength(1);
  });

  it("the second of two that come to a new database at the same time", async () => {
    const { url } = await newDatabase();
    const outcomes = await Promise.allSettled([start(newHome(), { url }), start(newHome(), { url })]);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(reasons).toMatchObject([{ code: "unavailable", hint: expect.stringContaining("share one") }]);
  });
});

describe("a server starts on", () => {
  it("the home of its database, beside another one, and on a restored copy", async () => {
    const copy = copyOfHome();
    const secret = readFileSync(join(copy, "root-secret"), "utf8");
    renameSync(join(copy, "root-secret"), join(copy, "elsewhere"));
    const apps = await Promise.all([start(home), start(home)]);
    for (const app of apps) {
      expect(await push(app)).toMatchObject({ failure: "" });
      expect(await ready(app)).toMatchObject({ status: "ok" });
    }
    for (const app of apps) expect((await read(app)).text).toContain("4711");
    for (const app of apps) await stop(app);
    cpSync(join(home, "blobs", "parts"), join(copy, "blobs", "parts"), { recursive: true });
    for (const name of [".store-id", ".generation"]) rmSync(join(copy, "blobs", name));
    const restored = await start(copy, { env: { JWT_SECRET: secret } });
    expect(await push(restored)).toMatchObject({ failure: "" });
    cpSync(join(copy, "blobs"), join(home, "blobs"), { recursive: true });
    expect(existsSync(join(copy, "root-secret"))).toBe(false);
  });

  it("a home that the operator let it adopt, and says first what that costs", async () => {
    const { url } = await newDatabase();
    const first = await start(newHome(), { url });
    const folder = newHome();
    const catalog = await openCatalog({ home: "", databaseUrl: url, log: silentLog });
    const adopt = (acceptLoss: boolean) =>
      adoptHome({ catalog, home: folder, jwtSecret: null }, { acceptLoss });
    await expect(adopt(true)).rejects.toThrow(/is running on this database/);
    await stop(first);
    await catalog.pool.query(`
      INSERT INTO workspaces (slug, name, created_at) VALUES ('w', 'W', now());
      INSERT INTO datasets (workspace_id, name, version, columns, row_count, bytes, source, created_at, refreshed_at)
        SELECT id, 'Lost', 1, '[]', 1, 1, '{}', now(), now() FROM workspaces;
      INSERT INTO dataset_parts (dataset_id, blob_key, row_count, bytes, from_version)
        SELECT id, 'parts/lost', 1, 1, 1 FROM datasets;
      INSERT INTO knowledge_bases (workspace_id, name, level, created_at, updated_at)
        SELECT id, 'Papers', 'organization', now(), now() FROM workspaces;
      INSERT INTO knowledge_documents (base_id, name, extension, mime_type, bytes, sha256, blob_key, source_type, index_status, created_at, updated_at)
        SELECT id, 'a.txt', 'txt', 'text/plain', 1, '', 'documents/lost', 'file', 'ready', now(), now() FROM knowledge_bases;
      INSERT INTO llm_providers (workspace_id, name, kind, model, sealed_key, is_default, sends_rows, timeout_ms, changed_at)
        SELECT id, 'main', 'openai', 'm', 'v1.formersecret.abc', true, false, 1000, now() FROM workspaces`);
    await expect(adopt(false)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^This would be lost: 1 file.*; the files of 1 document\(s\).*; the keys of 1 language model\(s\).*; sign-ins under the former root secret/,
      ),
      hint: expect.stringContaining("--accept-loss"),
    });
    expect(readdirSync(folder)).toEqual([]);
    expect(await adopt(true)).toMatch(/belongs to this home now. Given up: 1 file/);
    expect(await adopt(false)).toContain("nothing to do");
    await catalog.close();
    expect(await ready(await start(folder, { url }))).toMatchObject({ status: "ok" });
  });
});

describe("a running server", () => {
  it("makes temporary folders again that somebody removed", async () => {
    const app = await start(home);
    for (const work of [push, read]) expect(await work(app)).toMatchObject({ failure: "" });
    for (const folder of ["engine", "imports", "runs", "connectors", join("blobs", ".tmp")])
      rmSync(join(home, folder), { recursive: true });
    for (const work of [push, read]) expect(await work(app)).toMatchObject({ failure: "" });
    const imported = await call(app, "import_file", { dataset_name: "New", content: "a,b\n1,2\n" });
    expect(imported).toMatchObject({ failure: "" });
    expect(await ready(app)).toMatchObject({ status: "ok" });
  });

  it("is not ready, and takes nothing, while its files are away", async () => {
    const app = await start(home);
    const [blobs, away] = [join(home, "blobs"), join(home, "away")];
    renameSync(blobs, away);
    const refused = await push(app);
    renameSync(away, blobs);
    renameSync(join(blobs, ".store-id"), away);
    const answer = await ready(app);
    renameSync(away, join(blobs, ".store-id"));
    expect(await push(app)).toMatchObject({ failure: "" });
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query<{ blob_key: string }>(
      "SELECT blob_key FROM dataset_parts WHERE dataset_id = 1 AND until_version IS NULL LIMIT 1",
    );
    await client.end();
    const part = rows[0]!.blob_key;
    renameSync(join(blobs, part), away);
    const config = loadConfig({ env: { KENNING_HOME: home, DATABASE_URL: database.url }, cwd: top });
    const found = await checkStorage(config);
    const unread = await read(app);
    renameSync(away, join(blobs, part));
    expect(found).toMatchObject({
      status: "fail",
      message: expect.stringContaining(part),
      advice: expect.stringContaining("cannot be read: Kept (1)."),
    });
    expect(unread.failure).toContain("storage lacks a part of this data");
    expect(refused).toMatchObject({ failure: expect.stringContaining("nothing can be stored") });
    expect(answer.problems).toEqual([{ name: "storage", message: "The storage for files is not there." }]);
    expect(JSON.stringify(answer)).not.toContain(top);
    await expect.poll(() => ready(app)).toMatchObject({ status: "ok" });
  });

  it("takes nothing any more when a copy of its home is started, and the home in use can be chosen", async () => {
    const { url } = await newDatabase();
    const folder = newHome();
    cpSync(join(home, "root-secret"), join(folder, "root-secret"));
    const first = await start(folder, { url });
    const { users, tokens, workspaces } = first.identity;
    await workspaces.create({ slug: "acme", name: "Acme" });
    const who = { email: "a@example.com", workspace: "acme" };
    await users.create({ ...who, role: "admin", password: "correct horse battery" });
    const own = token;
    token = (await tokens.create({ ...who, kind: "api" })).token;
    expect(await push(first)).toMatchObject({ failure: "" });
    const [early, copy] = [newHome(), newHome()];
    for (const target of [early, copy]) cpSync(folder, target, { recursive: true });
    const second = await start(copy, { url });
    expect((await push(first)).failure).toContain("Another copy of this home was started");
    expect((await ready(first)).problems).toMatchObject([{ name: "home", message: SUPERSEDED }]);
    expect(await push(second)).toMatchObject({ failure: "" });
    expect((await read(second)).failure).toBe("");
    for (const late of [folder, early]) {
      await expect(start(late, { url })).rejects.toMatchObject({
        message: expect.stringContaining(SUPERSEDED),
        hint: expect.stringContaining("kenning home adopt"),
      });
    }
    // A start that ended after it wrote the file and before it wrote the row.
    const file = join(copy, "blobs", ".generation");
    writeFileSync(file, `unknown\n${readFileSync(file, "utf8").split("\n")[0]}\n`);
    await stop(await start(copy, { url }));
    for (const app of [first, second]) await stop(app);
    const catalog = await openCatalog({ home: "", databaseUrl: url, log: silentLog });
    const parts = { catalog, home: folder, jwtSecret: null };
    await expect(adoptHome(parts, { acceptLoss: false })).rejects.toThrow(/^This would be lost: 1 file/);
    await adoptHome(parts, { acceptLoss: true });
    await catalog.close();
    await expect(start(copy, { url })).rejects.toThrow(SUPERSEDED);
    const adopted = await start(folder, { url });
    const replaced = { dataset_name: "New", rows: [{ n: 1 }] };
    expect(await call(adopted, "push_data", replaced)).toMatchObject({ failure: "" });
    token = own;
  });

  it("says that its database can only be read, and does not start on one", async () => {
    const { url } = await newDatabase();
    const folder = newHome();
    const app = await start(folder, { url });
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ name: string }>("SELECT current_database() AS name");
    await client.query(`ALTER DATABASE "${rows[0]?.name}" SET default_transaction_read_only = on`);
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await client.end();
    const problem = { name: "database", message: "The database can only be read." };
    await expect.poll(async () => (await ready(app)).problems).toEqual([problem]);
    await stop(app);
    await expect(start(folder, { url })).rejects.toMatchObject({
      message: problem.message,
      hint: expect.stringContaining("DATABASE_URL"),
    });
  });
});

it.each([
  [{ bavail: 1_000, bsize: 4_096, files: 0, ffree: 0 }, "The disk is full, or nearly so."],
  [{ bavail: 1_000_000, bsize: 4_096, files: 10_000, ffree: 3 }, "The disk has no room for more files."],
  [{ bavail: 1_000_000, bsize: 4_096, files: 0, ffree: 0 }, undefined],
])("a disk with %j: %s", (disk, problem) => {
  expect(diskProblem(disk, { diskFreeBytes: 64 * 2 ** 20, diskFreeFiles: 1_000 })).toBe(problem);
});
