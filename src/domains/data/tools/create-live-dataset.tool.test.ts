import { afterAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { textOf } from "../../../../test/support/models.ts";

const { server, token, viewer, stranger, source, datasource_id, stop } = await startSourced();
afterAll(stop);

const refusal = async (tool: string, args: Record<string, unknown>, by = token) =>
  textOf(await callTool(server, by, tool, args));

describe("create_live_dataset", () => {
  it("shows what a SELECT or a table holds now", async () => {
    await source.query("CREATE TABLE shops AS SELECT 2 AS shop_id, 'bean' AS shop_name");
    const query = "SELECT shop_id, upper(shop_name) AS loud FROM shops;";
    const args = { name: "loud shops", datasource_id: datasource_id, query, fresh_seconds: 60 };
    const made = await resultOf<{ dataset_id: number; columns: object[] }>(
      server,
      token,
      "create_live_dataset",
      args,
    );
    expect(made.columns).toHaveLength(2);
    const page = await resultOf(server, token, "get_data", {
      dataset_id: made.dataset_id,
      c9ql: "select loud where shop_id = 2",
    });
    expect(JSON.stringify(page)).toContain("BEAN");
    const reaching = { ...args, name: "reaching", query: "SELECT 1) AS x, (SELECT 2" };
    expect(await refusal("create_live_dataset", args)).toContain("already a dataset");
    expect(await refusal("create_live_dataset", { ...args, name: "none", query: undefined })).toContain(
      "either",
    );
    const table = { name: "places", datasource_id: datasource_id, table: "public.shops" };
    expect(await resultOf(server, token, "create_live_dataset", table)).toMatchObject({
      name: "places",
    });
    expect(await refusal("create_live_dataset", table, viewer)).toMatch(/permission|bi:write/);
    expect(await refusal("create_live_dataset", table, stranger)).toMatch(/no datasource/);
    expect(await refusal("create_live_dataset", reaching)).toMatch(/syntax error|refused/);
    expect(
      await refusal("create_live_dataset", { ...args, name: "deleting", query: "DELETE FROM shops" }),
    ).toMatch(/only|read/i);
  });

  it("tells viewers nothing of what is asked of the database", async () => {
    const args = { name: "quiet", datasource_id, query: "SELECT 1 AS a WHERE 'hush' <> ''" };
    const { dataset_id } = await resultOf<{ dataset_id: number }>(server, token, "create_live_dataset", args);
    const asset = { asset_type: "dataset", asset_id: dataset_id };
    expect(await refusal("get_details", asset, viewer)).not.toContain("hush");
    expect(await refusal("get_details", asset)).toContain("hush");
  });
});
