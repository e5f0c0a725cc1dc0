import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { ALLOW_LOOPBACK, makeDatasource, type RunAnswer } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { type PostgresSource, startPostgresSource } from "../../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let source: PostgresSource;
let token: string;
let reader: string;
let datasetId: number;
let database: pg.Client;

beforeAll(async () => {
  [server, source] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startPostgresSource()]);
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
  await source.stop();
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

  it("takes German, and says how often it would have fired in the past", async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const rows = [3, 3, 10, 50, 120].map((ago, i) => ({ at: day(ago), umsatz: 100 + i }));
    const id = await makeDataset(server, token, "Tage", rows);
    const made = await create({ datasetId: id, alertCondition: "wenn der Umsatz über 100 steigt" });
    expect(made).toMatchObject({
      matches_now: 4,
      past_firings: 0,
      alert: { c9ql: "select * where `umsatz` > 100" },
    });
    expect(made.message).toContain("In the last 90 days it would have told 3 times that other rows match.");
    const daily = await create({ datasetId: id, alertCondition: "Anzahl der Zeilen pro Tag ist über 1" });
    expect(daily).toMatchObject({ matches_now: 1, past_firings: 1 });
    // Each day looks at the one before: it fires and recovers three times.
    const yesterday =
      "select count(*) as n where at >= $c9_yesterday and at < $c9_today; select * where n > 0";
    const firing = await create({ datasetId: id, alertCondition: yesterday });
    expect(firing).toMatchObject({ matches_now: 0, past_firings: 3 });
    expect(firing.message).toContain("In the last 90 days it would have fired 3 times.");
    expect(await create({ alertCondition: "sum(amount) > 3" })).toMatchObject({ past_firings: null });
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

    const before = (await details(alert.id)).checked_at;
    await due(alert.id);
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

  it("[bi.create-alert.query-error] tells when the query of a dataset fails, and when it runs again", async () => {
    await source.query("CREATE TABLE feed AS SELECT 1 AS n");
    const datasourceId = await makeDatasource(server, token, "Feed", source);
    const made = await bi<RunAnswer>("knowi_create_query", {
      name: "Feed",
      datasourceId,
      queryString: "SELECT * FROM feed",
    });
    const { alert } = await create({
      datasetId: made.dataset_id,
      alertType: "query_error",
      alertName: "Feed is down",
      recipients: "feed@example.com",
    });
    const run = () => bi("knowi_run", { queryId: made.query_id }).catch(() => undefined);
    await source.query("ALTER TABLE feed RENAME TO gone");
    await run();
    await eventually(async () => expect(await details(alert.id)).toMatchObject({ state: "firing" }));
    await eventually(async () => expect(await mailsTo("feed@example.com")).toHaveLength(1));
    const [mail] = await mailsTo("feed@example.com");
    expect(mail).toMatchObject({
      subject: "Alert: Feed is down",
      text: expect.stringMatching(/The query Feed failed: .*feed/),
    });
    await source.query("ALTER TABLE gone RENAME TO feed");
    await run();
    await eventually(async () => expect(await mailsTo("feed@example.com")).toHaveLength(2));
    expect(await details(alert.id)).toMatchObject({
      state: "ok",
      history: [{ happening: "recovered" }, { happening: "fired" }],
    });
  });

  it("tells only of rows that are new by its key", async () => {
    const dataset_id = await makeDataset(server, token, "Doors", [{ door: "a", opened: 3, at: "08:00" }]);
    const { alert } = await resultOf<Saved>(server, token, "create_alert", {
      dataset_id,
      name: "Open doors",
      condition: "opened > 2",
      key: ["door"],
      recipients: "doors@example.com",
    });
    const check = async (rows: object[], mails: number, summary: object) => {
      await resultOf(server, token, "import_file", {
        dataset_name: "Doors",
        content: JSON.stringify(rows),
        file_type: "json",
      });
      const before = (await details(alert.id)).checked_at;
      await due(alert.id);
      await eventually(async () => expect((await details(alert.id)).checked_at).not.toBe(before));
      await eventually(async () => expect(await mailsTo("doors@example.com")).toHaveLength(mails));
      expect((await details(alert.id)).history[0]).toMatchObject(summary);
    };
    const [a, b] = [
      { door: "a", opened: 3, at: "08:00" },
      { door: "b", opened: 9, at: "09:00" },
    ];
    await check([a], 1, { happening: "fired", rows: 1 });
    // The same door at another time is no news.
    await check([{ ...a, opened: 5, at: "10:00" }], 1, { happening: "fired" });
    await check([a, b], 2, { happening: "changed", rows: 2 });
    const told = (await mailsTo("doors@example.com")).find(({ subject }) => subject?.startsWith("Changed"));
    expect(told?.text).toContain("1 new of 2.");
    const csv = Buffer.from(told?.attachments[0]?.content as ArrayBuffer).toString();
    expect(csv).toBe("door,opened,at\r\nb,9,09:00\r\n");
    await check([{ ...a, opened: 0 }], 3, { happening: "recovered" });
    await expect(
      resultOf(server, token, "create_alert", {
        dataset_id,
        name: "K",
        condition: "opened > 2",
        key: ["window"],
      }),
    ).rejects.toThrow(/no column window.*door, opened, at/s);
  });

  it.each([
    ["fire", "firing", 1],
    ["ok", "ok", 0],
    ["keep", "ok", 0],
  ])("takes no data as no_data says: %s", async (no_data, state, mails) => {
    const name = `Empty ${no_data}`;
    const dataset_id = await makeDataset(server, token, name, [{ n: 1 }]);
    const recipients = `${no_data}@example.com`;
    const wish = { dataset_id, name, condition: "n > 5", no_data, recipients };
    const { alert } = await resultOf<Saved>(server, token, "create_alert", wish);
    const empty = {
      dataset_name: name,
      content: "n\n",
      file_type: "csv",
      options: { header: true, allow_empty: true },
    };
    await resultOf(server, token, "import_file", empty);
    await due(alert.id);
    await eventually(async () =>
      expect(await details(alert.id)).toMatchObject({ state, checked_at: expect.any(String) }),
    );
    await eventually(async () => expect(await mailsTo(recipients)).toHaveLength(mails));
  });

  it("looks at many conditions on one dataset together, and a broken one only breaks itself", async () => {
    const id = await makeDataset(server, token, "Crowd", [{ n: 1 }, { n: 70 }]);
    const { alert } = await create({
      datasetId: id,
      alertCondition: "n > 69",
      recipients: "crowd@example.com",
    });
    await database.query(
      `INSERT INTO alerts (workspace_id, dataset_id, name, type, c9ql, sentence, recipients, webhooks, frequency, start_time, zone, realtime, owner_id, created_at, state_since)
       SELECT workspace_id, dataset_id, name, type, CASE n WHEN 71 THEN 'select * where nothing = 1' ELSE 'select * where n > ' || n END, sentence, '[]', '[]', frequency, start_time, zone, realtime, owner_id, created_at, state_since
       FROM alerts, generate_series(60, 180) AS n WHERE id = $1`,
      [alert.id],
    );
    await database.query(
      `INSERT INTO schedules (kind, subject, unit, every, "time", zone, anchor, next_at, zone_rules)
       SELECT 'alert', a.id, s.unit, s.every, s."time", s.zone, s.anchor, s.next_at, s.zone_rules
       FROM alerts a, schedules s WHERE s.kind = 'alert' AND s.subject = $1 AND a.dataset_id = $2 AND a.id <> $1`,
      [alert.id, id],
    );
    await database.query(
      "UPDATE schedules SET next_at = now() WHERE subject IN (SELECT id FROM alerts WHERE dataset_id = $1) AND kind = 'alert'",
      [id],
    );
    await database.query("SELECT pg_notify('kenning_schedules', '')");
    const states = async () =>
      (
        await database.query(
          "SELECT state, failures, count(*)::int AS n FROM alerts WHERE dataset_id = $1 AND checked_at IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2",
          [id],
        )
      ).rows;
    await eventually(async () =>
      expect(await states()).toEqual([
        { state: "firing", failures: 0, n: 11 },
        { state: "ok", failures: 0, n: 110 },
        { state: "ok", failures: 1, n: 1 },
      ]),
    );
    await eventually(async () => expect(await mailsTo("crowd@example.com")).toHaveLength(1));
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
