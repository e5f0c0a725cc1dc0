import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";
import { LIMITS } from "../limits.ts";

const LIST = "wegent_kb_list_nodes";
let server: TestServer;
let ada: string;
let viewer: string;
let base: number;
let database: pg.Client;

beforeAll(async () => {
  server = await startTestServer();
  database = new pg.Client(server.databaseUrl);
  await database.connect();
  ada = await server.token({ role: "contributor" });
  viewer = await server.token({ role: "viewer" });
  base = await makeBase(server, ada, { name: "Handbook" });
  await addDocument(server, ada, base, "old.txt", "one");
  await addDocument(server, ada, base, "deep.md", "two", "rules/travel");
  await addDocument(server, ada, base, "new.txt", "three");
  await addDocument(server, ada, base, "more.txt", "four", "plans");
});
afterAll(async () => {
  await database.end();
  await server.stop();
});

const list = (args: Record<string, unknown> = {}, token = viewer) =>
  callKnowledge(server, token, LIST, { knowledge_base_id: base, ...args });
// biome-ignore lint/suspicious/noExplicitAny: whatever there is.
type Any = any;
const names = (nodes: Any[]): Any[] =>
  nodes.map(({ name, children }) => (children.length === 0 ? name : [name, names(children)]));

/** A base of folders as (name, parent's name or number), put there behind the server's back. */
async function abnormalBase(
  name: string,
  folders: readonly (readonly [string, string | number])[],
): Promise<number> {
  const id = await makeBase(server, ada, { name });
  const ids = new Map<string, number>();
  for (const [folder] of folders) {
    const { rows } = await database.query(
      "insert into knowledge_folders (base_id, name, created_at, updated_at) values ($1, $2, now(), now()) returning id",
      [id, folder],
    );
    ids.set(folder, Number(rows[0].id));
  }
  for (const [folder, parent] of folders)
    await database.query("update knowledge_folders set parent_id = $1 where id = $2", [
      typeof parent === "number" ? parent : ids.get(parent),
      ids.get(folder),
    ]);
  return id;
}

