import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, source, token, viewer, stranger, datasource_id, stop } = await startSourced();
const admin = await server.token();
const BI = "/api/2.0/mcp";
const email = "payroll@example.com";
let payroll: string;
let groupId: number;
let query_id: number;

const set = (query_access: string, groups?: number[], who = admin) =>
  resultOf(server, who, "set_datasource_access", {
    datasource_id,
    query_access,
    ...(groups !== undefined && { groups }),
  });

const PEOPLE = "SELECT * FROM people";

/** Every way in which somebody asks the datasource something; what each of them came to. */
async function ways(who: string): Promise<Record<string, string>> {
  const queryString = PEOPLE;
  const calls: [string, Record<string, unknown>, string?][] = [
    ["browse_datasource", { datasource_id }],
    ["browse_datasource", { datasource_id, table: "people" }],
    ["create_query", { name: "Mine", datasource_id, query: PEOPLE, replace: true }],
    ["knowi_create_query", { name: `Own ${Math.random()}`, datasourceId: datasource_id, queryString }, BI],
    ["run", { query_id }],
    ["knowi_run", { queryId: query_id }, BI],
  ];
  const told: Record<string, string> = {};
  for (const [name, args, path] of calls) {
    const { result, error } = await callTool(server, who, name, args, path);
    const text = result?.isError === false ? "done" : (result?.content[0]?.text ?? error?.message ?? "");
    told[`${name} ${Object.keys(args)}`] =
      /(may be queried|bi:write|There is no|done)/.exec(text)?.[0] ?? text;
  }
  return told;
}

const all = async (who: string) => [...new Set(Object.values(await ways(who)))];

beforeAll(async () => {
  await source.query(
    "CREATE TABLE people AS SELECT * FROM (VALUES ('Ann', 91234), ('Bob', 77123)) AS p (person, salary)",
  );
  await server.app.identity.users.create({ email, workspace: "acme", role: "contributor" });
  payroll = await server.token({ email });
  const { groups } = server.app.identity;
  groupId = (await groups.create({ workspace: "acme", name: "payroll" })).id;
  await groups.addMember({ workspace: "acme", group: "payroll", email });
  const made = await resultOf<{ query_id: number; dataset_id: number }>(server, admin, "create_query", {
    name: "People",
    datasource_id,
    query: PEOPLE,
  });
  query_id = made.query_id;
});
afterAll(stop);

