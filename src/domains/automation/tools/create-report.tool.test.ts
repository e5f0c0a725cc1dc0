import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type MadeDashboard, startBoards } from "../../../../test/support/boards.ts";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const BI = "/api/2.0/mcp";
const { server, admin, editor, viewer, stranger, datasetId, call, make, stop } = await startBoards();
let database: pg.Client;
let board: MadeDashboard;

beforeAll(async () => {
  database = new pg.Client(server.databaseUrl);
  await database.connect();
  board = await make({ name: "Sales" });
});
afterAll(async () => {
  await database.end();
  await stop();
});

interface Saved {
  report: Record<string, unknown> & { id: number };
  report_run?: {
    run_id: number;
    state: string;
    error: string | null;
    files: { name: string }[];
    deliveries: object[];
  };
  message: string;
}

const bi = <T = Record<string, unknown>>(name: string, args: Record<string, unknown>, who = editor) =>
  resultOf<T>(server, who, name, args, BI);
const create = (args: Record<string, unknown>, who = editor) =>
  bi<Saved>("knowi_create_report", { recipients: "ann@example.com", ...args }, who);
const details = async (assetId: number, who = editor) =>
  (await bi<{ details: Record<string, unknown> }>("knowi_get_details", { assetType: "report", assetId }, who))
    .details;

function pdfText(input: Buffer): string {
  return spawnSync("pdftotext", ["-layout", "-", "-"], { input }).stdout.toString();
}

async function mailsTo(address: string) {
  const folder = join(server.home, "outbox");
  const files = readdirSync(folder).filter((name) => name.endsWith(".eml"));
  const mails = await Promise.all(files.map((name) => PostalMime.parse(readFileSync(join(folder, name)))));
  return mails.filter(({ to }) => to?.[0]?.address === address);
}

