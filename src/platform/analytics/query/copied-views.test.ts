import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import type { TableView } from "../index.ts";

/** What an engine keeps in memory must never outlive what it was made of. */
let analytics: TestAnalytics;
let people: TableView;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
  people = await analytics.tableView("people", rowsOf(3));
});
afterAll(() => analytics.remove());

function rowsOf(count: number): { id: number; team: string }[] {
  return Array.from({ length: count }, (_, id) => ({ id, team: id % 2 === 0 ? "red" : "blue" }));
}

async function ids(tableView: TableView): Promise<unknown> {
  const sql = "SELECT list(id ORDER BY id) FROM people";
  return (await analytics.query({ scope: "w", tableViews: [tableView], sql })).rows[0]?.[0];
}

async function plan(tableView: TableView): Promise<string> {
  const request = { scope: "w", tableViews: [tableView], sql: "SELECT id FROM people", explain: true };
  return JSON.stringify((await analytics.query(request)).rows);
}

async function askUntilCopied(tableView: TableView): Promise<void> {
  await expect
    .poll(
      async () => {
        await ids(tableView);
        return plan(tableView);
      },
      { timeout: 20_000 },
    )
    .toMatch(/_scope_copies/);
}

it("another policy, another version and another file hold with the next query", async () => {
  await askUntilCopied(people);
  expect(await ids(people)).toEqual([0, 1, 2]);
  const red = { ...people, select: "SELECT * FROM raw WHERE team = 'red'", isRestricted: true };
  expect(await ids(red)).toEqual([0, 2]);
  for (let n = 0; n < 10; n += 1) await ids(red);
  await sleep(300);
  expect(await ids(red)).toEqual([0, 2]);
  expect(await ids({ ...red, select: "SELECT * FROM raw WHERE team = 'blue'" })).toEqual([1]);
  const more = await analytics.tableView("people", rowsOf(5), { version: "2" });
  expect(await ids(more)).toEqual([0, 1, 2, 3, 4]);
  const both = { ...people, parts: [...people.parts, ...more.parts], version: "3" };
  expect(await ids(both)).toEqual([0, 0, 1, 1, 2, 2, 3, 4]);
  expect(await ids(people)).toEqual([0, 1, 2]);
});

it("copies and what lies below a policy cannot be named", async () => {
  await askUntilCopied(people);
  for (const name of ['"_scope_copies"."people 0"', '"_scope_copies"."main"."people 0"']) {
    const request = { scope: "w", tableViews: [people], sql: `SELECT * FROM ${name}` };
    await expect(analytics.query(request)).rejects.toMatchObject({ code: "forbidden" });
  }
  for (const name of ['"people 0"', "_scope_copies"]) {
    const request = { scope: "w", tableViews: [people], sql: `SELECT * FROM ${name}` };
    await expect(analytics.query(request)).rejects.toMatchObject({ code: "bad_request" });
  }
});

it("a text that is good over one view is refused over another", async () => {
  const sql = "SELECT count(*) FROM people";
  await analytics.serializeSql(sql);
  expect((await analytics.query({ scope: "w", tableViews: [people], sql })).rows).toEqual([[3]]);
  const others = [{ ...people, name: "others" }];
  await expect(analytics.query({ scope: "w", tableViews: others, sql })).rejects.toThrow(
    /no dataset "people"/,
  );
});

it.runIf(process.platform === "linux")(
  "a process that was replaced begins again with the files",
  async () => {
    await askUntilCopied(people);
    for (const pid of ourProcesses()) process.kill(pid, "SIGKILL");
    await expect.poll(() => ids(people).catch(() => undefined)).toEqual([0, 1, 2]);
    expect(await plan(people)).not.toMatch(/_scope_copies/);
    await askUntilCopied(people);
  },
);

/** By the folder that they work in. */
function ourProcesses(): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(analytics.home);
    } catch {
      return false;
    }
  });
}
