import { afterAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { makeDatasource, makeQuery, startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, source, token, viewer, stranger, datasource_id, stop } = await startSourced();
afterAll(stop);

describe("list_datasources", () => {
  it("lists names, types and settings, and never a secret", async () => {
    const listed = await resultOf(server, token, "list_datasources", {});
    expect(listed).toEqual({
      total: 1,
      datasources: [
        {
          id: datasource_id,
          name: "Shop",
          type: "postgresql",
          settings: expect.objectContaining({ host: "127.0.0.1", user: source.user }),
          has_secrets: true,
          may_query: true,
        },
      ],
    });
    expect(await resultOf(server, viewer, "list_datasources", {})).toMatchObject({
      datasources: [{ name: "Shop", settings: {}, may_query: false }],
    });
    expect(JSON.stringify(listed)).not.toContain(source.password);
    expect(await resultOf(server, viewer, "list_datasources", { query: "%" })).toMatchObject({ total: 0 });
  });

  it("lists the types when asked", async () => {
    const { types } = await resultOf<{ types: { type: string }[] }>(server, viewer, "list_datasources", {
      types: true,
    });
    expect(types.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["postgresql", "mysql", "restapi", "csv"]),
    );
  });

  it("shows nothing of other workspaces, and nothing without a token", async () => {
    expect(await resultOf(server, stranger, "list_datasources", {})).toMatchObject({ total: 0 });
    expect((await callTool(server, undefined, "list_datasources")).status).toBe(401);
  });
});

describe("a datasource as an asset", () => {
  it("[bi.get-details.datasource] has its details, without secrets", async () => {
    const args = { assetType: "datasource", assetId: datasource_id };
    const shown = await resultOf(server, viewer, "knowi_get_details", args, "/api/2.0/mcp");
    expect(shown).toMatchObject({ details: { name: "Shop", type: "postgresql", has_secrets: true } });
    expect(JSON.stringify(shown)).not.toContain(source.password);
  });

  it("is deleted only without queries, and can be restored with its password", async () => {
    const asset = { asset_type: "datasource", asset_id: datasource_id };
    const { query_id } = await makeQuery(server, token, {
      name: "One",
      datasource_id,
      query: "SELECT 1 AS a",
    });
    const remove = (what: object) => resultOf(server, token, "delete_asset", { ...what, confirm: true });
    await expect(remove(asset)).rejects.toThrow(/Shop is used by One\. Delete these queries first/);
    await expect(resultOf(server, viewer, "delete_asset", { ...asset, confirm: true })).rejects.toThrow(
      /bi:write/,
    );
    await expect(resultOf(server, stranger, "delete_asset", { ...asset, confirm: true })).rejects.toThrow(
      /no datasource/,
    );
    const query = { asset_type: "query", asset_id: query_id };
    await remove(query);
    await remove(asset);
    await expect(resultOf(server, token, "get_details", asset)).rejects.toThrow(/no datasource/);
    await expect(
      makeQuery(server, token, { name: "Two", datasource_id, query: "SELECT 1 AS a" }),
    ).rejects.toThrow(/no datasource with id/);
    await expect(resultOf(server, token, "restore_asset", query)).rejects.toThrow(/Restore the datasource/);
    await expect(resultOf(server, stranger, "restore_asset", asset)).rejects.toThrow(/no deleted datasource/);
    await resultOf(server, token, "restore_asset", asset);
    await resultOf(server, token, "restore_asset", query);
    expect(await resultOf(server, token, "run", { query_id })).toMatchObject({
      run: { status: "succeeded" },
    });
  });

  it("is not restored over another one of its name", async () => {
    const asset_id = await makeDatasource(server, token, "Twice", source);
    await resultOf(server, token, "delete_asset", { asset_type: "datasource", asset_id, confirm: true });
    await makeDatasource(server, token, "twice", source);
    await expect(
      resultOf(server, token, "restore_asset", { asset_type: "datasource", asset_id }),
    ).rejects.toThrow(/another datasource of that name/);
  });
});
