import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { serverOfFile } from "../../../test/support/server.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import { StatisticsCache } from "./column-statistics.ts";
import type { Data } from "./data.ts";
import type { Dataset } from "./dataset.ts";

interface Details {
  rows?: number;
  bytes?: number;
  columns: Record<string, unknown>[];
  statistics_note?: string;
  source: { kind: string; detail?: unknown };
}

const server = await serverOfFile();
const admin = await server.token({ role: "admin" });
const viewer = await server.token({ role: "viewer" });

async function detailsOf(asset_id: number, token = admin): Promise<Details> {
  const args = { asset_type: "dataset", asset_id };
  return (await resultOf<{ details: Details }>(server, token, "get_details", args)).details;
}

async function importCsv(dataset_name: string, content: string): Promise<number> {
  const args = { dataset_name, content, file_type: "csv" };
  return (await resultOf<{ dataset_id: number }>(server, admin, "import_file", args)).dataset_id;
}

const setPolicies = (dataset_id: number, policies: object[]) =>
  resultOf(server, admin, "set_dataset_policies", { dataset_id, policies });

describe("statistics of columns", () => {
  it("count what is missing, what is different and the extremes, by type", async () => {
    const id = await importCsv(
      "Orders",
      "day,region,price,paid,note\n2026-01-05,West,1.50,true,\n2026-01-02,East,-3.25,false,x\n2026-03-01,West,,true,\n",
    );
    expect(await detailsOf(id)).toMatchObject({
      rows: 3,
      columns: [
        { name: "day", nulls: 0, distinct: 3, min: "2026-01-02", max: "2026-03-01" },
        { name: "region", nulls: 0, distinct: 2, min: "East", max: "West" },
        { name: "price", nulls: 1, distinct: 2, min: -3.25, max: 1.5 },
        { name: "paid", nulls: 0, distinct: 2, min: false, max: true },
        { name: "note", nulls: 2, distinct: 1, min: "x", max: "x" },
      ],
    });
  });

  it("leave out extremes of what has no order, and cut long texts", async () => {
    const id = await makeDataset(server, admin, "Odd", [
      { nested: { a: 1 }, list: [1, 2], long: "y".repeat(500), 'so "called"; --': 1 },
      { nested: null, list: [3], long: "z", 'so "called"; --': 2 },
    ]);
    const { columns } = await detailsOf(id);
    expect(columns[0]).toEqual({ name: "nested", type: expect.any(String), nulls: 1, distinct: 1 });
    expect(columns[1]).toEqual({ name: "list", type: expect.any(String), nulls: 0, distinct: 2 });
    expect(columns[2]).toMatchObject({ name: "long", min: "y".repeat(200), max: "z" });
    expect(columns[3]).toMatchObject({ name: 'so "called"; --', min: 1, max: 2 });
  });

  it("follow the rows", async () => {
    const id = await makeDataset(server, admin, "Growing", [{ n: 1 }]);
    expect((await detailsOf(id)).columns).toMatchObject([{ min: 1, max: 1, distinct: 1 }]);
    await makeDataset(server, admin, "Growing", [{ n: 7 }, { n: null }]);
    expect((await detailsOf(id)).columns).toMatchObject([{ min: 1, max: 7, distinct: 2, nulls: 1 }]);
    expect((await detailsOf(id)).columns).toMatchObject([{ min: 1, max: 7, distinct: 2, nulls: 1 }]);
  });

  it("are there for a dataset without rows, and for one with very many columns", async () => {
    const empty = await detailsOf(await importCsv("Empty", "a,b\n"));
    expect(empty).toMatchObject({ rows: 0, columns: [{ name: "a", nulls: 0, distinct: 0, min: null }, {}] });
    const names = Array.from({ length: 300 }, (_, index) => `column ${index}`);
    const wide = await detailsOf(await importCsv("Wide", `${names}\n${names.map((_, index) => index)}\n`));
    expect(wide.columns).toHaveLength(300);
    expect(wide.columns[199]).toMatchObject({ name: "column 199", min: 199 });
    expect(wide.columns[299]).toEqual({ name: "column 299", type: expect.any(String), aggregate: "sum" });
    expect(wide.statistics_note).toBe("only the first 200 columns were counted.");
  });
});

describe("statistics under policies", () => {
  let id: number;
  beforeAll(async () => {
    id = await importCsv("People", "name,region,salary\nAda,West,10\nBob,East,99\nCy,West,20\n");
  });

  it("know nothing of rows that their reader may not see, whoever asked before", async () => {
    await setPolicies(id, [
      { name: "west", roles: ["viewer"], rows: [{ field: "region", operator: "=", value: "West" }] },
    ]);
    const whole = await detailsOf(id);
    expect(whole).toMatchObject({ rows: 3, bytes: expect.any(Number), columns: [{}, {}, { max: 99 }] });
    const part = await detailsOf(id, viewer);
    expect(part).toMatchObject({ rows: 2, columns: [{ max: "Cy" }, { min: "West" }, { min: 10, max: 20 }] });
    expect(part).not.toHaveProperty("bytes");
    expect(JSON.stringify(part.columns)).not.toMatch(/99|East|Bob/);
    await setPolicies(id, [
      { name: "none", roles: ["viewer"], rows: [{ field: "region", operator: "=", value: "South" }] },
    ]);
    expect(await detailsOf(id, viewer)).toMatchObject({ rows: 0, columns: [{ max: null }, {}, {}] });
    expect(await detailsOf(id)).toEqual({ ...whole, policies: expect.any(Array) });
  });

  it("do not name hidden columns, not even in how the file was read", async () => {
    const twice = await importCsv("Twice", "secret,secret,open\n1,2,3\n");
    const { columns } = await detailsOf(twice);
    const hide = columns.map(({ name }) => name).filter((name) => name !== "open");
    await setPolicies(twice, [{ name: "hide", roles: ["viewer"], hide }]);
    const seen = await detailsOf(twice, viewer);
    expect(seen).toMatchObject({ columns: [{ name: "open", min: 3 }], source: { kind: "import" } });
    expect(JSON.stringify(seen)).not.toContain("secret");
    expect((await detailsOf(twice)).source).toHaveProperty("detail");
  });

  it("are silent when no column is left", async () => {
    await setPolicies(id, [{ name: "all", roles: ["viewer"], hide: ["name", "region", "salary"] }]);
    expect(await detailsOf(id, viewer)).toMatchObject({ columns: [], source: { kind: "import" } });
  });
});

it("are counted once for all who ask at the same time, and anew after a failure", async () => {
  let counts = 0;
  let isBroken = true;
  const data = {
    tableView: async () => ({ name: "rows", parts: [], columns: [], version: "1.1", visible: [COLUMN] }),
    summarise: async () => {
      counts += 1;
      await sleep(20);
      if (isBroken) throw new AppError("timeout", "Too slow.");
      return [1, 0, 1, 1];
    },
  };
  const statistics = new StatisticsCache(data as unknown as Data);
  const ask = () => statistics.of({} as Caller, { workspaceId: 1 } as Dataset);
  const failed = await Promise.allSettled([ask(), ask()]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(counts).toBe(2);
  isBroken = false;
  const [one, other] = await Promise.all([ask(), ask()]);
  expect(one).toMatchObject({ rows: 1 });
  expect(other).toBe(one);
  expect(await ask()).toBe(one);
  expect(counts).toBe(4);
});

const COLUMN = { name: "n", type: "INTEGER" };
