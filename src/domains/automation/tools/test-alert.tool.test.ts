import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { ALLOW_LOOPBACK } from "../../../../test/support/datasources.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let receiver: Server;
let url: string;
let status = 200;
const received: { headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  server = await startTestServer(ALLOW_LOOPBACK);
  token = await server.token({ role: "contributor" });
  receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ headers: { ...request.headers, "x-path": request.url ?? "" }, body });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  receiver.close();
  await server.stop();
});

interface Tested {
  matched: boolean;
  matched_rows: number | null;
  deliveries: { delivery_id: number; state: string; note: string | null }[];
  message: string;
}

async function make(condition: string, more: object = {}) {
  const dataset_id = await makeDataset(server, token, `Data ${condition}`, [{ n: 1 }, { n: 2 }]);
  const wish = { dataset_id, name: "Watch", condition, recipients: "a@example.com", ...more };
  return resultOf<{ alert: { id: number }; webhook_secrets: Record<string, string> }>(
    server,
    token,
    "create_alert",
    wish,
  );
}

describe("test_alert", () => {
  it("[bi.test-alert.sends] [bi.test-alert.unrecorded] sends what matches, marked, without a record", async () => {
    const { alert } = await make("n > 1");
    const tested = await resultOf<Tested>(server, token, "knowi_test_alert", { alertId: alert.id }, BI);
    expect(tested).toMatchObject({
      matched: true,
      matched_rows: 1,
      deliveries: [{ state: "sent", note: expect.stringMatching(/^outbox\/.*\.eml$/) }],
    });
    const { details } = await resultOf<{ details: object }>(server, token, "get_details", {
      asset_type: "alert",
      asset_id: alert.id,
    });
    expect(details).toMatchObject({ state: "ok", history: [], checked_at: null });
  });

  it("sends nothing when nothing matches, and nothing for those who may only read", async () => {
    const { alert } = await make("n > 100");
    const tested = await resultOf<Tested>(server, token, "test_alert", { alert_id: alert.id });
    expect(tested).toMatchObject({ matched: false, deliveries: [] });
    const reader = await server.token({ role: "viewer" });
    await expect(resultOf(server, reader, "test_alert", { alert_id: alert.id })).rejects.toThrow();
  });

  it("signs each webhook with a secret of its own, which is told once; an admin can change it", async () => {
    const own = `${url}/own`;
    const first = await make("n = 1", { recipients: "", channels: [own, `${own}/other`] });
    const secrets = Object.values(first.webhook_secrets);
    expect(new Set(secrets).size).toBe(2);
    const secret = first.webhook_secrets[own] as string;
    // Whoever names the same receiver could otherwise sign for everybody who does.
    const other = await server.token({ role: "contributor" });
    const admin = await server.token();
    for (const who of [other, token, admin]) {
      const again = await resultOf(server, who, "create_alert", {
        dataset_id: await makeDataset(server, token, "Again", [{ n: 1 }]),
        name: "Again",
        condition: "n = 1",
        channels: [own],
      });
      expect(again).not.toHaveProperty("webhook_secrets");
      expect(JSON.stringify(again)).not.toContain(secret);
    }
    const sent = async () => {
      await resultOf(server, token, "test_alert", { alert_id: first.alert.id });
      const { headers, body } = received.findLast(({ headers }) => headers["x-path"] === "/hook/own") as {
        headers: Record<string, string>;
        body: string;
      };
      return (by: string) => new Webhook(by).verify(body, headers);
    };
    expect((await sent())(secret)).toMatchObject({ type: "alert.fired" });
    const { signing_secret } = await resultOf<{ signing_secret: string }>(server, admin, "set_channel", {
      name: "Own",
      kind: "webhook",
      url: own,
    });
    const verify = await sent();
    expect(signing_secret).not.toBe(secret);
    for (const good of [secret, signing_secret]) expect(verify(good)).toMatchObject({ type: "alert.fired" });
    expect(() => verify(first.webhook_secrets[`${own}/other`] as string)).toThrow();
    received.length = 0;
  });

  it("shows addresses of webhooks to their owner and to admins, and to others the server alone", async () => {
    const secret = `${url}/T0/s3cret`;
    const { alert } = await make("n < 9", { recipients: "", channels: [secret] });
    await resultOf(server, token, "test_alert", { alert_id: alert.id });
    const [admin, other, viewer] = [
      await server.token(),
      await server.token({ role: "contributor" }),
      await server.token({ role: "viewer" }),
    ];
    const seen = async (who: string) => {
      const asset = { asset_type: "alert", asset_id: alert.id };
      const answers = [
        await resultOf(server, who, "list_alerts", {}),
        await resultOf(server, who, "get_details", asset),
        await resultOf(server, who, "list_deliveries", {}),
        await resultOf(server, who, "list_channels", {}),
      ];
      return JSON.stringify(answers);
    };
    await resultOf(server, admin, "set_channel", { name: "Hook", kind: "webhook", url: `${url}/s3cret` });
    for (const who of [other, viewer]) {
      expect(await seen(who)).not.toContain("s3cret");
      expect(await seen(who)).toContain(`${new URL(url).origin}/…`);
    }
    expect(await seen(token)).toContain("T0/s3cret");
    expect(await seen(admin)).toContain("hook/s3cret");
    received.length = 0;
  });

  it("signs webhooks; a receiver that is gone is a dead letter, which can be sent again", async () => {
    const { alert, webhook_secrets } = await make("n = 2", { recipients: "", channels: [url] });
    await resultOf(server, token, "test_alert", { alert_id: alert.id });
    const [{ headers, body }] = received as [{ headers: Record<string, string>; body: string }];
    expect(new Webhook(webhook_secrets[url] as string).verify(body, headers)).toMatchObject({
      type: "alert.fired",
      data: { alert_id: alert.id, matched_rows: 1, is_test: true },
    });
    status = 410;
    const gone = await resultOf<Tested>(server, token, "test_alert", { alert_id: alert.id });
    expect(gone.deliveries).toMatchObject([{ state: "dead", error: expect.stringContaining("410") }]);
    const dead = await resultOf<{ total: number }>(server, token, "list_deliveries", { state: "dead" });
    expect(dead).toMatchObject({ total: 1, deliveries: [{ target: url, subject: "Test: Alert: Watch" }] });
    status = 200;
    const delivery_id = gone.deliveries[0]?.delivery_id;
    await resultOf(server, token, "retry_delivery", { delivery_id });
    await vi.waitFor(
      async () =>
        expect(await resultOf(server, token, "list_deliveries", { state: "dead" })).toMatchObject({
          total: 0,
        }),
      60_000,
    );
    await vi.waitFor(() => expect(received).toHaveLength(3), 60_000);
    expect(received[2]?.headers["webhook-id"]).toBe(received[1]?.headers["webhook-id"]);
  });
});
