import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { exportOf, makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { inferColumns, widenColumns } from "../../platform/analytics/index.ts";
import { LIMITS } from "./limits.ts";

let server: TestServer;
let token: string;
let catalog: pg.Client;

beforeAll(async () => {
  server = await startTestServer();
  token = await server.token({ role: "contributor" });
  catalog = new pg.Client(server.databaseUrl);
  await catalog.connect();
});
afterAll(async () => {
  await catalog.end();
  await server.stop();
});

interface Read {
  rows: Record<string, unknown>[];
  columns: { name: string; type: string }[];
  totalRows: number;
}

const push = (name: string, rows: object[]): Promise<number> => makeDataset(server, token, name, rows);
const get = (dataset_id: number): Promise<Read> => resultOf<Read>(server, token, "get_data", { dataset_id });

async function exported(dataset_id: number, format: string): Promise<string> {
  return (await exportOf(server, token, { dataset_id, format })).file.toString();
}

function deep(inner: unknown, levels: number): unknown {
  return levels === 0 ? inner : { x: deep(inner, levels - 1) };
}

describe("a column that gets values of another kind", () => {
  it.each<[string, object[], object[], string, unknown[]]>([
    ["text, then an object", [{ s: "x" }], [{ s: { x: 1 } }], "VARCHAR", ["x", '{"x":1}']],
    ["text, then a list", [{ s: "x" }], [{ s: [1, "a"] }], "VARCHAR", ["x", '[1,"a"]']],
    ["text, then a mixture", [{ s: "x" }], [{ s: { x: 1 } }, { s: "y" }], "VARCHAR", ["x", '{"x":1}', "y"]],
    ["a mixture, then text", [{ s: { x: 1 } }, { s: "y" }], [{ s: '{"z' }], "JSON", [{ x: 1 }, "y", '{"z']],
    ["an object, then none", [{ s: { x: 1 } }], [{ s: {} }], "JSON", [{ x: 1 }, {}]],
  ])("%s", async (name, first, second, type, values) => {
    const id = await push(name, first);
    await push(name, second);
    const { rows, columns } = await get(id);
    expect(columns).toEqual([{ name: "s", type }]);
    expect(rows.map(({ s }) => s)).toEqual(values);
    expect(JSON.parse(await exported(id, "json"))).toEqual(rows);
    expect((await exported(id, "csv")).split("\r\n")).toHaveLength(values.length + 2);
    expect(await exported(id, "parquet")).toMatch(/^PAR1/);
  });

  it.each([
    [{ y: 1 }, "text"],
    ["text", { y: 1 }],
    [[1], { y: 1 }],
  ])("at great depth: %j, then %j", async (first, second) => {
    const name = `Deep ${JSON.stringify(first)}`;
    const id = await push(name, [{ s: deep(first, 8) }]);
    await push(name, [{ s: deep(second, 8) }]);
    expect((await get(id)).rows).toEqual([{ s: deep(first, 8) }, { s: deep(second, 8) }]);
  });
});

const KINDS: Readonly<Record<string, unknown>> = {
  nothing: null,
  boolean: true,
  integer: 7,
  double: 2.5,
  date: "2024-02-29",
  timestamp: "2024-02-29T10:00:00",
  zoned: "2024-02-29T10:00:00Z",
  text: "it's",
  list: [1, 2],
  "list of texts": ["a"],
  "empty list": [],
  "list of anything": [1, { a: "b" }],
  object: { x: 1 },
  "object of text": { x: "q" },
  "nested object": { x: { y: [1] } },
  "empty object": {},
};

describe("all kinds of values after each other", () => {
  const pairs = Object.entries(KINDS).flatMap(([a, first]) =>
    Object.entries(KINDS).map(([b, second]) => ({ name: `${a} ${b}`, first, second })),
  );
  const isAccepted = ({ first, second }: { first: unknown; second: unknown }): boolean => {
    try {
      widenColumns(inferColumns([{ v: first }]), inferColumns([{ v: second }]));
      return true;
    } catch {
      return false;
    }
  };
  const accepted = pairs.filter(isAccepted);
  const refused = pairs.filter((pair) => !isAccepted(pair));

  it("are all there, also when their parts were put together", async () => {
    const rowOf = (which: "first" | "second"): object =>
      Object.fromEntries(accepted.map((pair) => [pair.name, pair[which]]));
    const id = await push("Kinds", [rowOf("first")]);
    await push("Kinds", [rowOf("second")]);
    const before = await get(id);
    expect(accepted.filter(({ name, first }) => first !== null && before.rows[0]![name] === null)).toEqual(
      [],
    );
    expect(accepted.filter(({ name, second }) => second !== null && before.rows[1]![name] === null)).toEqual(
      [],
    );
    expect(before.rows[0]).toMatchObject({ "text object": "it's", "object nothing": { x: 1 } });
    expect(before.rows[1]).toMatchObject({ "text object": '{"x":1}', "integer double": 2.5 });
    expect(JSON.parse(await exported(id, "json"))).toEqual(before.rows);
    for (let part = 2; part < LIMITS.data.smallParts; part += 1) await push("Kinds", [{ nothing: part }]);
    const parts = async (): Promise<number> => {
      const { rows } = await catalog.query(
        "SELECT count(*)::int AS n FROM dataset_parts WHERE dataset_id = $1 AND until_version IS NULL",
        [id],
      );
      return rows[0].n;
    };
    await vi.waitFor(async () => expect(await parts()).toBeLessThan(LIMITS.data.smallParts), 60_000);
    const after = await get(id);
    expect(after.rows).toHaveLength(LIMITS.data.smallParts);
    expect(after.rows.slice(0, 2)).toEqual(before.rows.map((row) => ({ ...row, nothing: null })));
  });

  it("that do not go together change nothing", async () => {
    const id = await push("Refusing", [
      Object.fromEntries(refused.map(({ name, first }) => [name, first])) as object,
    ]);
    const before = await get(id);
    for (const { name, second } of refused)
      await expect(push("Refusing", [{ [name]: second }])).rejects.toThrow("cannot take");
    expect(await get(id)).toEqual(before);
  });
});

describe("what cannot be pushed", () => {
  it.each<[string, object[], RegExp]>([
    ["a row without fields", [{}], /No row has a field/],
    ["two spellings of a name", [{ a: 1, A: 2 }], /rows\[0\] has both \\?"a\\?" and \\?"A/],
  ])("%s", async (name, rows, message) => {
    await expect(push(name, rows)).rejects.toThrow(message);
    const id = await push(`${name} later`, [{ b: 1 }]);
    await expect(push(`${name} later`, rows)).rejects.toThrow(message);
    expect((await get(id)).totalRows).toBe(1);
  });

  it("is named with its row and value", async () => {
    await push("Named", [{ n: 1, day: "2024-01-01" }]);
    await expect(push("Named", [{ n: 2 }, { n: "three" }])).rejects.toThrow(
      /holds whole numbers and cannot take text\. rows\[1\] has \\?"three/,
    );
    await expect(push("Named", [{ day: "soon" }])).rejects.toThrow(/holds dates and cannot take text/);
  });

  it("is a row without fields beside others, which has no values", async () => {
    const id = await push("Gaps", [{ a: 1 }, {}]);
    expect((await get(id)).rows).toEqual([{ a: 1 }, { a: null }]);
  });
});

describe("names in a file that differ only in case", () => {
  it("are columns of their own, and the answer says so", async () => {
    const content = Buffer.from('[{"id":1,"ID":2,"Name":"a"}]').toString("base64");
    const imported = await resultOf<{ dataset_id: number; detected: { renamed: object[] } }>(
      server,
      token,
      "import_file",
      { dataset_name: "Twins", content, file_type: "json" },
    );
    expect(imported.detected.renamed).toEqual([{ position: 2, from: "ID", to: "ID_2" }]);
    expect((await get(imported.dataset_id)).rows).toEqual([{ id: 1, ID_2: 2, Name: "a" }]);
  });
});

describe("a dataset that cannot be read", () => {
  it("shows no value of a row that a policy hides", async () => {
    const id = await push("Broken", [
      { region: "West", note: "1" },
      { region: "East", note: "TOPSECRET" },
    ]);
    const admin = await server.token();
    const policies = [
      {
        name: "low",
        roles: ["viewer"],
        rows: [{ field: "note", operator: "<", value: 5 }],
      },
    ];
    const columns = [
      { name: "region", type: "VARCHAR" },
      { name: "note", type: "BIGINT" },
    ];
    await catalog.query("UPDATE datasets SET columns = $1, version = version + 1 WHERE id = $2", [
      JSON.stringify(columns),
      id,
    ]);
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });
    const viewer = await server.token({ role: "viewer" });
    const asked: [string, Record<string, unknown>][] = [
      ["get_data", { dataset_id: id }],
      ["get_data", { dataset_id: id, c9ql: "select max(note) as m" }],
      ["export_data", { dataset_id: id }],
      ["get_details", { asset_type: "dataset", asset_id: id }],
    ];
    for (const [tool, args] of asked) {
      const answer = await resultOf(server, viewer, tool, args).then(
        JSON.stringify,
        (error: Error) => error.message,
      );
      expect(answer).toContain("could not be read");
      expect(answer).not.toContain("TOPSECRET");
    }
    await expect(get(id)).rejects.toThrow("TOPSECRET");
  });
});
