import pg from "pg";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Boards, type MadeDashboard, startBoards } from "../../../../test/support/boards.ts";
import { type ChatStandIn, startChatStandIn } from "../../../../test/support/chat-stand-in.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const TOKEN = "xoxb-1234567890-abcdef";
const BI = "/api/2.0/mcp";
let chat: ChatStandIn;
let boards: Boards;
let board: MadeDashboard;

beforeAll(async () => {
  chat = await startChatStandIn(TOKEN);
  boards = await startBoards({
    env: { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1", KENNING_SLACK_API_URL: `${chat.url}/api` },
  });
  board = await boards.make({ name: "Sales" });
});
afterAll(async () => {
  await boards.stop();
  await chat.stop();
});
beforeEach(() => {
  chat.calls.length = 0;
  chat.answers.clear();
});

interface Set {
  channel: { id: number; name: string };
  signing_secret?: string;
}
interface Sent {
  report: { id: number; channels: string[] };
  report_run: {
    deliveries: {
      delivery_id: number;
      channel: string;
      target: string;
      state: string;
      error: string;
      note: string;
    }[];
  };
}

const set = (wish: object) => boards.call<Set>("set_channel", wish, boards.admin);
const send = (wish: object) =>
  resultOf<Sent>(
    boards.server,
    boards.editor,
    "knowi_create_report",
    { dashboardId: board.dashboard_id, sendNow: true, ...wish },
    BI,
  );
const bodyOf = (path: string) =>
  JSON.parse(chat.calls.findLast((call) => call.path === path)?.body.toString() ?? "null");

describe("set_channel", () => {
  it("is for admins, and seals what is secret", async () => {
    const { server, editor } = boards;
    const wish = { name: "Bot", kind: "slack_bot", secret: TOKEN, room: "#general" };
    expect(await refusalsOf(server, editor, "set_channel", wish)).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("admin is missing"),
    });
    expect(JSON.stringify(await set(wish))).not.toContain(TOKEN);
    const database = new pg.Client(server.databaseUrl);
    await database.connect();
    const { rows } = await database.query("SELECT * FROM channels");
    const { rows: events } = await database.query("SELECT to_jsonb(e) AS e FROM audit_events e");
    await database.end();
    expect(JSON.stringify(rows)).not.toContain(TOKEN);
    expect(JSON.stringify(events)).not.toContain(TOKEN);
  });

  it.each([
    [{ name: "#general", kind: "teams", secret: "https://example.com" }, /no # before it/],
    [{ name: "", kind: "teams", secret: "https://example.com" }, /1 to 80 characters/],
    [{ name: "New", kind: "slack_bot", secret: "password" }, /begins with xoxb-/],
    [{ name: "New", kind: "slack_bot" }, /needs a secret/],
    [{ name: "New", kind: "slack_bot", secret: TOKEN, room: "a\nb" }, /no channel of Slack/],
    [{ name: "New", kind: "teams", secret: "file:///etc/passwd" }, /URL with https/],
    [{ name: "New", kind: "webhook" }, /URL with https/],
    [{ name: "New", kind: "webhook", url: "http://169.254.169.254/latest" }, /not lead to a public address/],
    [{ name: "New", kind: "webhook", url: "http://[::1]/hook" }, /not lead to a public address/],
    [{ name: "New", kind: "webhook", url: "https://example.com:25/" }, /Port 25/],
    [{ name: "New", kind: "teams", secret: "https://10.1.2.3/flow" }, /not lead to a public address/],
    [{ name: "bot", kind: "teams", secret: "https://example.com" }, /another kind/],
  ])("refuses %j", async (wish, message) => {
    await expect(set(wish)).rejects.toThrow(message);
  });
});

it("an alert or report takes no webhook that could not be reached", async () => {
  const wish = { channels: ["http://169.254.169.254/latest"], recipients: ["ann@example.com"] };
  const report = boards.call("create_report", { dashboard_id: board.dashboard_id, ...wish });
  await expect(report).rejects.toThrow(/not lead to a public address/);
  const alert = { dataset_id: boards.datasetId, name: "Watch", condition: "units > 5", ...wish };
  await expect(boards.call("create_alert", alert)).rejects.toThrow(/not lead to a public address/);
});

describe("a Slack bot", () => {
  it("[bi.create-report.slack] uploads the files of a report to the channel that is named", async () => {
    const { report, report_run } = await send({ slackName: "#sales" });
    expect(report.channels).toEqual(["#sales"]);
    expect(report_run.deliveries).toMatchObject([{ channel: "slack", target: "#sales", state: "sent" }]);
    expect(chat.calls.map(({ path }) => path.replace(/F\d+$/, "F"))).toEqual([
      "/api/conversations.list",
      "/api/conversations.list",
      "/api/files.getUploadURLExternal",
      "/upload/F",
      "/api/files.completeUploadExternal",
    ]);
    expect(chat.calls[3]?.body.subarray(0, 5).toString()).toBe("%PDF-");
    expect(bodyOf("/api/files.completeUploadExternal")).toMatchObject({
      channel_id: "C0000000002",
      files: [{ title: "Sales.pdf" }],
      initial_comment: expect.stringContaining("*Report: Sales*"),
    });
  });

  it("says what is to be done when Slack does not take it, and can be tried again", async () => {
    chat.answers.set("files.completeUploadExternal", { json: { ok: false, error: "not_in_channel" } });
    const { report_run } = await send({ slackName: "Bot" });
    const [dead] = report_run.deliveries;
    expect(dead).toMatchObject({ state: "dead", error: expect.stringContaining("/invite") });
    chat.answers.set("files.completeUploadExternal", {
      status: 429,
      headers: { "retry-after": "30" },
      json: {},
    });
    const later = await send({ slackName: "Bot" });
    expect(later.report_run.deliveries).toMatchObject([
      { state: "waiting", error: expect.stringContaining("429") },
    ]);
    const unknown = await send({ slackName: "#nowhere" });
    expect(unknown.report_run.deliveries).toMatchObject([
      { state: "dead", error: expect.stringContaining("#nowhere") },
    ]);
  });

  it("tells of an alert, without letting its values pass for Slack's own signs", async () => {
    const alert = { dataset_id: boards.datasetId, name: "<!channel> & more", condition: "units > 100000" };
    const made = await boards.call<{ alert: { id: number; channels: string[] } }>("create_alert", {
      ...alert,
      condition: "units > 5",
      channels: ["bot"],
    });
    expect(made.alert.channels).toEqual(["bot"]);
    await boards.call("test_alert", { alert_id: made.alert.id });
    const text = bodyOf("/api/files.completeUploadExternal").initial_comment as string;
    expect(text).toContain("&lt;!channel&gt; &amp; more");
  });
});

