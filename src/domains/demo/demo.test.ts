import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { MS } from "../../kernel/time.ts";
import { CHART_TYPES } from "../bi/shapes.ts";
import { customers, rowsOf } from "./days.ts";
import { QUESTIONS } from "./questions.ts";

let server: TestServer;
let token: string;
let now = new Date("2026-03-10T09:00:00Z");

const call = <T = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}) =>
  resultOf<T>(server, token, name, args);

async function counts(): Promise<Record<string, number>> {
  const { datasets } = await call<{ datasets: { name: string; rows: number }[] }>("list_datasets");
  const { total: dashboards } = await call<{ total: number }>("list_dashboards");
  const { total: alerts } = await call<{ total: number }>("list_alerts");
  const { total: documents } = await call<{ total: number }>("list_documents");
  const { memories, edges } = await call<{ memories: number; edges: number }>("memory_stats");
  const rows = Object.fromEntries(datasets.map((each) => [each.name, each.rows]));
  return { ...rows, dashboards, alerts, documents, memories, edges };
}

beforeAll(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  await server.token();
  await server.app.demo.create();
  await server.app.demo.fill();
  token = await server.token({ workspace: "demo", email: "admin-1@example.com" });
});
afterAll(() => server?.stop());

it("is the same for the same day, whoever asks", () => {
  expect(rowsOf(20_522, 20_522)).toEqual(rowsOf(20_522, 20_522));
  expect(rowsOf(20_522, 20_522)).not.toEqual(rowsOf(20_521, 20_522));
  expect(customers()).toEqual(customers());
});

describe("what it is filled with", () => {
  it("data of three years up to today, and all that belongs to it", async () => {
    expect(await server.app.demo.status()).toMatchObject({ doing: null, error: null });
    const { orders, ...found } = await counts();
    expect(orders).toBeGreaterThan(15_000);
    expect(found).toMatchObject({ products: 10, dashboards: 3, alerts: 1, documents: 5 });
    const last = await call<{ rows: object[] }>("get_data", {
      dataset_id: await datasetId("orders"),
      c9ql: "select min(order_date) as first, max(order_date) as last",
    });
    expect(last.rows).toEqual([{ first: "2023-03-10", last: "2026-03-10" }]);
  });

  it("dashboards that show something in every widget, of every type of chart", async () => {
    const { dashboards } = await call<{ dashboards: { id: number }[] }>("list_dashboards");
    const types = new Set<string>();
    for (const { id } of dashboards) {
      const { widgets } = await call<{ widgets: { widget_id: number; chart_type: string }[] }>(
        "find_widget",
        {
          name: "",
          dashboard_id: id,
        },
      );
      for (const { widget_id, chart_type } of widgets) {
        types.add(chart_type);
        const { rows } = await call<{ rows: object[] }>("get_data", { widget_id, limit: 3 });
        expect(rows).not.toEqual([]);
      }
    }
    expect([...types].toSorted()).toEqual(CHART_TYPES.filter((type) => type !== "text").toSorted());
  });

  it("an alert that fires by itself when the last day comes", async () => {
    await expect
      .poll(async () => (await call<{ alerts: { state: string }[] }>("list_alerts")).alerts[0]?.state)
      .toBe("firing");
  });

  it("a report that has been sent, to the local outbox", async () => {
    const { reports } = await call<{ reports: { id: number }[] }>("list_reports");
    const { details } = await call<{ details: { history: object[] } }>("get_details", {
      asset_type: "report",
      asset_id: reports[0]?.id,
    });
    expect(details.history).toHaveLength(1);
  });

  it("answers to its five questions", async () => {
    const [country, cargo, topics, warranty, denmark] = QUESTIONS;
    for (const question of [country, cargo, topics]) {
      const { outcome } = await call("ask_question", { question });
      expect({ question, outcome }).toEqual({ question, outcome: "answer" });
    }
    const { answer } = await call<{ answer: string }>("ask_documents", { question: warranty });
    expect(answer).toContain("three years");
    const { hits } = await call<{ hits: { title: string }[] }>("recall", { query: denmark });
    expect(hits.map(({ title }) => title)).toContain("New importer for Denmark");
  });
});

describe("a fill that was stopped", () => {
  it("goes on and doubles nothing, whichever step it has to do again", async () => {
    const before = await counts();
    const database = new Client(server.databaseUrl);
    await database.connect();
    await database.query("UPDATE demos SET step = 6, through_day = through_day - 1");
    await database.end();
    await server.app.demo.fill();
    expect(await counts()).toEqual(before);
  });
});

it("grows by the days that have passed", async () => {
  const before = await counts();
  now = new Date(now.getTime() + 2 * MS.day);
  await server.app.demo.fill();
  await server.app.demo.fill();
  const after = await counts();
  expect(after.marketing).toBe((before.marketing as number) + 10);
  expect(after.orders).toBeGreaterThan(before.orders as number);
});

it("is gone with everything when it is removed, and can be made again", async () => {
  await server.app.demo.remove();
  expect((await server.request("/mcp", { token, json: {} })).status).toBe(401);
  expect(await server.app.demo.status()).toBeNull();
  await expect(server.app.demo.remove()).rejects.toThrow("There is no demo workspace.");
  await server.app.demo.create();
  expect(await server.app.demo.status()).toMatchObject({ done: 0, doing: "products" });
});

async function datasetId(name: string): Promise<number> {
  const { datasets } = await call<{ datasets: { id: number; name: string }[] }>("list_datasets");
  return datasets.find((each) => each.name === name)?.id ?? 0;
}
