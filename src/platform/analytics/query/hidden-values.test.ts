import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../../test/support/analytics.ts";
import type { TableView } from "../index.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

const NORTH = "SELECT * FROM raw WHERE region = 'north'";

async function notes(extra: Partial<TableView>): Promise<TableView> {
  const rows = [
    { region: "north", note: "12" },
    { region: "south", note: "TOPSECRET" },
  ];
  return analytics.tableView("notes", rows, { version: JSON.stringify(extra), ...extra });
}

function errorOf(tableView: TableView, sql: string): Promise<{ message: string; hint?: string }> {
  return analytics.query({ scope: "w", tableViews: [tableView], sql }).then(
    () => Promise.reject(new Error("there was no error")),
    (error: { message: string }) => error,
  );
}

describe("an error below a policy", () => {
  // As after a change of types that went wrong: the column is said to hold what its values are not.
  const columns = [
    { name: "region", type: "VARCHAR" },
    { name: "note", type: "BIGINT" },
  ];
  // The policy looks at the column that cannot be read.
  const select = "SELECT * FROM raw WHERE note < 100";

  it.each([
    "SELECT * FROM notes",
    "SELECT max(note) FROM notes",
    "SELECT count(*) FROM notes WHERE note > 1",
  ])("%s tells no value", async (sql) => {
    const open = await errorOf(await notes({ columns, select }), sql);
    expect(open.message).toContain("TOPSECRET");
    const closed = await errorOf(await notes({ columns, select, isRestricted: true }), sql);
    expect(closed).toMatchObject({
      code: "unavailable",
      message: "A value of the data could not be read (conversion error).",
      hint: expect.stringContaining("policies"),
    });
    expect(JSON.stringify(closed)).not.toContain("TOPSECRET");
  });

  it("in the middle of the rows tells no value either", async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, n: id === 19_000 ? "TOPSECRET" : "1" }));
    const part = await analytics.rowsToPart({ rows, key: analytics.key() });
    const wrong = part.columns.map(({ name }) => ({ name, type: "BIGINT" }));
    const tableView = tableViewOf("notes", part, {
      columns: wrong,
      select: "SELECT * FROM raw WHERE n < 5",
      isRestricted: true,
    });
    const stream = analytics.queryStream({
      scope: "w",
      tableViews: [tableView],
      sql: "SELECT id, n FROM notes",
    });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await expect(reading).rejects.toMatchObject({
      message: "A value of the data could not be read (conversion error).",
    });
  });

  it("of a policy that compares numbers of too many digits tells no value", async () => {
    const rows = [
      { id: 1, n: 5n },
      { id: 2, n: 98_765_432_109_876_543_210_987_654_321_098_765_432n },
    ];
    const tableView = await analytics.tableView("notes", rows, {
      select: "SELECT * FROM raw WHERE n < 5.5",
      isRestricted: true,
    });
    const answer = await analytics
      .query({ scope: "w", tableViews: [tableView], sql: "SELECT * FROM notes" })
      .then(JSON.stringify, (error: Error) => error.message);
    expect(answer).not.toContain("98765");
  });
});

describe("an error of the query itself", () => {
  it.each([
    "SELECT CAST(region AS DATE) FROM notes",
    "SELECT error(note) FROM notes",
    "SELECT nothing FROM notes",
    "SELECT FROM WHERE",
  ])("%s is the same as without a policy", async (sql) => {
    const visible = await analytics.tableView("notes", [{ region: "north", note: "12" }], {
      version: "north",
    });
    const [plain, restricted] = await Promise.all([
      errorOf(visible, sql),
      errorOf(await notes({ select: NORTH, isRestricted: true }), sql),
    ]);
    expect(restricted).toMatchObject({ message: plain.message });
    expect(restricted.message).not.toContain("could not be read");
  });
});
