import { afterAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, source, token, viewer, stranger, datasource_id, stop } = await startSourced();
afterAll(stop);

describe("browse_datasource", () => {
  it("lists tables, then the columns of one", async () => {
    await source.query(
      "CREATE TABLE orders (id int, total numeric(10,2)); CREATE VIEW big AS SELECT * FROM orders",
    );
    const browse = (args: object) => resultOf(server, token, "browse_datasource", { datasource_id, ...args });
    expect(await browse({})).toEqual({
      total: 2,
      tables: [
        { schema: "public", name: "big", kind: "view" },
        { schema: "public", name: "orders", kind: "table" },
      ],
    });
    expect(await browse({ query: "ORD" })).toMatchObject({ total: 1 });
    expect(await browse({ schema: "nowhere" })).toEqual({ total: 0, tables: [] });
    expect(await browse({ table: "orders", schema: "public" })).toEqual({
      total: 2,
      columns: [
        { name: "id", type: "INTEGER" },
        { name: "total", type: "DECIMAL(10,2)" },
      ],
    });
    expect(await browse({ table: "public.orders" })).toMatchObject({ total: 2 });
    await expect(browse({ table: "nope" })).rejects.toThrow(/nope/);
    await expect(browse({ table: 'x"; DROP TABLE orders; --' })).rejects.toThrow(/does not exist/);
  });

  it("is for those who may write queries, in its workspace", async () => {
    expect((await callTool(server, undefined, "browse_datasource", { datasource_id })).status).toBe(401);
    await expect(resultOf(server, viewer, "browse_datasource", { datasource_id })).rejects.toThrow(
      /bi:write/,
    );
    await expect(resultOf(server, stranger, "browse_datasource", { datasource_id })).rejects.toThrow(
      /no datasource/,
    );
  });
});
