import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
const server = await serverOfFile();
const token = await server.token({ role: "contributor" });

async function push(datasetName: string, rows: object[], who = token) {
  return callTool(server, who, "knowi_push_data", { datasetName, rows }, BI);
}

async function read(dataset_id: number, who = token) {
  const { result } = await callTool(server, who, "get_data", { dataset_id });
  return result?.structuredContent as {
    rows: object[];
    totalRows: number;
    columns: { name: string; type: string }[];
  };
}

function changed(answer: Awaited<ReturnType<typeof push>>) {
  return answer.result?.structuredContent as {
    dataset_id: number;
    total_rows: number;
    columns: { name: string; type: string }[];
  };
}

describe("push_data", () => {
  it("[bi.push-data.creates] [bi.push-data.appends] makes a dataset, then appends to it", async () => {
    const first = changed(
      await push("Sales", [
        { region: "West", amount: 10 },
        { region: "East", amount: 2.5 },
      ]),
    );
    expect(first).toMatchObject({ total_rows: 2 });
    const second = changed(await push("sales", [{ region: "North", amount: 7 }]));
    expect(second).toMatchObject({ dataset_id: first.dataset_id, total_rows: 3 });
    expect((await read(first.dataset_id)).rows).toEqual([
      { region: "West", amount: 10 },
      { region: "East", amount: 2.5 },
      { region: "North", amount: 7 },
    ]);
  });

  it("adds the rows of a push with a key once, however often it is sent", async () => {
    const rows = [{ a: 1 }, { a: 2 }];
    const once = (more: object = {}, who = token) =>
      callTool(server, who, "push_data", { dataset_name: "Once", rows, idempotency_key: "k-1", ...more });
    const answers = await Promise.all([once(), once(), once()]);
    const told = answers.map(({ result }) => result?.structuredContent as Record<string, unknown>);
    expect(told.map(({ rows_pushed }) => rows_pushed).toSorted()).toEqual([0, 0, 2]);
    expect(told.filter(({ repeated }) => repeated === true)).toHaveLength(2);
    expect((await once()).result?.structuredContent).toMatchObject({ repeated: true, total_rows: 2 });
    // The key is of one person, and for one push.
    expect((await once({ rows: [{ a: 3 }] })).result).toMatchObject({ isError: true });
    const other = await server.token({ role: "contributor" });
    expect((await once({}, other)).result?.structuredContent).toMatchObject({
      rows_pushed: 2,
      total_rows: 4,
    });
    expect((await once({ idempotency_key: "k-2" })).result?.structuredContent).toMatchObject({
      total_rows: 6,
    });
  });

  it("adds new columns, widens numbers and keeps nested objects", async () => {
    const { dataset_id } = changed(await push("Wide", [{ a: 1 }]));
    await push("Wide", [{ a: 1.5, b: { c: [1, 2] } }]);
    const { rows } = await read(dataset_id);
    expect(rows).toEqual([
      { a: 1, b: null },
      { a: 1.5, b: { c: [1, 2] } },
    ]);
  });

  it("refuses what a column cannot hold, and then stores no row", async () => {
    const { dataset_id } = changed(await push("Strict", [{ n: 1 }]));
    const refused = await push("Strict", [{ n: 2 }, { n: "three" }]);
    expect(refused.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('"n"') }],
    });
    expect(await read(dataset_id)).toMatchObject({ totalRows: 1, rows: [{ n: 1 }] });
  });

  it("loses no row when many push at once", async () => {
    const pushes = Array.from({ length: 20 }, (_, i) => push("Busy", [{ i }]));
    const { dataset_id } = changed((await Promise.all(pushes))[0] as Awaited<ReturnType<typeof push>>);
    const { rows, totalRows } = await read(dataset_id);
    expect(totalRows).toBe(20);
    expect(new Set(rows.map((row) => (row as { i: number }).i)).size).toBe(20);
  });

  it("loses neither row nor column when many push other columns at once", async () => {
    const { dataset_id } = changed(await push("Growing", [{ n: 0 }]));
    await Promise.all(Array.from({ length: 12 }, (_, i) => push("Growing", [{ n: i + 0.5, [`c${i}`]: i }])));
    const { rows, totalRows, columns } = await read(dataset_id);
    expect(totalRows).toBe(13);
    expect(rows).toHaveLength(13);
    expect(columns.map(({ name }) => name).toSorted()).toEqual(
      ["n", ...Array.from({ length: 12 }, (_, i) => `c${i}`)].toSorted(),
    );
    expect(columns[0]).toEqual({ name: "n", type: "DOUBLE" });
  });

  it("keeps the order in which one pushed, also after columns have changed", async () => {
    const { dataset_id } = changed(await push("Ordered", [{ i: 0 }]));
    for (let i = 1; i < 8; i += 1) await push("ordered", [i === 4 ? { i, more: true } : { i }]);
    const { rows } = await read(dataset_id);
    expect(rows.map((row) => (row as { i: number }).i)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    ["no rows for a new dataset", { datasetName: "Empty", rows: [] }],
    ["no name", { datasetName: "", rows: [{ a: 1 }] }],
    ["rows that are none", { datasetName: "Bad", rows: [1, 2] }],
    ["no rows at all", { datasetName: "Bad" }],
  ])("refuses %s", async (_what, args) => {
    const { result } = await callTool(server, token, "knowi_push_data", args, BI);
    expect(result?.isError).toBe(true);
  });

  it("neither writes columns that are hidden from its caller nor tells which there are", async () => {
    const admin = await server.token();
    const { dataset_id } = changed(await push("Pay", [{ id: 1, salary: 7 }], admin));
    const policies = [{ name: "p", roles: ["contributor"], hide: ["salary", "gone"] }];
    await callTool(server, admin, "push_data", { dataset_name: "Pay", rows: [{ gone: 1 }] });
    await callTool(server, admin, "set_dataset_policies", { dataset_id, policies });
    const answers = new Set<string>();
    const tryColumn = async (name: string, value: unknown, others: object[]) => {
      const { result } = await push("Pay", [...others, { id: 3, [name]: value }]);
      expect(result?.isError).toBe(true);
      answers.add((result?.content[0]?.text ?? "").replace(JSON.stringify(name), "X"));
    };
    for (const name of ["salary", "SALARY", "Salary", "gone", "other", " id", "salary_1", "id.salary"])
      for (const value of [1, "text", null, { a: 1 }, 1e300]) await tryColumn(name, value, [{ id: 2 }]);
    // So many that they are read apart from the request.
    const many = Array.from({ length: 5_000 }, (_, id) => ({ id }));
    for (const name of ["salary", "SALARY", "other"])
      for (const value of [1, "text"]) await tryColumn(name, value, many);
    expect([...answers]).toEqual([
      expect.stringMatching(/only columns that you see: X is none\. You see id\.$/),
    ]);
    expect(changed(await push("Pay", [{ ID: 4 }]))).toMatchObject({ columns: [{ name: "id" }] });
    expect((await read(dataset_id, admin)).rows).toEqual([
      { id: 1, salary: 7, gone: null },
      { id: null, salary: null, gone: 1 },
      { id: 4, salary: null, gone: null },
    ]);
  });

  it("is for contributors, and stays in its workspace", async () => {
    const rows = [{ a: 1 }];
    expect(
      (await callTool(server, undefined, "knowi_push_data", { datasetName: "X", rows }, BI)).status,
    ).toBe(401);
    const viewer = await push("X", rows, await server.token({ role: "viewer" }));
    expect(viewer.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("bi:write") }],
    });
    await server.app.identity.workspaces.create({ slug: "other" });
    const { dataset_id } = changed(await push("Mine", rows));
    const stranger = await callTool(server, await server.token({ workspace: "other" }), "get_data", {
      dataset_id,
    });
    expect(stranger.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("no dataset") }],
    });
  });
});
