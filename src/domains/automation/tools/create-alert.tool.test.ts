import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let reader: string;
let datasetId: number;
let database: pg.Client;

beforeAll(async () => {
  server = await startTestServer();
  [token, reader] = [await server.token({ role: "contributor" }), await server.token({ role: "viewer" })];
  datasetId = await makeDataset(server, token, "Orders", [
    { id: 1, status: "paid", amount: 20 },
    { id: 2, status: "failed", amount: 40 },
  ]);
  database = new pg.Client(server.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await server.stop();
});

interface Saved {
  alert: Record<string, unknown> & { id: number };
  matches_now: number | null;
  message: string;
}

const bi = <T = Record<string, unknown>>(name: string, args: Record<string, unknown>, who = token) =>
  resultOf<T>(server, who, name, args, BI);
const create = (args: Record<string, unknown>, who = token) =>
  bi<Saved>("knowi_create_alert", { datasetId, alertType: "conditional", alertName: "Watch", ...args }, who);
const details = async (id: number, who = token) =>
  (
    await bi<{ details: Record<string, unknown> }>(
      "knowi_get_details",
      { assetType: "alert", assetId: id },
      who,
    )
  ).details as { state: string; history: { happening: string; rows: number }[] } & Record<string, unknown>;

/** As if its time had come. */
async function due(id: number): Promise<void> {
  await database.query("UPDATE schedules SET next_at = now() WHERE kind = 'alert' AND subject = $1", [id]);
  await database.query("SELECT pg_notify('kenning_schedules', '')");
}

async function mailsTo(address: string) {
  const folder = join(server.home, "outbox");
  const files = readdirSync(folder).filter((name) => name.endsWith(".eml"));
  const mails = await Promise.all(files.map((name) => PostalMime.parse(readFileSync(join(folder, name)))));
  return mails.filter(({ to }) => to?.[0]?.address === address);
}

const eventually = <T>(look: () => Promise<T>) => vi.waitFor(look, { timeout: 90_000, interval: 200 });

describe("create_alert", () => {
  it("[bi.create-alert.conditional] [bi.create-alert.defaults] makes a conditional alert in C9QL and says what matches now", async () => {
    const made = await create({
      alertCondition: "amount > 30",
      recipients: "ann@example.com, bob@example.com",
    });
    expect(made).toMatchObject({
      matches_now: 1,
      alert: {
        name: "Watch",
        state: "ok",
        c9ql: "select * where amount > 30",
        recipients: ["ann@example.com", "bob@example.com"],
        frequency: "days",
        start_time: "08:00",
        timezone: "UTC",
        realtime: false,
        next_check_at: expect.stringMatching(/T08:00:00.000Z$/),
      },
    });
    expect(made.message).toContain("outbox");
  });

  it("[bi.create-alert.natural-language] understands a condition in plain language, and shows how", async () => {
    const made = await create({ alertCondition: "any row where status is Failed" });
    expect(made).toMatchObject({
      matches_now: 1,
      alert: {
        sentence: "any row where status is 'Failed'",
        c9ql: "select * where lower(`status`) = 'failed'",
      },
    });
    await expect(create({ alertCondition: "the weather turns" })).rejects.toThrow(/id, status, amount/);
    await expect(create({ alertCondition: "where amountt > 3" })).rejects.toThrow(/Did you mean amount/);
  });

  it("takes German, and says on how many days of the past it would have matched", async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const rows = [3, 3, 10, 50, 120].map((ago, i) => ({ at: day(ago), umsatz: 100 + i }));
    const id = await makeDataset(server, token, "Tage", rows);
    const made = await create({ datasetId: id, alertCondition: "wenn der Umsatz über 100 steigt" });
    expect(made).toMatchObject({
      matches_now: 4,
      matched_days: 3,
      alert: { c9ql: "select * where `umsatz` > 100" },
    });
    expect(made.message).toContain("In the last 90 days it would have matched on 3.");
    const daily = await create({ datasetId: id, alertCondition: "Anzahl der Zeilen pro Tag ist über 1" });
    expect(daily).toMatchObject({ matches_now: 1, matched_days: 1 });
    expect(await create({ datasetId: id, alertCondition: "sum(umsatz) > 3" })).toMatchObject({
      matched_days: null,
    });
  });

  it("[bi.create-alert.condition-required] refuses a conditional alert without a condition, and hostile input", async () => {
    await expect(create({})).rejects.toThrow(/needs a condition/);
    const good = { alertCondition: "amount > 1" };
    await expect(create({ ...good, recipients: "a@example.com\r\nBcc: x@example.com" })).rejects.toThrow(
      /no mail address/,
    );
    await expect(create({ ...good, recipients: "not an address" })).rejects.toThrow(/no mail address/);
    await expect(create({ ...good, subject: "Hi\nBcc: x@example.com" })).rejects.toThrow(/one line/);
    await expect(create({ ...good, startTime: "25:00" })).rejects.toThrow(/08:00/);
    await expect(create({ ...good, timezone: "Mars/Olympus" })).rejects.toThrow(/IANA/);
    await expect(create({ ...good, frequencyType: "weeks" })).rejects.toThrow();
    await expect(create({ ...good, datasetId: 999_999 })).rejects.toThrow(/no dataset/);
    await expect(create({ alertType: "query_error" })).rejects.toThrow(/not filled by a query/);
  });

  it("[bi.create-alert.access] is for those who may change things; others of the workspace see it", async () => {
    const { alert } = await create({ alertCondition: "amount > 30" });
    expect((await callTool(server, undefined, "knowi_create_alert", {}, BI)).status).toBe(401);
    await expect(create({ alertCondition: "amount > 1" }, reader)).rejects.toThrow(/Access denied/);
    expect(await details(alert.id, reader)).toMatchObject({ id: alert.id, state: "ok" });
    await server.app.identity.workspaces.create({ slug: "other", name: "Other" });
    const foreign = await server.token({ workspace: "other" });
    await expect(details(alert.id, foreign)).rejects.toThrow(/no alert/);
    await expect(create({ alertCondition: "amount > 1" }, foreign)).rejects.toThrow(/no dataset/);
  });

  it("[bi.alerts.fires] fires once at its time with the rows, and tells when it is over", async () => {
    const id = await makeDataset(server, token, "Stock", [
      { item: "pen", left: 3 },
      { item: "=ink", left: 50 },
    ]);
    const { alert } = await create({
      datasetId: id,
      alertName: "Low stock",
      alertCondition: "left < 10",
      recipients: "stock@example.com",
      frequencyType: "hours",
    });
    await due(alert.id);
    await eventually(async () => expect(await mailsTo("stock@example.com")).toHaveLength(1));
    const [mail] = await mailsTo("stock@example.com");
    expect(mail).toMatchObject({
      subject: "Alert: Low stock",
      text: expect.stringContaining("1 row matches"),
    });
    expect(mail?.text?.match(/left < 10/g)).toHaveLength(1);
    expect(mail?.html).toMatch(/<th[^>]*>item<\/th>[\s\S]*<td[^>]*>pen<\/td>/);
    expect(mail?.attachments).toMatchObject([{ filename: "Low-stock.csv" }]);
    expect(Buffer.from(mail?.attachments[0]?.content as ArrayBuffer).toString()).toBe(
      "item,left\r\npen,3\r\n",
    );
    expect(await details(alert.id)).toMatchObject({
      state: "firing",
      matched_rows: 1,
      history: [{ happening: "fired", rows: 1 }],
    });

    await due(alert.id);
    const before = (await details(alert.id)).checked_at;
    await eventually(async () => expect((await details(alert.id)).checked_at).not.toBe(before));
    expect(await mailsTo("stock@example.com")).toHaveLength(1);

    await bi("knowi_import_file", { datasetName: "Stock", content: "item,left\npen,30\n", fileType: "csv" });
    await due(alert.id);
    await eventually(async () => expect(await mailsTo("stock@example.com")).toHaveLength(2));
    const subjects = (await mailsTo("stock@example.com")).map(({ subject }) => subject);
    expect(subjects.sort()).toEqual(["Alert: Low stock", "Recovered: Alert: Low stock"]);
    expect(await details(alert.id)).toMatchObject({
      state: "ok",
      history: [{ happening: "recovered" }, { happening: "fired" }],
    });
  });

  it("[bi.create-alert.realtime] looks at every change of the dataset, gathered", async () => {
    const rows = [{ n: 1 }];
    const id = await makeDataset(server, token, "Live", rows);
    const { alert } = await create({
      datasetId: id,
      alertCondition: "n > 5",
      recipients: "live@example.com",
      realtime: true,
    });
    await bi("knowi_push_data", { datasetName: "Live", rows: [{ n: 7 }] });
    await bi("knowi_push_data", { datasetName: "Live", rows: [{ n: 8 }] });
    await eventually(async () =>
      expect(await details(alert.id)).toMatchObject({ state: "firing", matched_rows: 2 }),
    );
    await eventually(async () => expect((await mailsTo("live@example.com")).length).toBeGreaterThan(0));
  });

  it("[bi.create-alert.data-not-updated] tells of a dataset that stays as it is", async () => {
    const id = await makeDataset(server, token, "Sleepy", [{ n: 1 }]);
    const { alert } = await create({
      datasetId: id,
      alertType: "data_not_updated",
      frequencyType: "hours",
      recipients: "s@example.com",
    });
    expect(alert).toMatchObject({ type: "data_not_updated", c9ql: null });
    await due(alert.id);
    await eventually(async () =>
      expect(await details(alert.id)).toMatchObject({ state: "ok", checked_at: expect.any(String) }),
    );
    await database.query("UPDATE datasets SET refreshed_at = now() - interval '2 hours' WHERE id = $1", [id]);
    await due(alert.id);
    await eventually(async () => expect(await details(alert.id)).toMatchObject({ state: "firing" }));
  });

  it("holds to row policies in what it finds and sends, and stops when its owner is gone", async () => {
    const admin = await server.token();
    const id = await makeDataset(server, admin, "Regions", [
      { region: "north", n: 1 },
      { region: "south", n: 2 },
    ]);
    const policies = [
      { name: "north", roles: ["contributor"], rows: [{ field: "region", operator: "=", value: "north" }] },
    ];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });
    const email = "leaving@example.com";
    await server.app.identity.users.create({
      email,
      workspace: "acme",
      role: "contributor",
      password: "correct horse battery",
    });
    const leaving = await server.token({ email });
    const { alert, matches_now } = await create(
      { datasetId: id, alertCondition: "n > 0", recipients: "north@example.com" },
      leaving,
    );
    expect(matches_now).toBe(1);
    await due(alert.id);
    await eventually(async () => expect(await mailsTo("north@example.com")).toHaveLength(1));
    const [mail] = await mailsTo("north@example.com");
    expect(mail?.text).toContain("north");
    expect(mail?.text).not.toContain("south");
    await database.query("DELETE FROM accounts WHERE email = $1 RETURNING id", [email]);
    await due(alert.id);
    await eventually(async () => expect(await details(alert.id, admin)).toMatchObject({ state: "error" }));
    expect(await details(alert.id, admin)).toMatchObject({ last_error: expect.stringContaining("owner") });
  });
});
