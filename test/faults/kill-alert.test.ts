import type { ChildProcess } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CommandLine, freePort } from "../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

/** A notice survives kill -9: it comes once, or again with the same id where the kill hid that it was sent. */

let kenning: CommandLine;
let database: TestDatabase;
let catalog: pg.Client;
let env: Record<string, string>;
let token: string;
let server: Awaited<ReturnType<CommandLine["serve"]>>;
const children: ChildProcess[] = [];
const mails: { subject: string; id: string }[] = [];
let killOnMail = false;

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, _session, callback) {
    let raw = "";
    stream.on("data", (chunk) => (raw += chunk));
    stream.on("end", async () => {
      const { subject = "", messageId = "" } = await PostalMime.parse(raw);
      mails.push({ subject, id: messageId });
      // It has the mail, and the sender never learns of it.
      if (killOnMail) server.child.kill("SIGKILL");
      callback();
    });
  },
});

async function serve(): Promise<void> {
  server = await kenning.serve(env);
  children.push(server.child);
}

/** The one that runs, or a new one. */
async function up(): Promise<void> {
  if (server === undefined || server.child.exitCode !== null || server.child.signalCode !== null)
    await serve();
}

beforeAll(async () => {
  kenning = await CommandLine.open();
  database = await createTestDatabase();
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as AddressInfo;
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  env = {
    DATABASE_URL: database.url,
    KENNING_SMTP_URL: `smtp://127.0.0.1:${port}`,
    KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1",
  };
  const who = ["--workspace", "acme"];
  await kenning.call(["workspace", "create", "acme"], { env });
  await kenning.call(["user", "create", "a@example.com", ...who, "--role", "admin"], { env });
  const made = await kenning.call(["token", "create", "--user", "a@example.com", ...who, "--kind", "api"], {
    env,
  });
  token = made.out.trim();
  catalog = new pg.Client(database.url);
  await catalog.connect();
}, 300_000);
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await catalog.end();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  receiver.close();
  await database.drop();
  kenning.remove();
});

/** What a receiver of webhooks has got, by id. */
const hooks = new Map<string, number>();
const receiver = createServer((request, response) => {
  const id = String(request.headers["webhook-id"]);
  hooks.set(id, (hooks.get(id) ?? 0) + 1);
  // One that never answers: its delivery is at work for as long as it may be.
  if (request.url === "/hangs") return;
  request.resume().on("end", () => response.end());
});

