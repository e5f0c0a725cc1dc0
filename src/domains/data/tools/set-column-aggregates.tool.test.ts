import { beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const admin = await server.token({ role: "admin" });
const contributor = await server.token({ role: "contributor" });
const viewer = await server.token({ role: "viewer" });
const ROWS = [
  { team: "A", order_id: 1, points: 10, price: 2, salary: 100 },
  { team: "A", order_id: 2, points: 20, price: 4, salary: 200 },
  { team: "B", order_id: 3, points: 5, price: 6, salary: 300 },
];
let id: number;
beforeAll(async () => {
  id = await makeDataset(server, admin, "Games", ROWS);
});

const set = (aggregates: object, who = contributor) =>
  resultOf<{ aggregates: Record<string, string> }>(server, who, "set_column_aggregates", {
    dataset_id: id,
    aggregates,
  });

async function aggregates(): Promise<Record<string, string>> {
  const { details } = await resultOf<{ details: { columns: { name: string; aggregate?: string }[] } }>(
    server,
    contributor,
    "get_details",
    { asset_type: "dataset", asset_id: id },
  );
  return Object.fromEntries(
    details.columns.flatMap((each) => (each.aggregate ? [[each.name, each.aggregate]] : [])),
  );
}

/** The numbers of a table by team. */
async function shown(y: string, options: object = {}): Promise<unknown[][] | undefined> {
  const draft = { name: "W", dataset_id: id, chart_type: "bar", x_axis: "team", y_axis: [y], options };
  const made = await resultOf<{ widget_id: number }>(server, contributor, "create_widget", draft);
  const { rows } = await resultOf<{ rows: Record<string, unknown>[] }>(server, contributor, "get_data", {
    widget_id: made.widget_id,
  });
  return rows.map(Object.values);
}

describe("set_column_aggregates", () => {
  it("begins with what the names of columns say, and keeps what an author says when rows come and go", async () => {
    const usual = { order_id: "none", points: "sum", price: "avg", salary: "sum" };
    expect(await aggregates()).toEqual(usual);
    expect((await set({ POINTS: "avg" })).aggregates).toEqual({ ...usual, points: "avg" });
    await makeDataset(server, contributor, "Games", [{ team: "C", points: 1.5, fans: 7 }]);
    expect(await aggregates()).toEqual({ ...usual, points: "avg", fans: "sum" });
  });

  it("is what a widget shows that does not say otherwise", async () => {
    await set({ points: "sum" });
    const sum = await shown("points");
    await set({ points: "avg" });
    const mean = await shown("points");
    await set({ points: "none" });
    const counted = await shown("points");
    expect([sum, mean, counted]).toEqual([
      [
        ["A", 30],
        ["B", 5],
        ["C", 1.5],
      ],
      [
        ["A", 15],
        ["B", 5],
        ["C", 1.5],
      ],
      [
        ["A", 2],
        ["B", 1],
        ["C", 1],
      ],
    ]);
    const c9ql = "select team, avg(salary) as sales group by team";
    expect(await shown("sales", { c9ql })).toContainEqual(["A", 150]);
  });

  it("is for those who may add rows, and for columns of numbers that they see", async () => {
    const refused = await callTool(server, viewer, "set_column_aggregates", {
      dataset_id: id,
      aggregates: { points: "sum" },
    });
    expect(JSON.stringify(refused)).toContain("bi:write");
    const policies = [{ name: "pay", roles: ["contributor"], hide: ["salary"] }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });
    await expect(set({ salary: "avg" })).rejects.toThrow("Games has no column of numbers called salary");
    await expect(set({ team: "sum" })).rejects.toThrow("no column of numbers called team");
    expect((await set({ price: "sum" })).aggregates).not.toHaveProperty("salary");
    await expect(set({ points: "median" })).rejects.toThrow();
    await expect(
      resultOf(server, admin, "set_column_aggregates", { dataset_id: 999_999, aggregates: {} }),
    ).rejects.toThrow("There is no dataset with id 999999");
  });
});
