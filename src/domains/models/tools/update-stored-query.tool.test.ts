import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { openShop, query, refusalsOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

let storedQueryId: string;
const server = await serverOfFile();
const shop = await openShop(server);
beforeAll(async () => {
  storedQueryId = (await query(server, shop.contributor, "SELECT 1 AS one")).storedQueryId as string;
});

const update = (token: string, args: Record<string, unknown>) =>
  resultOf(server, token, "update_stored_query", { storedQueryId, ...args });
const named = async () =>
  (
    await resultOf<{ queries: { name: string | null }[] }>(
      server,
      shop.contributor,
      "list_stored_queries",
      {},
    )
  ).queries.map(({ name }) => name);

describe("update_stored_query", () => {
  it("gives a name, keeps it when the query runs again, and takes it away", async () => {
    expect(await update(shop.contributor, { name: " One " })).toEqual({ storedQueryId, deleted: false });
    expect(await named()).toEqual(["One"]);
    expect((await query(server, shop.contributor, "SELECT 1 AS one")).storedQueryId).toBe(storedQueryId);
    expect(await named()).toEqual(["One"]);
    await update(shop.contributor, { name: null });
    expect(await named()).toEqual([null]);
  });

  it("refuses to do nothing, and what is out of bounds or unknown", async () => {
    await expect(update(shop.contributor, {})).rejects.toThrow(/^Say what to do/);
    await expect(update(shop.contributor, { name: "" })).rejects.toThrow(/name/);
    await expect(update(shop.contributor, { name: "n".repeat(201) })).rejects.toThrow(/name/);
    await expect(update(shop.contributor, { storedQueryId: randomUUID(), name: "x" })).rejects.toThrow(
      /^There is no stored query with that id/,
    );
  });

  it("is for its owner and admins, in one workspace, and not for read-only tokens", async () => {
    expect(
      await refusalsOf(server, shop.viewer, "update_stored_query", { storedQueryId, name: "x" }),
    ).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("ontologies:write"),
    });
    const colleague = await server.token({ role: "contributor" });
    await expect(update(colleague, { name: "mine" })).rejects.toThrow(/belongs to somebody else/);
    await expect(update(colleague, { delete: true })).rejects.toThrow(/belongs to somebody else/);
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    await expect(update(foreign, { delete: true })).rejects.toThrow(/^There is no stored query with that id/);
    const reader = await server.token({ limits: { readOnly: true } });
    await expect(update(reader, { name: "x" })).rejects.toThrow(/ontologies:write/);
    const limited = await server.token({ limits: { models: ["other"] } });
    for (const change of [{ name: "x" }, { delete: true }]) {
      await expect(update(limited, change)).rejects.toThrow(/^There is no stored query with that id/);
    }
    await update(shop.admin, { name: "By an admin" });
    expect(await named()).toEqual(["By an admin"]);
  });

  it("deletes for good", async () => {
    expect(await update(shop.contributor, { delete: true })).toEqual({ storedQueryId, deleted: true });
    expect(await named()).toEqual([]);
    await expect(update(shop.contributor, { name: "x" })).rejects.toThrow(/^There is no stored query/);
    expect((await query(server, shop.contributor, "SELECT 1 AS one")).storedQueryId).not.toBe(storedQueryId);
  });
});
