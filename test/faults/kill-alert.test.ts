import type { ChildProcess } from "node:child_process";
import type { AddressInfo } from "node:net";
import pg from "pg";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CommandLine } from "../support/command-line.ts";
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

beforeAll(async () => {
  kenning = await CommandLine.open();
  database = await createTestDatabase();
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as AddressInfo;
  env = { DATABASE_URL: database.url, KENNING_SMTP_URL: `smtp://127.0.0.1:${port}` };
  const who = ["--workspace", "acme"];
  await kenning.run(["workspace", "create", "acme"], { env });
  await kenning.run(["user", "create", "a@example.com", ...who, "--role", "admin"], { env });
  const made = await kenning.run(["token", "create", "--user", "a@example.com", ...who, "--kind", "api"], {
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
  await database.drop();
  kenning.remove();
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
  await catalog.query("UPDATE schedules SET next_at = now() WHERE subject = $1", [id]);
  await catalog.query("SELECT pg_notify('kenning_schedules', '')");
}

/** As if half a minute had gone by, after which jobs of a dead process are given to another. */
async function pass(): Promise<void> {
  await catalog.query(
    "UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'",
  );
  await catalog.query("UPDATE pgboss.queue SET monitor_claim_on = NULL, monitor_on = NULL");
}

describe("an alert whose server is killed", () => {
  it("while it sends is sent again with the same id; while it is taken, exactly once", async () => {
    await serve();
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
    server.child.kill("SIGTERM");
    await server.stopped;
  }, 400_000);
});