async function call<T>(name: string, args: object): Promise<T> {
  const response = await fetch(`${kenning.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { result: { isError: boolean; structuredContent: T } };
  expect(result).toMatchObject({ isError: false });
  return result.structuredContent;
}

async function makeAlert(name: string): Promise<number> {
  const rows = [{ n: 1 }];
  const { dataset_id } = await call<{ dataset_id: number }>("push_data", { dataset_name: name, rows });
  const wish = { dataset_id, name, condition: "n > 0", recipients: "a@example.com" };
  return (await call<{ alert: { id: number } }>("create_alert", wish)).alert.id;
}

async function due(id: number): Promise<void> {
  await catalog.query("UPDATE schedules SET next_at = now() WHERE kind = 'alert' AND subject = $1", [id]);
  await catalog.query("SELECT pg_notify('kenning_schedules', '')");
}

/** As if half a minute had gone by, after which jobs of a dead process are given to another, and without back-off. */
async function pass(): Promise<void> {
  await catalog.query(
    `UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute', retry_delay = 0, retry_backoff = false
     WHERE state = 'active'`,
  );
  await catalog.query("UPDATE pgboss.queue SET monitor_claim_on = NULL, monitor_on = NULL");
}

describe("an alert whose server is killed", () => {
  it("while it sends is sent again with the same id; while it is taken, exactly once", async () => {
    await up();
    const sending = await makeAlert("Sending");
    killOnMail = true;
    await due(sending);
    await server.stopped;
    killOnMail = false;
    expect(mails.map(({ subject }) => subject)).toEqual(["Alert: Sending"]);
    await pass();

    await serve();
    await vi.waitFor(() => expect(mails).toHaveLength(2), { timeout: 120_000, interval: 100 });
    expect(new Set(mails.map(({ id }) => id)).size).toBe(1);

    const taken = await makeAlert("Taken");
    mails.length = 0;
    await due(taken);
    const isTaken =
      "SELECT FROM schedule_runs JOIN schedules ON schedules.id = schedule_id WHERE subject = $1";
    await vi.waitFor(async () => expect((await catalog.query(isTaken, [taken])).rowCount).toBe(1), {
      timeout: 60_000,
      interval: 5,
    });
    server.child.kill("SIGKILL");
    await server.stopped;
    await pass();
    await serve();
    await vi.waitFor(() => expect(mails.length).toBeGreaterThan(0), { timeout: 120_000, interval: 100 });
    const { details } = await call<{ details: object }>("get_details", {
      asset_type: "alert",
      asset_id: taken,
    });
    expect(details).toMatchObject({ state: "firing", history: [{ happening: "fired" }] });
    expect(new Set(mails.map(({ id }) => id)).size).toBe(1);
  }, 400_000);
});

/** As many kills as there is time for, each at another moment between due and done. */
const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 10 : 1;

describe("a report whose server is killed", () => {
  it(`is made and sent all the same, once for each recipient, in ${ROUNDS} rounds`, async () => {
    await up();
    const { dataset_id } = await call<{ dataset_id: number }>("push_data", {
      dataset_name: "Sold",
      rows: [{ region: "north", n: 1 }],
    });
    const widgets = [{ name: "Sold", dataset_id, x_axis: "region", y_axis: ["n"] }];
    const { dashboard_id } = await call<{ dashboard_id: number }>("create_dashboard", {
      name: "Sold",
      widgets,
    });
    const { port } = receiver.address() as AddressInfo;
    let resent = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { report } = await call<{ report: { id: number } }>("create_report", {
        dashboard_id,
        name: `Round ${round}`,
        recipients: "a@example.com, b@example.com",
        channels: [`http://127.0.0.1:${port}/${round}`],
      });
      mails.length = 0;
      hooks.clear();
      await catalog.query("UPDATE schedules SET next_at = now() WHERE kind = 'report' AND subject = $1", [
        report.id,
      ]);
      await catalog.query("SELECT pg_notify('kenning_schedules', '')");
      const isTaken = "SELECT FROM report_runs WHERE report_id = $1";
      await vi.waitFor(async () => expect((await catalog.query(isTaken, [report.id])).rowCount).toBe(1), {
        timeout: 60_000,
        interval: 5,
      });
      await sleep(round * 150);
      server.child.kill("SIGKILL");
      await server.stopped;
      await pass();
      await serve();
      const settled = `SELECT FROM deliveries WHERE run_key LIKE 'report:${report.id}:%' AND state = 'sent'`;
      await vi.waitFor(async () => expect((await catalog.query(settled)).rowCount).toBe(3), {
        timeout: 120_000,
        interval: 100,
      });
      expect(
        (await catalog.query("SELECT FROM report_runs WHERE report_id = $1", [report.id])).rowCount,
      ).toBe(1);
      // Two mails and one call by their ids; a second one of the same id where the kill hid that it had gone out.
      expect(new Set(mails.map(({ id }) => id)).size).toBe(2);
      expect(hooks.size).toBe(1);
      resent += mails.length - 2 + [...hooks.values()].reduce((sum, count) => sum + count - 1, 0);
    }
    console.log(`kills of reports: ${ROUNDS} rounds, ${resent} sent again with the same id`);
  }, 900_000);
});