describe("wegent_kb_list_nodes", () => {
  it("[knowledge.nodes.shape] [knowledge.nodes.order] folders before documents, the newest first", async () => {
    const answer = await list();
    expect(answer).toMatchObject({
      knowledge_base_id: base,
      knowledge_base_name: "Handbook",
      folder_id: 0,
      recursive: false,
      total_returned: 4,
      total_available: 4,
      has_more: false,
      warnings: [],
    });
    expect(names(answer.items)).toEqual(["plans", "rules", "new.txt", "old.txt"]);
    const [folder, , document] = answer.items;
    expect(folder).toMatchObject({
      node_id: `folder:${folder.raw_id}`,
      node_type: "folder",
      parent_id: 0,
      has_children: true,
      children: [],
      content_readable: false,
      downloadable: false,
      previewable: false,
      orphan: false,
    });
    expect(document).toEqual({
      node_id: `document:${document.raw_id}`,
      raw_id: expect.any(Number),
      name: "new.txt",
      node_type: "document",
      parent_id: 0,
      has_children: false,
      children: [],
      source_type: "file",
      index_status: "success",
      file_extension: "txt",
      content_readable: true,
      downloadable: true,
      previewable: true,
      mime_type: "text/plain",
      file_size: 5,
      creator: { user_id: expect.any(Number), user_name: expect.any(String), attributes: {} },
      created_at: expect.any(String),
      updated_at: expect.any(String),
      orphan: false,
    });
  });

  it("[knowledge.nodes.paging] pages go through folders, then documents", async () => {
    const answer = await list({ limit: 2, offset: 1 });
    expect(answer).toMatchObject({ total_available: 4, total_returned: 2, has_more: true });
    expect(names(answer.items)).toEqual(["rules", "new.txt"]);
    expect(await list({ limit: 2, offset: 3 })).toMatchObject({ total_returned: 1, has_more: false });
    expect(await list({ offset: 9 })).toMatchObject({ total_returned: 0, has_more: false });
  });

  it("[knowledge.nodes.recursive] all of it, or all below a folder", async () => {
    const all = await list({ recursive: true });
    expect(all).toMatchObject({ total_returned: 7, total_available: 7, has_more: false });
    expect(names(all.items)).toEqual([
      ["plans", ["more.txt"]],
      ["rules", [["travel", ["deep.md"]]]],
      "new.txt",
      "old.txt",
    ]);
    const below = await list({ folder_id: all.items[1].raw_id, recursive: true });
    expect(below).toMatchObject({ total_returned: 2 });
    expect(names(below.items)).toEqual([["travel", ["deep.md"]]]);
  });

  it("[knowledge.nodes.too-large] refuses a base that is too large, and not a folder in it", async () => {
    const id = await abnormalBase("Large", [["small", 0]]);
    await database.query(
      `insert into knowledge_folders (base_id, name, created_at, updated_at)
       select $1, 'f' || n, now(), now() from generate_series(1, $2::int) n`,
      [id, LIMITS.knowledge.recursiveNodes],
    );
    const whole = { knowledge_base_id: id, recursive: true };
    expect(await list(whole)).toMatchObject({ code: "result_too_large" });
    await addDocument(server, ada, id, "only.txt", "x", "small");
    const { rows } = await database.query(
      "select id from knowledge_folders where base_id = $1 and name = 'small'",
      [id],
    );
    expect(await list({ ...whole, folder_id: Number(rows[0].id) })).toMatchObject({ total_returned: 1 });
  });

  it("[knowledge.nodes.orphans] shows what lost its parent, and rings, once and with a warning", async () => {
    const id = await abnormalBase("Odd", [
      ["fine", 0],
      ["lost", 999_999],
      ["below lost", "lost"],
      ["a", "b"],
      ["b", "a"],
      ["below ring", "a"],
      ["self", "self"],
    ]);
    const { items, warnings, total_returned } = await list({ knowledge_base_id: id, recursive: true });
    expect(total_returned).toBe(7);
    const shown = JSON.stringify(names(items));
    for (const name of ["fine", "lost", "below lost", '"a"', '"b"', "below ring", "self"])
      expect(shown.split(name.startsWith('"') ? name : `"${name}"`), name).toHaveLength(2);
    expect(items.filter((node: Any) => node.orphan)).toHaveLength(3);
    expect(warnings).toHaveLength(2);
  });

  it("[knowledge.nodes.inactive] shows inactive documents as not searchable, unless told not to", async () => {
    await database.query("update knowledge_documents set is_active = false where name = 'old.txt'");
    expect((await list()).items.find(({ name }: Any) => name === "old.txt").index_status).toBe("not_indexed");
    expect(names((await list({ include_inactive: false })).items)).not.toContain("old.txt");
  });

  it.each([
    ["recursive must be a boolean", { recursive: "false" }],
    ["include_inactive must be a boolean", { include_inactive: 1 }],
    ["limit must be between 1 and 500", { limit: 501 }],
    ["knowledge_base_id is required", { knowledge_base_id: undefined }],
    ["knowledge_base_id must be an integer", { knowledge_base_id: "1" }],
    ["folder_id must be greater than or equal to 0", { folder_id: -1 }],
  ])("[knowledge.nodes.bounds] %s", async (error, args) => {
    expect(await list(args)).toEqual({ error, code: "bad_request" });
  });

  it("[knowledge.nodes.access] not_found for what is not there or not the caller's", async () => {
    const diary = await makeBase(server, ada, { name: "Diary", personal: true });
    for (const knowledge_base_id of [diary, 999_999])
      expect(await list({ knowledge_base_id })).toMatchObject({ code: "not_found" });
    expect(await list({ folder_id: 999_999 })).toMatchObject({ code: "not_found" });
    expect(await list({ knowledge_base_id: diary }, ada)).toMatchObject({ total_available: 0 });
  });
});
