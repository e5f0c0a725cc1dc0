import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../test/support/analytics.ts";
import type { Part } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Column, PolicyFilter } from "./dataset.ts";
import { restrictionFor } from "./policies.ts";

/** The conditions that policies become, on the real engine. */
const COLUMNS: Column[] = Object.entries({
  id: "INTEGER",
  text: "VARCHAR",
  number: "INTEGER",
  price: "DECIMAL(10,2)",
  ratio: "DOUBLE",
  day: "DATE",
  time: "TIMESTAMP",
  flag: "BOOLEAN",
  uuid: "UUID",
  json: "JSON",
  list: "INTEGER[]",
}).map(([name, type]) => ({ name, type }));

let analytics: TestAnalytics;
let part: Part;
let ids: (filter: PolicyFilter) => Promise<number[]>;

beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
  const rows = [1, 2, 3].map((id) => ({
    id,
    text: `HIDDEN${id}`,
    number: id,
    price: id + 0.5,
    ratio: id / 2,
    day: `2024-01-0${id}`,
    time: `2024-01-0${id}T10:00:00`,
    flag: id === 1,
    uuid: `00000000-0000-0000-0000-00000000000${id}`,
    json: { id },
    list: [id],
  }));
  part = await analytics.rowsToPart({ rows, columns: COLUMNS, key: analytics.key() });
  ids = async (filter) => {
    const caller = { role: "viewer", groups: [], attributes: {} } as unknown as Caller;
    const { condition } = restrictionFor(caller, {
      columns: COLUMNS,
      policies: [{ name: "p", rows: [filter] }],
    });
    const select = `SELECT id FROM raw WHERE ${condition}`;
    const tableViews = [tableViewOf("t", part, { select, isRestricted: true })];
    const { rows: found } = await analytics.query({
      scope: "w",
      tableViews,
      sql: "SELECT id FROM t ORDER BY 1",
    });
    return found.map(([id]) => Number(id));
  };
});
afterAll(() => analytics.remove());

function conditionOf(filter: PolicyFilter): string {
  const caller = { role: "viewer", groups: [], attributes: {} } as unknown as Caller;
  const policies = [{ name: "p", rows: [filter] }];
  return String(restrictionFor(caller, { columns: COLUMNS, policies }).condition);
}

describe("a condition of a policy", () => {
  const values = ["x", "5", "1.5", "", "2024-01-02", "it's", 5, 1.5, -1, 1e300, true, false, null];
  const operators = ["=", "!=", ">", "<", ">=", "<=", "like", "in", "between"] as const;

  it.each(COLUMNS.map(({ name }) => name))(
    "on %s never fails, whatever it is compared with",
    async (field) => {
      const conditions = operators.flatMap((operator) =>
        values.flatMap((value) =>
          [value, [value], [value, value], []].map((given) => conditionOf({ field, operator, value: given })),
        ),
      );
      const counts = conditions.map((condition) => `count(*) FILTER (WHERE ${condition})`);
      const sql = `SELECT ${counts.join(", ")} FROM t`;
      const { rows } = await analytics.query({ scope: "w", tableViews: [tableViewOf("t", part)], sql });
      expect(rows[0]).toHaveLength(conditions.length);
    },
  );

  it.each<[string, PolicyFilter["operator"], PolicyFilter["value"], number[]]>([
    ["number", "<=", 1.5, [1]],
    ["number", "<=", "1.5", [1]],
    ["number", ">", "1.5", [2, 3]],
    ["number", "=", "2", [2]],
    ["number", "=", 2, [2]],
    ["number", "=", "two", []],
    ["number", "<", 1e300, [1, 2, 3]],
    ["price", "=", "2.5", [2]],
    ["price", "<", 2.505, [1, 2]],
    ["price", "in", ["1.50", 3.5], [1, 3]],
    ["ratio", "between", [0.5, "1"], [1, 2]],
    ["day", ">=", "2024-01-02", [2, 3]],
    ["day", ">=", "2024-01-02 10:00:00", [3]],
    ["day", "=", 5, []],
    ["time", "<", "2024-01-02", [1]],
    ["flag", "=", true, [1]],
    ["flag", "=", "true", [1]],
    ["text", "=", 5, []],
    ["text", "=", true, []],
    ["text", "=", "HIDDEN2", [2]],
    ["text", "!=", 5, [1, 2, 3]],
    ["uuid", "=", "00000000-0000-0000-0000-000000000003", [3]],
    ["uuid", "!=", "none", []],
    ["text", "like", "%2", [2]],
    ["number", "like", "2", [2]],
    ["gone", "=", 1, []],
    ["number", "=", { attribute: "missing" }, []],
    ["number", "=", null, []],
    ["number", "in", [null, 1], [1]],
  ])("%s %s %j lets the right rows through", async (field, operator, value, expected) => {
    expect(await ids({ field, operator, value })).toEqual(expected);
  });
});