describe("a report and a delivery whose server is killed in every try", () => {
  /** Tries of a report: the first, and as many more as it has. */
  const TRIES = 3;

  it("are given up, and are shown as failed", async () => {
    await up();
    const { dashboard_id } = await call<{ dashboard_id: number }>("create_dashboard", { name: "Deadly" });
    const { port } = receiver.address() as AddressInfo;
    const wish = { dashboard_id, name: "Deadly", recipients: "a@example.com" };
    const { report } = await call<{ report: { id: number } }>("create_report", wish);
    const { dataset_id } = await call<{ dataset_id: number }>("push_data", {
      dataset_name: "Hanging",
      rows: [{ n: 1 }],
    });
    const { alert } = await call<{ alert: { id: number } }>("create_alert", {
      dataset_id,
      name: "Hanging",
      condition: "n > 0",
      channels: [`http://127.0.0.1:${port}/hangs`],
    });
    const atWork = (name: string, retryCount: number) =>
      vi.waitFor(
        async () => {
          const found = await catalog.query(
            "SELECT FROM pgboss.job WHERE name = $1 AND state = 'active' AND retry_count = $2",
            [name, retryCount],
          );
          expect(found.rowCount).toBe(1);
        },
        { timeout: 120_000, interval: 20 },
      );
    // What is to end the run never does, so that each try is still at work when the server dies.
    await catalog.query(`
      CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(3600); RETURN NEW; END';
      CREATE TRIGGER hang BEFORE UPDATE ON report_runs FOR EACH ROW EXECUTE FUNCTION hang()`);
    await due(alert.id);
    await catalog.query("UPDATE schedules SET next_at = now() WHERE kind = 'report' AND subject = $1", [
      report.id,
    ]);
    await catalog.query("SELECT pg_notify('kenning_schedules', '')");
    for (let tries = 0; tries < TRIES; tries += 1) {
      await Promise.all([atWork("report.run", tries), atWork("delivery.post", tries)]);
      await catalog.query("UPDATE pgboss.job SET retry_limit = $1 WHERE name = 'delivery.post'", [TRIES - 1]);
      server.child.kill("SIGKILL");
      await server.stopped;
      await catalog.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
      if (tries === TRIES - 1) await catalog.query("DROP TRIGGER hang ON report_runs");
      await pass();
      await serve();
    }
    await vi.waitFor(
      async () => {
        const { rows } = await catalog.query(
          "SELECT state FROM report_runs WHERE report_id = $1 UNION ALL SELECT state FROM deliveries WHERE target LIKE '%/hangs'",
          [report.id],
        );
        expect(rows).toEqual([{ state: "failed" }, { state: "dead" }]);
      },
      { timeout: 120_000, interval: 100 },
    );
    const says = "The server stopped in the middle of it.";
    const asked = { asset_type: "report", asset_id: report.id };
    const { details } = await call<{ details: { history: object[] } }>("get_details", asked);
    expect(details.history).toMatchObject([{ state: "failed", error: says }]);
    expect(await call("list_deliveries", { alert_id: alert.id })).toMatchObject({
      deliveries: [{ state: "dead", error: says }],
    });
    // Nobody tries either of them again; what tells their owner of it is other mail.
    const left = await catalog.query(
      "SELECT FROM pgboss.job WHERE name = 'report.run' AND state < 'completed'",
    );
    expect(left.rowCount).toBe(0);
  }, 400_000);
});

describe("two servers on one database", () => {
  it("send a report and an alert once", async () => {
    const other = await freePort();
    await up();
    const second = await kenning.serve({ ...env, PORT: String(other) });
    children.push(second.child);
    const alert = await makeAlert("Shared");
    const { dashboard_id } = await call<{ dashboard_id: number }>("create_dashboard", { name: "Shared" });
    const wish = { dashboard_id, recipients: "a@example.com" };
    const { report } = await call<{ report: { id: number } }>("create_report", wish);
    mails.length = 0;
    const both = "(kind = 'alert' AND subject = $1) OR (kind = 'report' AND subject = $2)";
    await catalog.query(`UPDATE schedules SET next_at = now() WHERE ${both}`, [alert, report.id]);
    await catalog.query("SELECT pg_notify('kenning_schedules', '')");
    await vi.waitFor(() => expect(mails.length).toBeGreaterThanOrEqual(2), {
      timeout: 120_000,
      interval: 100,
    });
    // Whatever a second server would send as well comes within this time.
    await sleep(3_000);
    expect(mails.map(({ subject }) => subject).sort()).toEqual(["Alert: Shared", "Report: Shared"]);
    for (const { child } of [server, second]) child.kill("SIGTERM");
    await Promise.all([server.stopped, second.stopped]);
  }, 400_000);
});
