import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let id: number;

beforeAll(async () => {
  server = await startTestServer();
  token = await server.token({ role: "contributor" });
  id = await makeDataset(
    server,
    token,
    "Numbers",
    Array.from({ length: 250 }, (_, n) => ({ n, even: n % 2 === 0 })),
  );
});
afterAll(() => server.stop());

interface Rows {
  rows: { n: number }[];
  totalRows: number;
  returnedRows: number;
  columns: { name: string; type: string }[];
}

describe("get_data", () => {
  it("[bi.get-data.default-limit] [bi.get-data.counts] gives 100 rows by default, and says how many there are", async () => {
    const viewer = await server.token({ role: "viewer" });
    const result = await resultOf<Rows>(server, viewer, "knowi_get_data", { datasetId: id }, BI);
    expect(result).toMatchObject({ totalRows: 250, returnedRows: 100 });
    expect(result.rows.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(result.columns.map(({ name }) => name)).toEqual(["n", "even"]);
  });

  it("[all.rows.compact] writes names once in the text on /mcp, and as its contract has it elsewhere", async () => {
    const here = (await callTool(server, token, "get_data", { dataset_id: id, limit: 2 })).result;
    expect(here?.structuredContent).toMatchObject({ rows: [{ n: 0, even: true }, { n: 1 }] });
    expect(here?.content[0]?.text).toBe(
      `{"columns":[{"name":"n","type":"BIGINT"},{"name":"even","type":"BOOLEAN"}],"rows":[
[0,true],
[1,false]
],"totalRows":250,"returnedRows":2}`,
    );
    const { result } = await callTool(server, token, "knowi_get_data", { datasetId: id, limit: 2 }, BI);
    expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual(result?.structuredContent);
  });

  it("[bi.get-data.limit] gives as many as asked for, and pages on", async () => {
    const few = await resultOf<Rows>(server, token, "knowi_get_data", { datasetId: id, limit: 3 }, BI);
    expect(few).toMatchObject({ returnedRows: 3, totalRows: 250 });
    const rest = await resultOf<Rows>(server, token, "get_data", { dataset_id: id, limit: 100, offset: 240 });
    expect(rest.rows.map(({ n }) => n)).toEqual([240, 241, 242, 243, 244, 245, 246, 247, 248, 249]);
  });

  it.each([
    ["neither id", {}, /One of widgetId or datasetId is required/],
    ["a widget that is not there", { widgetId: 5 }, /no widget with id 5/],
    ["a dataset that is not there", { datasetId: 999_999 }, /no dataset with id 999999/],
    ["an id of the wrong type", { datasetId: "1" }, /datasetId/],
    ["a limit of nothing", { datasetId: 1, limit: 0 }, /limit/],
  ])("[bi.get-data.one-required] refuses %s", async (_what, args, message) => {
    await expect(resultOf(server, token, "knowi_get_data", args, BI)).rejects.toThrow(message);
  });

  it("works on the rows with C9QL, and counts what comes out", async () => {
    const c9ql = "select sum(n) as Total, even where n < 10 group by even order by Total desc";
    const sums = await resultOf<Rows>(server, token, "get_data", { dataset_id: id, c9ql });
    expect(sums).toMatchObject({
      totalRows: 2,
      rows: [
        { Total: 25, even: false },
        { Total: 20, even: true },
      ],
    });
    const chained = await resultOf<Rows>(server, token, "get_data", {
      dataset_id: id,
      c9ql: "select n where even = true; select max(n) as top",
    });
    expect(chained.rows).toEqual([{ top: 248 }]);
  });

  it.each([
    ["all of them", { limit: 100 }, 25, 25],
    ["exactly as many as there are", { limit: 25 }, 25, 25],
    ["some", { limit: 10 }, 10, 25],
    ["the middle", { limit: 10, offset: 10 }, 10, 25],
    ["the rest", { limit: 10, offset: 20 }, 5, 25],
    ["what lies behind the end", { limit: 10, offset: 25 }, 0, 25],
  ])("counts what a query gives, whichever of it is asked for: %s", async (_what, page, returned, total) => {
    const c9ql = "select n where n >= 225 order by n";
    const result = await resultOf<Rows>(server, token, "get_data", { dataset_id: id, c9ql, ...page });
    expect(result).toMatchObject({ returnedRows: returned, totalRows: total });
    const offset = "offset" in page ? page.offset : 0;
    expect(result.rows.map(({ n }) => n)).toEqual(
      Array.from({ length: returned }, (_, i) => 225 + offset + i),
    );
  });

  it("says where a query is wrong, and what was probably meant", async () => {
    const c9ql = "select evn";
    await expect(resultOf(server, token, "get_data", { dataset_id: id, c9ql })).rejects.toThrow(/even/);
  });

  it.each([
    ["a text", "where even = $c9_e$ and n < $c9_n$(3)$", { e: "yes" }, [0, 2]],
    ["a number", "where n > $c9_from$", { from: 247 }, [248, 249]],
    ["true or false", "where even = $c9_e$ and n < 4", { e: false }, [1, 3]],
    ["several", "where n in $c9_list$", { list: [3, "5"] }, [3, 5]],
    ["from and to", "where n between $c9_range$", { range: [3, 5] }, [3, 4, 5]],
  ])("takes the values of parameters: %s", async (_what, c9ql, parameters, found) => {
    const { rows } = await resultOf<Rows>(server, token, "get_data", { dataset_id: id, c9ql, parameters });
    expect(rows.map(({ n }) => n)).toEqual(found);
  });

  it.each([
    ["one without a value", { c9ql: "where n > $c9_from$" }, /Give a value for "from"/],
    ["a misspelt one", { c9ql: "where n > $c9_from$(5)$", parameters: { form: 9 } }, /parameters are: from/],
    ["one without a query", { parameters: { from: 9 } }, /no parameter "from"/],
    ["an object", { c9ql: "where n > $c9_from$", parameters: { from: { a: 1 } } }, /"from" is neither text/],
    [
      "a list of lists",
      { c9ql: "where n in $c9_from$", parameters: { from: [[1]] } },
      /"from" is neither text/,
    ],
  ])("refuses %s", async (_what, args, message) => {
    await expect(resultOf(server, token, "get_data", { dataset_id: id, ...args })).rejects.toThrow(message);
  });

  it("is for who may read", async () => {
    expect((await callTool(server, undefined, "get_data", { dataset_id: id })).status).toBe(401);
    const narrow = await server.token({ scopes: ["memory:read"] });
    expect((await callTool(server, narrow, "knowi_get_data", { datasetId: id }, BI)).status).toBe(403);
  });
});

describe("texts that hold numbers and dates", () => {
  let texts: number;
  beforeAll(async () => {
    texts = await makeDataset(server, token, "Texts", [
      { region: "West", revenue: "999", day: "31-Jan-2024", at: "2026-10-15" },
      { region: "West", revenue: "", day: "1-Feb-2024", at: "2026-10-20" },
      { region: "East", revenue: "1,234,567", day: "soon", at: "2026-11-01" },
    ]);
  });

  const read = (c9ql: string, who = token) =>
    resultOf<{ rows: unknown[]; totalRows: number }>(server, who, "get_data", { dataset_id: texts, c9ql });

  it("fail what cannot be computed, and say why", async () => {
    await expect(read("select sum(revenue)")).rejects.toThrow(
      /^C9QL: revenue has texts that are not numbers, such as "1,234,567"\. .*number\(revenue, null\)/,
    );
    await expect(read("where revenue > 1000")).rejects.toThrow(/^C9QL: revenue has texts/);
    await expect(read("where day >= 2024-02-01")).rejects.toThrow(/not understood as dates, such as "soon"/);
    const cleaned = await read("select sum(regex_replace(revenue, ',', '')) as Total");
    expect(cleaned.rows).toEqual([{ Total: 1_235_566 }]);
    expect((await read("select region where day >= 2024-02-01 and day != soon")).rows).toEqual([
      { region: "West" },
    ]);
  });

  it("are compared with dates as these are usually written", async () => {
    for (const condition of [
      "at = 10/15/2026",
      "at in (10/15/2026)",
      "at between 10/1/2026 and 10/19/2026",
      "at < '10/20/2026'",
    ]) {
      expect(await read(`select revenue where ${condition}`)).toMatchObject({ rows: [{ revenue: "999" }] });
    }
  });

  it("are not told to who may not see them", async () => {
    const admin = await server.token({ role: "admin" });
    const rows = [{ field: "region", operator: "=", value: "West" }];
    const policies = [{ name: "west", roles: ["viewer"], rows }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: texts, policies });
    const viewer = await server.token({ role: "viewer" });
    expect((await read("select sum(revenue) as Total", viewer)).rows).toEqual([{ Total: 999 }]);
    expect((await read("where revenue > 10 and day > 2024-01-01", viewer)).totalRows).toBe(1);
    expect((await read("select max(month(day)) as m; select *", viewer)).rows).toEqual([{ m: 2 }]);
    await expect(read("select sum(region)", viewer)).rejects.toThrow(/such as "West"/);
    await expect(read("select sum(revenue)")).rejects.toThrow(/1,234,567/);
  });
});
