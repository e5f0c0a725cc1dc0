import { afterEach, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../test/support/analytics.ts";
import { processesOn } from "../../../test/support/processes.ts";

let analytics: TestAnalytics;
afterEach(() => analytics.remove());

const engines = () => processesOn(analytics.home).filter(({ command }) => command.includes("bootstrap"));

it("asks engines without keeping their processes in memory", async () => {
  analytics = await openTestAnalytics();
  for (let times = 0; times < 3; times += 1) {
    await Promise.all([analytics.probe("query"), analytics.probe("load")]);
    await expect.poll(engines).toEqual([]);
  }
});

it("asks the processes that run, and leaves them running", async () => {
  analytics = await openTestAnalytics();
  const rows = await analytics.tableView("r", [{ a: 1 }]);
  await analytics.query({ scope: "w", tableViews: [rows], sql: "SELECT a FROM r" });
  const before = engines().map(({ pid }) => pid);
  expect(before.length).toBeGreaterThan(1);
  await Promise.all([analytics.probe("query"), analytics.probe("load")]);
  expect(engines().map(({ pid }) => pid)).toEqual(before);
  expect(await analytics.query({ scope: "w", tableViews: [rows], sql: "SELECT a FROM r" })).toMatchObject({
    rows: [[1]],
  });
});
