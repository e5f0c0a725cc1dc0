import type { NetConnectOpts } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";
import { startProxy, type Tamper, type TestProxy } from "../support/database-proxy.ts";
import { resultOf } from "../support/datasets.ts";
import { addDocument, makeBase } from "../support/knowledge.ts";
import { idsOf, MemoryClient } from "../support/memory.ts";
import { reached, startTestServer, type TestServer } from "../support/server.ts";

/** Two servers on one database, of which one hears nothing of the other, as behind a pooler in transaction mode. */

let first: TestServer;
let deaf: TestServer;
let app: App;
let proxy: TestProxy;
let token: string;
let stored: MemoryClient;
let searched: MemoryClient;

beforeAll(async () => {
  first = await startTestServer({ isOwn: true });
  const url = new URL(first.databaseUrl);
  proxy = await startProxy(targetOf(url));
  proxy.tamper(withoutNotifications());
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(proxy.port);
  through.searchParams.delete("host");
  const env = { PORT: "0", DATABASE_URL: String(through), KENNING_HOME: first.home };
  app = await compose(loadConfig({ env, cwd: first.home }), { log: pino({ level: "silent" }) });
  deaf = { ...first, ...reached((await app.listen()).url) };
  token = await first.token();
  const memory = await first.token({ kind: "memory" });
  stored = new MemoryClient(first, memory);
  searched = new MemoryClient(deaf, memory);
});

afterAll(async () => {
  await app?.close();
  proxy?.stop();
  await first?.stop();
});

function targetOf(url: URL): NetConnectOpts {
  const folder = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
  const port = Number(url.port || 5432);
  return folder.startsWith("/") ? { path: join(folder, `.s.PGSQL.${port}`) } : { host: folder, port };
}

/** Leaves out PostgreSQL's messages of the type that notifications have. */
function withoutNotifications(): Tamper {
  const rests = new Map<number, Buffer>();
  return (chunk, connection) => {
    let rest = Buffer.concat([rests.get(connection) ?? Buffer.alloc(0), chunk]);
    const passed: Buffer[] = [];
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = rest.readUInt32BE(1) + 1;
      if (rest[0] !== "A".charCodeAt(0)) passed.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    rests.set(connection, rest);
    return Buffer.concat(passed);
  };
}

describe("what one server has acknowledged", () => {
  it("is found by the other at once: what was stored, and what took its place", async () => {
    await searched.recall("anything");
    const ids: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      const id = await stored.store(`The locker of team ${i} has the code ${7_000 + i}.`);
      ids.push(id);
      expect(idsOf(await searched.recall(`code of the locker of team ${i}`, { k: 20 }))).toContain(id);
    }
    const [id = ""] = ids;
    const { new_memory_id } = await stored.call("update_fact", {
      target_id: id,
      new_title: "Things of team 0",
      new_content: "Team 0 keeps its things in the basement.",
    });
    const hits = await searched.recall("Where does team 0 keep its things?");
    expect(hits[0]?.content).toContain("basement");
    await resultOf(first, token, "retract_memory", { memory_id: new_memory_id });
    expect(JSON.stringify(await searched.recall("basement of team 0"))).not.toContain("basement");
  });

  it("and whoever runs it is told that notifications do not arrive", async () => {
    const metrics = async () => (await deaf.request("/metrics")).text();
    await expect.poll(metrics).toContain("kenning_database_deaf 1");
    expect(await (await first.request("/metrics")).text()).toContain("kenning_database_deaf 0");
  });

  it("is found and gone again: documents", async () => {
    const base = await makeBase(first, token, { name: "Handbooks" });
    const search = async () =>
      JSON.stringify(await resultOf(deaf, token, "search_documents", { query: "zeppelin mooring mast" }));
    expect(await search()).not.toContain("is green");
    const added = await addDocument(
      first,
      token,
      base,
      "mast.md",
      "# Masts\n\nThe zeppelin mooring mast is green.",
    );
    await expect.poll(search).toContain("zeppelin mooring mast is green");
    await resultOf(first, token, "delete_document", { document_id: added.document_id, confirm: true });
    expect(await search()).not.toContain("is green");
  });
});