describe("set_datasource_access", () => {
  it("keeps a datasource to admins, or to contributors of some groups, on every way to it", async () => {
    expect(await all(token)).toEqual(["done"]);
    expect(await set("admins")).toEqual({ datasource_id, query_access: "admins", groups: [] });
    expect(await all(token)).toEqual(["may be queried"]);
    expect(await all(payroll)).toEqual(["may be queried"]);
    expect(await all(admin)).toEqual(["done"]);
    expect(await set("groups", [groupId])).toMatchObject({ query_access: "groups", groups: [groupId] });
    expect(await all(token)).toEqual(["may be queried"]);
    expect(await all(payroll)).toEqual(["done"]);
    expect(await all(viewer)).toEqual(["bi:write"]);
    expect(await all(stranger)).toEqual(["There is no"]);
    await server.app.identity.groups.removeMember({ workspace: "acme", group: "payroll", email });
    expect(await all(payroll)).toEqual(["may be queried"]);
    await set("contributors");
    expect(await all(payroll)).toEqual(["done"]);
  });

  it("keeps whoever may not query it from changing it, and from bringing it or its queries back", async () => {
    await set("admins");
    const attempt = (name: string, args: Record<string, unknown>, who = token) =>
      resultOf(server, who, name, args);
    const { host, port, user, password, database } = source;
    const shop = { name: "Shop", type: "postgresql", host, port, user, password, database };
    await expect(
      attempt("create_datasource", { ...shop, connection_test: "skip", replace: true }),
    ).rejects.toThrow(/may be queried by admins only/);
    const asset = { asset_type: "datasource", asset_id: datasource_id };
    await expect(attempt("delete_asset", { ...asset, confirm: true })).rejects.toThrow(/not change it/);
    const made = await attempt("create_query", { name: "Gone", datasource_id, query: PEOPLE }, admin);
    const gone = { asset_type: "query", asset_id: made.query_id };
    await attempt("delete_asset", { ...gone, confirm: true }, admin);
    await expect(attempt("restore_asset", gone)).rejects.toThrow(/may be queried by admins only/);
    expect(await attempt("restore_asset", gone, admin)).toMatchObject({ restored: true });
    const shown = await resultOf<{ details: object }>(server, token, "get_details", asset);
    expect(shown.details).toMatchObject({ query_access: "admins", may_query: false });
    const { datasources } = await resultOf<{ datasources: object[] }>(server, token, "list_datasources", {});
    expect(datasources).toMatchObject([{ id: datasource_id, may_query: false }]);
    await set("contributors");
  });

  it("tells whoever may not query it nothing of where it is, and lets them make no other one there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "places-"));
    const [file, link, other] = ["pay.db", "link.db", "other.db"].map((name) => join(folder, name));
    writeFileSync(file!, "");
    writeFileSync(other!, "");
    symlinkSync(file!, link!);
    let made = 0;
    const make = (wish: object, who = token) => {
      made += 1;
      const args = { name: `Place ${made}`, connection_test: "skip", ...wish };
      return resultOf<{ datasource_id: number }>(server, who, "create_datasource", args);
    };
    const { host, port, database, user, password } = source;
    const shop = { type: "postgresql", host, port, database };
    const web = (url: string) => ({ type: "restapi", host: url });
    const mine = { name: "Mine", type: "restapi", host: "http://127.0.0.1:9/mine" };
    await make(mine);
    for (const wish of [{ type: "sqlite", database: file }, web("http://127.0.0.1:9/hr")]) {
      const { datasource_id } = await make(wish, admin);
      const access = { datasource_id, query_access: "admins" };
      await resultOf(server, admin, "set_datasource_access", access);
    }
    await set("admins");
    for (const who of [token, viewer]) {
      const { datasources } = await resultOf<{ datasources: { name: string; settings: object }[] }>(
        server,
        who,
        "list_datasources",
        {},
      );
      for (const { name, settings } of datasources)
        expect(settings).toEqual(
          who === token && name === "Mine" ? expect.objectContaining({ url: mine.host }) : {},
        );
      const asset = { asset_type: "datasource", asset_id: datasource_id };
      const told = await resultOf<{ details: object }>(server, who, "get_details", asset);
      expect(told.details).toMatchObject({ settings: {}, may_query: false });
    }
    for (const wish of [
      { ...shop, user, password },
      { ...shop, user: "somebody", type: "citus" },
      { ...shop, user: "somebody", database: undefined },
      { type: "sqlite", database: file },
      { type: "duckdb", database: link },
      { type: "sqlite", database: join(folder, "x", "..", "pay.db") },
      web("http://127.0.0.1:9/hr?all=1"),
      web("http://127.0.0.1:9"),
      web("http://127.0.0.1:9//%68r/pay"),
      { ...mine, host: "http://127.0.0.1:9/hr", replace: true },
    ])
      await expect(make(wish)).rejects.toThrow(/connects to, which may be queried by admins only/);
    for (const wish of [
      { ...shop, user, password, database: "another" },
      { type: "sqlite", database: other },
      web("http://127.0.0.1:9/hrm"),
      web("http://127.0.0.1:10/hr"),
    ])
      expect(await make(wish)).toMatchObject({ datasource_id: expect.any(Number) });
    expect(await make({ ...shop, user, password }, admin)).toMatchObject({ type: "postgresql" });
    const query = { asset_type: "query", asset_id: query_id, confirm: true };
    await expect(resultOf(server, token, "delete_asset", query)).rejects.toThrow(
      /may be queried by admins only/,
    );
    rmSync(folder, { recursive: true });
    await set("contributors");
  });

  it("is what set_dataset_policies points to where policies alone do not help", async () => {
    const details = await resultOf<{ details: { dataset: { id: number } } }>(server, admin, "get_details", {
      asset_type: "query",
      asset_id: query_id,
    });
    const policies = [{ name: "no salaries", roles: ["contributor"], hide: ["salary"] }];
    const args = { dataset_id: details.details.dataset.id, policies };
    const notes = async () =>
      (await resultOf<{ notes?: string[] }>(server, admin, "set_dataset_policies", args)).notes;
    expect(await notes()).toEqual([
      expect.stringMatching(/All contributors may query Shop.*set_datasource_access/),
    ]);
    await set("admins");
    expect(await notes()).toBeUndefined();
    await set("contributors");
  });

  it("is for admins of the workspace, and takes groups where they belong", async () => {
    const args = { datasource_id, query_access: "contributors" };
    expect(await refusalsOf(server, token, "set_datasource_access", args)).toMatchObject({
      anonymous: 401,
      wrong: expect.stringMatching(/admin/),
    });
    await expect(set("admins", undefined, stranger)).rejects.toThrow(/There is no datasource/);
    for (const [access, groups] of [
      ["groups", undefined],
      ["groups", []],
      ["admins", [1]],
    ] as const)
      await expect(set(access, groups && [...groups])).rejects.toThrow(/groups are given with/);
    await expect(set("everybody")).rejects.toThrow(/query_access/);
  });
});