describe("other channels", () => {
  it("take what they can: a webhook of Slack text, Teams a card", async () => {
    await set({ name: "sales-team", kind: "slack_webhook", secret: `${chat.url}/hooks/slack` });
    const { channel } = await set({ name: "Management", kind: "teams", secret: `${chat.url}/teams/flow` });
    const { report, report_run } = await send({
      slackName: "sales-team",
      teamsActionIds: [channel.id],
      emailBody: "a [link](https://example.com)\n\nsecond",
    });
    expect(report.channels).toEqual(["sales-team", "Management"]);
    expect(report_run.deliveries).toMatchObject([
      { channel: "slack", state: "sent" },
      { channel: "teams", target: "Management", state: "sent", note: "accepted by the workflow" },
    ]);
    expect(bodyOf("/hooks/slack").text).toContain("Sales.pdf");
    const card = bodyOf("/teams/flow");
    expect(card).toMatchObject({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            actions: [{ type: "Action.OpenUrl", url: expect.stringContaining(`/d/${board.dashboard_id}`) }],
          },
        },
      ],
    });
    expect(JSON.stringify(card)).toContain("a \\\\[link\\\\](https://example.com)");
    await send({ teamsActionIds: [channel.id], emailBody: "ü".repeat(9_999) });
    expect(JSON.stringify(bodyOf("/teams/flow")).length).toBeLessThan(24 * 1024);
  });

  it("[bi.create-report.teams] are refused where there is none of that name or id", async () => {
    await expect(send({ slackName: "nobody" })).rejects.toThrow(/no channel called "nobody".*Bot/);
    await expect(send({ teamsActionIds: [999_999] })).rejects.toThrow(/no channel/);
  });

  it("that are removed become dead letters which say so", async () => {
    await set({ name: "short-lived", kind: "slack_webhook", secret: `${chat.url}/hooks/short` });
    const { report } = await send({ slackName: "short-lived", reportName: "Short" });
    await boards.call("remove_channel", { name: "short-lived" }, boards.admin);
    const again = await boards.call<Sent>("run", { report_id: report.id });
    await boards.call<Sent>("run", { report_id: report.id });
    expect(again.report_run.deliveries).toMatchObject([
      { state: "dead", error: expect.stringContaining("short-lived") },
    ]);
    // The owner is told once, however often it goes wrong.
    const listed = await boards.call<{ deliveries: { subject: string; target: string }[] }>(
      "list_deliveries",
      {
        limit: 200,
      },
    );
    const told = listed.deliveries.filter(({ subject }) => subject === "Trouble with Short");
    expect(told.map(({ target }) => target)).toEqual(["contributor-2@example.com"]);
  });
});

describe("the secret of a webhook", () => {
  it("signs what is sent, can be changed with both good for a while, and 410 switches the channel off", async () => {
    const wish = { name: "Hook", kind: "webhook", url: `${chat.url}/hooks/ours` };
    const first = await set(wish);
    const verify = (secret = "") => {
      const { body, headers } = chat.calls.findLast(({ path }) => path === "/hooks/ours")!;
      return new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
    };
    const send = (more = {}) =>
      boards.call<Sent>("create_report", {
        dashboard_id: board.dashboard_id,
        channels: ["Hook"],
        send_now: true,
        ...more,
      });
    await send();
    expect(verify(first.signing_secret)).toMatchObject({
      type: "report.sent",
      data: { attachments: [{ name: "Sales.pdf", base64: expect.any(String) }] },
    });
    const second = await set({ ...wish, rotate: true });
    expect(second.signing_secret).not.toBe(first.signing_secret);
    expect(await set(wish)).not.toHaveProperty("signing_secret");
    await send();
    verify(first.signing_secret);
    verify(second.signing_secret);
    chat.answers.set("/hooks/ours", { status: 410, json: {} });
    expect((await send()).report_run.deliveries).toMatchObject([{ state: "dead" }]);
    const { channels } = await boards.call<{ channels: object[] }>("list_channels", {});
    expect(channels).toContainEqual(
      expect.objectContaining({ name: "Hook", disabled: expect.stringContaining("410") }),
    );
    chat.answers.clear();
    expect((await send()).report_run.deliveries).toMatchObject([
      { state: "dead", error: expect.stringContaining("switched off") },
    ]);
    expect(await set(wish)).toEqual({ channel: expect.objectContaining({ disabled: null }) });
    expect((await send()).report_run.deliveries).toMatchObject([{ state: "sent" }]);
    verify(second.signing_secret);
  });
});