describe("create_report", () => {
  it("[bi.create-report.dashboard] [bi.create-report.defaults] makes a report with the usual settings", async () => {
    const { report, report_run } = await create({ dashboardId: board.dashboard_id });
    expect(report_run).toBeUndefined();
    expect(report).toMatchObject({
      name: "Sales",
      dashboard_id: board.dashboard_id,
      recipients: ["ann@example.com"],
      frequency: "days",
      every: 1,
      start_time: "08:00",
      timezone: "UTC",
      day_of_week: "MONDAY",
      day_of_month: 1,
      format: "pdf",
      export_csv: false,
      include_recommendations: false,
      next_run_at: expect.stringMatching(/T08:00:00.000Z$/),
    });
    const weekly = await create({ dashboardId: board.dashboard_id, frequencyType: "weeks", frequency: 2 });
    expect(new Date(String(weekly.report.next_run_at)).getUTCDay()).toBe(1);
    const monthly = await create({ dashboardId: board.dashboard_id, frequencyType: "months" });
    expect(monthly.report.next_run_at).toMatch(/-01T08:00:00.000Z$/);
  });

  it("[bi.create-report.send-now] [bi.create-report.mail] [bi.get-details.report] sends a PDF at once and remembers to whom", async () => {
    const { report, report_run } = await create({
      dashboardId: board.dashboard_id,
      recipients: "now@example.com, then@example.com",
      subject: "Zahlen für Übermorgen",
      emailBody: "Here they are.\n<b>Bold</b>",
      reportName: "Numbers",
      sendNow: true,
    });
    expect(report_run).toMatchObject({
      state: "done",
      files: [{ name: "Sales.pdf", pages: 1 }],
      deliveries: [
        { target: "now@example.com", state: "sent" },
        { target: "then@example.com", state: "sent" },
      ],
    });
    const [mail] = await mailsTo("now@example.com");
    expect(mail).toMatchObject({
      subject: "Zahlen für Übermorgen",
      attachments: [{ filename: "Sales.pdf" }],
    });
    expect(mail?.text).toContain("Here they are.");
    expect(mail?.html).toContain("&lt;b&gt;");
    const content = Buffer.from(mail?.attachments[0]?.content as ArrayBuffer);
    expect(content.subarray(0, 5).toString()).toBe("%PDF-");
    expect(await details(report.id)).toMatchObject({
      name: "Numbers",
      history: [{ run_id: report_run?.run_id, state: "done", due_at: null, deliveries: [{}, {}] }],
    });
  });

  it("[bi.create-report.widgets] [bi.create-report.format] sends widgets as images with their rows", async () => {
    const widgetIds = board.widgets.map(({ widget_id }) => widget_id);
    const { report, report_run } = await create({
      widgetIds,
      recipients: "pictures@example.com",
      format: "image",
      exportCSV: true,
      sendNow: true,
    });
    expect(report).toMatchObject({ name: "Revenue by region and 1 more", format: "image", export_csv: true });
    const files = ["Revenue by region.png", "Units.png", "Revenue by region.csv", "Units.csv"];
    expect(report_run?.files.map(({ name }) => name)).toEqual(files);
    const [mail] = await mailsTo("pictures@example.com");
    expect(mail?.html).toContain('src="cid:picture-0"');
    const csv = mail?.attachments.find(({ filename }) => filename === "Revenue by region.csv");
    expect(Buffer.from(csv?.content as ArrayBuffer).toString()).toContain("South,250");
  });

  it("[bi.create-report.widgets] sends several widgets as one PDF, and without those that are gone", async () => {
    const made = await call<MadeDashboard>("create_dashboard", {
      name: "Short-lived",
      widgets: ["One", "Two", "Three"].map((name) => ({
        name,
        dataset_id: datasetId,
        x_axis: "region",
        y_axis: ["revenue"],
      })),
    });
    const [gone, ...others] = made.widgets.map(({ widget_id }) => widget_id);
    const widgetIds = [gone, ...others, board.widgets[1]?.widget_id];
    const { report, report_run } = await create({
      widgetIds,
      reportName: "All: in one",
      recipients: "one@example.com",
      sendNow: true,
    });
    expect(report_run).toMatchObject({ state: "done", files: [{ name: "All_ in one.pdf", pages: 1 }] });
    const [mail] = await mailsTo("one@example.com");
    const text = pdfText(Buffer.from(mail?.attachments[0]?.content as ArrayBuffer));
    expect(text).toMatch(/All: in one[\s\S]*One[\s\S]*Two[\s\S]*Three[\s\S]*Units/);
    await bi("knowi_delete", { assetType: "widget", assetId: gone, confirm: true });
    await bi("knowi_run", { reportId: report.id });
    const later = (await mailsTo("one@example.com")).find((each) => each.text?.includes("is gone"));
    expect(later?.text).toContain("1 widget of this report is gone.");
    expect(pdfText(Buffer.from(later?.attachments[0]?.content as ArrayBuffer))).not.toContain("One");
  });

  it("[bi.create-report.recommendations] tells what stands out, where that is wanted", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({
      day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
      visits: (i < 30 ? 100 : 200) + ((i * 7) % 5),
    }));
    const dataset_id = await makeDataset(server, editor, "Visits", rows);
    const widget = { name: "Visits", dataset_id, chart_type: "line", x_axis: "day", y_axis: ["visits"] };
    const { dashboard_id } = await make({ name: "Visits", widgets: [widget] });
    const wish = { dashboardId: dashboard_id, recipients: "told@example.com", sendNow: true };
    await create({ ...wish, includeRecommendations: true });
    const [mail] = await mailsTo("told@example.com");
    expect(mail?.text).toMatch(/What stands out:[\s\S]*Visits (?:rose|fell)[^\n]* on Jan 31, 2026/);
  });

  it("takes recipients as a list on /mcp, and as a text with commas alone by the contract", async () => {
    const wish = { dashboard_id: board.dashboard_id, recipients: ["a@example.com", "b@example.com"] };
    const { report } = await call<Saved>("create_report", wish);
    expect(report.recipients).toEqual(["a@example.com", "b@example.com"]);
    const changed = { report_id: report.id, recipients: ["A@example.com, a@example.com"] };
    expect((await call<Saved>("update_report", changed)).report.recipients).toHaveLength(1);
    await expect(call("update_report", { ...changed, recipients: ["a b"] })).rejects.toThrow(
      /no mail address/,
    );
    await expect(create({ dashboardId: board.dashboard_id, recipients: ["a@example.com"] })).rejects.toThrow(
      /recipients/,
    );
  });

  it("[bi.create-report.schedule] is sent once when it is due", async () => {
    const { report } = await create({ dashboardId: board.dashboard_id, recipients: "due@example.com" });
    await database.query("UPDATE schedules SET next_at = now() WHERE kind = 'report' AND subject = $1", [
      report.id,
    ]);
    await database.query("SELECT pg_notify('kenning_schedules', '')");
    // The mail is there before it is written down that it was sent.
    const history = [{ state: "done", due_at: expect.any(String), deliveries: [{ state: "sent" }] }];
    await vi.waitFor(async () => expect(await details(report.id)).toMatchObject({ history }), {
      timeout: 90_000,
      interval: 200,
    });
    expect(await mailsTo("due@example.com")).toHaveLength(1);
  });

  it("lets a recipient unsubscribe with one click; to look at the link changes nothing", async () => {
    const { report } = await create({
      dashboardId: board.dashboard_id,
      recipients: "leave@example.com, stay@example.com",
      sendNow: true,
    });
    const [mail] = await mailsTo("leave@example.com");
    const header = (name: string) => mail?.headers.find(({ key }) => key === name)?.value ?? "";
    expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const link = header("list-unsubscribe").replace(/^<|>$/g, "");
    expect(mail?.text).toContain(`Unsubscribe: ${link}`);
    expect(mail?.html).toContain(`<a href="${link}"`);
    expect(mail?.html).toMatch(/\/d\/\d+"[^>]*>Open the dashboard<\/a>/);
    const { pathname } = new URL(link);
    const page = await server.request(pathname);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("leave@example.com");
    const again = () => bi<Saved>("knowi_run", { reportId: report.id });
    expect((await again()).report_run?.deliveries).toHaveLength(2);
    const body = "List-Unsubscribe=One-Click";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await server.request(pathname, { method: "POST", body, headers })).status).toBe(200);
    expect((await again()).report_run?.deliveries).toMatchObject([{ target: "stay@example.com" }]);
    expect((await server.request(`${pathname.slice(0, -8)}AAAAAAAA`, { method: "POST" })).status).toBe(404);
  });

  it("[bi.create-report.one-required] [bi.create-report.channel-required] refuses what cannot be sent", async () => {
    const dashboardId = board.dashboard_id;
    await expect(create({})).rejects.toThrow(/One of dashboardId or widgetIds is required/);
    await expect(create({ dashboardId, widgetIds: [1] })).rejects.toThrow(/and only one/);
    await expect(create({ dashboardId, recipients: "" })).rejects.toThrow(/At least one delivery channel/);
    await expect(create({ dashboardId, recipients: "nobody" })).rejects.toThrow(/no mail address/);
    await expect(create({ dashboardId, subject: "Hi\nBcc: x@example.com" })).rejects.toThrow(/one line/);
    await expect(create({ dashboardId, exportCSV: true })).rejects.toThrow(/Only reports of widgets/);
    await expect(create({ dashboardId, dayOfMonth: 29 })).rejects.toThrow(/dayOfMonth/);
    await expect(create({ dashboardId, frequency: 0 })).rejects.toThrow(/frequency/);
    await expect(create({ dashboardId, timezone: "Mars/Olympus" })).rejects.toThrow(/IANA/);
    await expect(create({ dashboardId: 999_999 })).rejects.toThrow(/no dashboard/);
    await expect(create({ widgetIds: [999_999] })).rejects.toThrow(/no widget/);
  });

  it("[bi.create-report.access] is for those who may change things, of what they may see", async () => {
    const dashboardId = board.dashboard_id;
    expect((await callTool(server, undefined, "knowi_create_report", {}, BI)).status).toBe(401);
    await expect(create({ dashboardId }, viewer)).rejects.toThrow(/Access denied/);
    await expect(create({ dashboardId }, stranger)).rejects.toThrow(/no dashboard/);
    const hidden = await make({ name: "Hidden", access: { shared: "private" } });
    const { report } = await create({ dashboardId: hidden.dashboard_id, sendNow: true });
    await expect(details(report.id, viewer)).rejects.toThrow(/no report/);
    const sent = async (who: string) =>
      (await call<{ total: number }>("list_deliveries", { report_id: report.id }, who)).total;
    expect([await sent(editor), await sent(viewer), await sent(admin)]).toEqual([1, 0, 1]);
    expect((await call<{ total: number }>("list_deliveries", {}, viewer)).total).toBeGreaterThan(0);
    const { reports } = await call<{ reports: { id: number }[] }>("list_reports", {}, viewer);
    expect(reports.map(({ id }) => id)).not.toContain(report.id);
    expect(await details(report.id, admin)).toMatchObject({ id: report.id });
  });

  it("shows each recipient what its owner may see, and fails with a reason when the owner is gone", async () => {
    const email = "leaving@example.com";
    await server.app.identity.users.create({
      email,
      workspace: "acme",
      role: "contributor",
      password: "correct horse battery",
    });
    const leaving = await server.token({ email });
    const policies = [
      { name: "north", roles: ["contributor"], rows: [{ field: "region", operator: "=", value: "North" }] },
    ];
    await call("set_dataset_policies", { dataset_id: datasetId, policies }, admin);
    const widgetIds = [board.widgets[0]?.widget_id];
    const { report } = await create(
      { widgetIds, exportCSV: true, recipients: "north@example.com", sendNow: true },
      leaving,
    );
    const [mail] = await mailsTo("north@example.com");
    const csv = Buffer.from(mail?.attachments[1]?.content as ArrayBuffer).toString();
    expect(csv).toContain("North");
    expect(csv).not.toContain("South");
    await call("set_dataset_policies", { dataset_id: datasetId, policies: [] }, admin);
    await database.query("DELETE FROM accounts WHERE email = $1", [email]);
    const { report_run } = await bi<Saved>("knowi_run", { reportId: report.id }, admin);
    expect(report_run).toMatchObject({ state: "failed", error: expect.stringContaining("owner") });
    expect(await mailsTo("north@example.com")).toHaveLength(1);
    await bi<Saved>("knowi_run", { reportId: report.id }, admin);
    const told = () => mailsTo("admin-1@example.com");
    await vi.waitFor(async () => expect(await told()).toHaveLength(1), { timeout: 60_000, interval: 200 });
    expect((await told())[0]).toMatchObject({
      subject: "Trouble with Revenue by region",
      text: expect.stringContaining("The owner of this report is gone"),
    });
  });
});

describe("a report as an asset", () => {
  it("[bi.run.report] [bi.delete.report] [bi.search.report-alert] is run, found, deleted and brought back", async () => {
    const { report } = await create({ dashboardId: board.dashboard_id, reportName: "Quarterly zebra" });
    const ran = await bi("knowi_run", { reportId: report.id });
    expect(ran).toMatchObject({ report_id: report.id, report_run: { state: "done" } });
    await call("create_alert", { dataset_id: datasetId, name: "Striped zebra", condition: "units > 5" });
    const found = async (assetType: string) =>
      JSON.stringify(await bi("knowi_search", { query: "zebra", assetType }));
    expect(await found("report")).toContain("Quarterly zebra");
    expect(await found("alert")).toContain("Striped zebra");
    await bi("knowi_delete", { assetType: "report", assetId: report.id, confirm: true });
    await expect(bi("knowi_run", { reportId: report.id })).rejects.toThrow(/no report/);
    await call("restore_asset", { asset_type: "report", asset_id: report.id });
    expect(await details(report.id)).toMatchObject({ next_run_at: expect.any(String), history: [{}] });
    const { total } = await call<{ total: number }>("list_deliveries", { report_id: report.id });
    expect(total).toBe(1);
  });
});
