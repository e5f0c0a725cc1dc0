import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MadeDashboard, startBoards } from "../support/boards.ts";
import { makeDataset } from "../support/datasets.ts";
import { callTool } from "../support/mcp.ts";
import { saveModel } from "../support/models.ts";

/**
 * What policies keep from somebody comes to them by no way on which another's rights stand in for theirs: report, run,
 * embed, link, restored asset, alert. Contributors see people of the West, and no salaries; viewers and admins all.
 */
const PEOPLE = [
  { person: "Annabell", region: "West", salary: 91_234 },
  { person: "Zebulon", region: "Eastmoor", salary: 77_123 },
];
const HIDDEN = /Zebulon|Eastmoor|91[,.]?234|77[,.]?123|168[,.]?357|salary/i;

const { server, admin, editor, viewer, stranger, datasetId, call, stop } = await startBoards();
let people: number;

beforeAll(async () => {
  people = await makeDataset(server, admin, "People", PEOPLE);
  const rows = [{ field: "region", operator: "=", value: "West" }];
  const policies = [{ name: "west", roles: ["contributor"], rows, hide: ["salary"] }];
  await call("set_dataset_policies", { dataset_id: people, policies }, admin);
});
afterAll(stop);

interface Run {
  report_run: { state: string; files: object[]; error: string | null; deliveries: object[] };
  message: string;
}

const table = (name: string) => ({ name, dataset_id: people, chart_type: "datagrid2" });
const sales = { name: "Sales", dataset_id: datasetId, x_axis: "region", y_axis: ["revenue"] };
const make = (widgets: object[], more: object = {}, token = admin) =>
  call<MadeDashboard>("create_dashboard", { name: "Shared", widgets, ...more }, token);
const widgetOf = ({ widgets }: MadeDashboard, at = 0) => widgets[at]?.widget_id as number;

/** What whoever has the link of an embed sees. */
async function embedded(target: object, token = admin): Promise<string> {
  const { url } = await call<{ url: string }>("get_embed_url", target, token);
  const { pathname, hash } = new URL(url);
  const headers = { "x-embed-secret": hash.slice(1) };
  const post = async (path: string) =>
    (await server.request(`${pathname}${path}`, { method: "POST", body: "width=1200", headers })).text();
  const page = await post("/view");
  const ids = [...page.matchAll(/\/w\/(\d+)/g)].map(([, id]) => id);
  const bodies = await Promise.all([...new Set(ids)].map((id) => post(`/w/${id}`)));
  return [page, ...bodies].join("\n");
}

/** All that a report sends: the text of its mail, of its PDF, and its CSV files. */
async function mailed(target: object, token = admin): Promise<{ id: number; text: string }> {
  const address = `reader-${Math.random().toString(36).slice(2)}@example.com`;
  const { report, report_run } = await call<{ report: { id: number } } & Partial<Run>>(
    "create_report",
    { recipients: [address], paused: true, send_now: true, include_recommendations: true, ...target },
    token,
  );
  expect(report_run).toMatchObject({ state: "done", deliveries: [{ state: "sent" }] });
  return { id: report.id, text: await mailTo(address) };
}

async function mailTo(address: string): Promise<string> {
  const folder = join(server.home, "outbox");
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".eml"))
    .map((name) => join(folder, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  const mails = await Promise.all(files.map((file) => PostalMime.parse(readFileSync(file))));
  const mail = mails.findLast(({ to }) => to?.[0]?.address === address);
  const parts = mail?.attachments.map(({ content }) => {
    const bytes = Buffer.from(content as ArrayBuffer);
    const isPdf = bytes.subarray(0, 5).toString() === "%PDF-";
    return isPdf
      ? spawnSync("pdftotext", ["-layout", "-", "-"], { input: bytes }).stdout.toString()
      : bytes.toString();
  });
  return [mail?.text ?? "", ...(parts ?? [])].join("\n");
}

/** Everything on which the admin's rights stand in for others'. */
async function everywhere(board: MadeDashboard, at = 0): Promise<string[]> {
  const { dashboard_id } = board;
  const widget_id = widgetOf(board, at);
  return [
    await embedded({ dashboard_id }),
    await embedded({ widget_id }),
    (await mailed({ dashboard_id })).text,
    (await mailed({ widget_ids: [widget_id], export_csv: true })).text,
    (await mailed({ widget_ids: [widget_id, widget_id], export_csv: true, format: "image" })).text,
  ];
}

async function memberOf(role: "contributor" | "viewer", email: string): Promise<string> {
  await server.app.identity.users.create({ email, workspace: "acme", role });
  return server.token({ email });
}

const restore = async (type: string, id: number, token: string, version?: number) => {
  const { result } = await callTool(server, token, "restore_asset", {
    asset_type: type,
    asset_id: id,
    ...(version !== undefined && { version }),
  });
  return result?.isError === false ? "restored" : result?.content[0]?.text;
};

describe("a widget on a shared dashboard", () => {
  it("shows others all that its owner sees, where its owner has made it", async () => {
    const board = await make([table("All")]);
    for (const [at, text] of (await everywhere(board)).entries()) {
      // A picture has no text.
      if (at < 4) expect(text).toMatch(/Zebulon[\s\S]*77/);
      expect(text).not.toContain("Only what whoever");
    }
  });

  it("shows no more than whoever last changed it may see, on every way to others", async () => {
    const board = await make([sales, table("Stays")]);
    await call("update_widget", { widget_id: widgetOf(board), name: "Numbers", ...spec() }, editor);
    const ways = await everywhere(board);
    for (const [at, text] of ways.entries()) {
      if (at === 0 || at === 2) continue;
      expect(text).not.toMatch(HIDDEN);
      if (at < 4) expect(text).toContain("Annabell");
    }
    // On the dashboard the admin's own widget is what it was, and the editor's says why it is less.
    const alone = await make([sales]);
    await call("update_widget", { widget_id: widgetOf(alone), ...spec() }, editor);
    for (const text of (await everywhere(alone)).slice(0, 4)) {
      expect(text).not.toMatch(HIDDEN);
      expect(text).toContain("Annabell");
    }
    expect(await embedded({ dashboard_id: alone.dashboard_id })).toContain("Only what whoever last changed");
    // A new name decides nothing; to say what it shows does.
    await call("update_widget", { widget_id: widgetOf(alone), name: "Renamed" }, admin);
    expect(await embedded({ dashboard_id: alone.dashboard_id })).not.toMatch(HIDDEN);
    await call("update_widget", { widget_id: widgetOf(alone), ...spec() }, admin);
    expect(await embedded({ dashboard_id: alone.dashboard_id })).toMatch(HIDDEN);
  });

  it("is not sent with more rights by a link that was given before it was changed", async () => {
    const board = await make([sales]);
    const link = async () => {
      const { url } = await call<{ url: string }>(
        "export_dashboard",
        { dashboard_id: board.dashboard_id },
        admin,
      );
      return new URL(url).pathname;
    };
    const textOf = async (path: string) => {
      const input = Buffer.from(await (await server.request(path)).arrayBuffer());
      return spawnSync("pdftotext", ["-layout", "-", "-"], { input }).stdout.toString();
    };
    const before = await link();
    await call("update_widget", { widget_id: widgetOf(board), ...spec() }, editor);
    expect(await textOf(before)).toMatch(/Annabell/);
    expect(await textOf(before)).not.toMatch(HIDDEN);
    // What was there when the admin made the link is what the admin has seen.
    expect(await textOf(await link())).toMatch(HIDDEN);
  });

  it("is bounded by whoever puts it onto a dashboard, or brings a version of it back", async () => {
    const board = await make([sales]);
    const { widget_id } = await call<{ widget_id: number }>("create_widget", table("Alone"), admin);
    const widgets = [{ widget_id, col: 1, row: 20, sizeX: 12, sizeY: 8 }];
    await call("layout_dashboard", { dashboard_id: board.dashboard_id, widgets }, editor);
    expect(await embedded({ dashboard_id: board.dashboard_id })).not.toMatch(/Zebulon|77,?123/);
    const other = await make([table("Former")]);
    await call("update_widget", { widget_id: widgetOf(other), ...spec(datasetId) }, admin);
    expect(await restore("widget", widgetOf(other), editor, 1)).toBe("restored");
    expect(await embedded({ dashboard_id: other.dashboard_id })).not.toMatch(HIDDEN);
    // Nor is what an editor made more when an admin brings it back.
    const third = await make([sales]);
    await call("update_widget", { widget_id: widgetOf(third), ...spec() }, editor);
    await call("update_widget", { widget_id: widgetOf(third), ...spec(datasetId) }, admin);
    expect(await restore("widget", widgetOf(third), admin, 2)).toBe("restored");
    expect(await embedded({ dashboard_id: third.dashboard_id })).not.toMatch(HIDDEN);
    expect(await embedded({ dashboard_id: third.dashboard_id })).toContain("Annabell");
  });

  it("is bounded by whoever chose the filters of its dashboard", async () => {
    const filters = [{ field: "region", value: "West" }];
    const board = await make([table("Filtered")], { filters });
    const { dashboard_id } = board;
    expect(await embedded({ dashboard_id })).toMatch(/91,?234/);
    expect(await embedded({ dashboard_id })).not.toMatch(/Zebulon/);
    await call("update_dashboard", { dashboard_id, name: "Renamed" }, editor);
    expect(await embedded({ dashboard_id })).toMatch(/91,?234/);
    await call("update_dashboard", { dashboard_id, filters: [] }, editor);
    for (const text of (await everywhere(board)).slice(0, 4)) expect(text).not.toMatch(HIDDEN);
    expect(await restore("dashboard", dashboard_id, admin, 1)).toBe("restored");
    expect(await embedded({ dashboard_id })).toMatch(/91,?234/);
  });

  it("is bounded by whoever published the semantic model that it shows", async () => {
    const model = `
version: "0.1.1"
semantic_model:
  - name: staff
    datasets:
      - name: people
        source: People
        fields:
          - { name: person, expression: person }
          - { name: region, expression: region }
    metrics:
      - { name: heads, expression: COUNT(people.person) }
`;
    const options = { model: "staff" };
    await saveModel(server, editor, model);
    const shown = { name: "Heads", chart_type: "datagrid2", x_axis: "person", y_axis: ["heads"], options };
    const board = await make([shown]);
    for (const text of (await everywhere(board)).slice(0, 4)) {
      expect(text).not.toMatch(HIDDEN);
      expect(text).toContain("Annabell");
    }
    await saveModel(server, admin, `${model}\n# As the admin wants it.`);
    expect((await mailed({ dashboard_id: board.dashboard_id })).text).toContain("Zebulon");
  });

  it("shows nothing once whoever changed it has left, and says so", async () => {
    const email = "leaving-editor@example.com";
    const leaving = await memberOf("contributor", email);
    const board = await make([sales]);
    await call("update_widget", { widget_id: widgetOf(board), ...spec() }, leaving);
    const shared = { dashboard_id: board.dashboard_id };
    expect(await embedded(shared)).toContain("Annabell");
    await server.app.identity.users.disable(email);
    for (const text of (await everywhere(board)).slice(0, 4)) {
      expect(text).not.toMatch(HIDDEN);
      expect(text).not.toContain("Annabell");
      expect(text.replace(/\s+/g, " ")).toMatch(/no longer a member|Rows are left out/);
    }
    await call("update_widget", { widget_id: widgetOf(board), ...spec() }, admin);
    expect(await embedded(shared)).toContain("Zebulon");
  });
});

describe("a run of a report", () => {
  it("says in its place what cannot be shown, and sends the rest", async () => {
    const pay = { ...table("Pay"), chart_type: "column", x_axis: "person", y_axis: ["salary"] };
    const board = await make([sales]);
    const { widget_id } = await call<{ widget_id: number }>("create_widget", pay, admin);
    const widgets = [{ widget_id, col: 1, row: 20, sizeX: 12, sizeY: 8 }];
    await call("layout_dashboard", { dashboard_id: board.dashboard_id, widgets }, editor);
    const widget_ids = [widget_id, widgetOf(board)];
    for (const format of ["pdf", "image"]) {
      const { text } = await mailed({ widget_ids, format, export_csv: true });
      // The admin may see the field, so it is said why it is not shown.
      if (format === "pdf") expect(text).toContain("Only what whoever last changed this may see is shown.");
      expect(text).not.toMatch(/91[,.]?234|77[,.]?123|Zebulon/);
      expect(text).toContain("Rows are left out: This widget needs a field");
      expect(text).toContain("North");
    }
  });

  it("tells its files and errors to its owner and to admins, and to nobody else", async () => {
    const board = await make([{ ...table("All"), dataset_id: datasetId }]);
    const { id } = await mailed({ dashboard_id: board.dashboard_id });
    const run = (token: string) => call<Run>("run", { report_id: id }, token);
    const details = async (token: string) => {
      const { details } = await call<{ details: { history: Run["report_run"][] } }>(
        "get_details",
        { asset_type: "report", asset_id: id },
        token,
      );
      return details.history;
    };
    expect((await run(admin)).report_run).toMatchObject({ state: "done", files: [{ name: "Shared.pdf" }] });
    expect((await run(editor)).report_run).toMatchObject({ state: "done", files: [], error: null });
    for (const token of [editor, viewer])
      for (const past of await details(token)) expect(past.files).toEqual([]);
    expect((await details(admin))[0]?.files).toHaveLength(1);
    await expect(run(stranger)).rejects.toThrow(/There is no report/);
    await expect(run(viewer)).rejects.toThrow(/bi:write/);
    await call(
      "delete_asset",
      { asset_type: "dashboard", asset_id: board.dashboard_id, confirm: true },
      admin,
    );
    expect((await run(admin)).report_run.error).toMatch(/no dashboard/);
  });
});

it("a report whose rows are hidden from somebody is not run by them", async () => {
  const board = await make([table("All")]);
  const { id } = await mailed({ dashboard_id: board.dashboard_id });
  await expect(call("run", { report_id: id }, editor)).rejects.toThrow(/shows what you may not see/);
});

describe("an alert on what is hidden", () => {
  it("tells neither condition nor key to those who do not see it, and does not become theirs", async () => {
    const { alert } = await call<{ alert: { id: number; key: string[] } }>(
      "create_alert",
      { dataset_id: people, name: "Paid", condition: "salary > 90000", key: ["salary", "person"] },
      admin,
    );
    expect(alert.key).toEqual(["salary", "person"]);
    const asset = { asset_type: "alert", asset_id: alert.id };
    const told = async (name: string, args: object, token: string) => {
      const { result } = await callTool(server, token, name, args as Record<string, unknown>);
      return result?.content[0]?.text ?? "";
    };
    for (const [name, args] of [
      ["list_alerts", { dataset_id: people }],
      ["get_details", asset],
      ["test_alert", { alert_id: alert.id }],
      ["update_alert", { alert_id: alert.id, name: "Mine" }],
      ["update_alert", { alert_id: alert.id, condition: "region = 'West'" }],
      ["update_alert", { alert_id: alert.id, paused: true }],
    ] as const)
      expect(await told(name, args, editor)).not.toMatch(HIDDEN);
    expect(await told("get_details", asset, viewer)).toMatch(/salary/);
    expect(await told("get_details", asset, admin)).toMatch(/salary/);
    expect(await told("get_details", asset, stranger)).toMatch(/There is no alert/);
    const { alerts } = await call<{ alerts: object[] }>("list_alerts", { dataset_id: people }, editor);
    expect(alerts).toMatchObject([{ name: "Paid", key: [], c9ql: null, sentence: null }]);
  });
});

describe("what was deleted", () => {
  const remove = (type: string, id: number) =>
    call("delete_asset", { asset_type: type, asset_id: id, confirm: true }, admin);

  it("comes back for those who may see and change it, and for nobody else", async () => {
    const hidden = await make([table("Private")], { access: { shared: "private" } });
    const { id: report } = await mailed({ dashboard_id: hidden.dashboard_id });
    const { alert } = await call<{ alert: { id: number } }>(
      "create_alert",
      { dataset_id: people, name: "Paid", condition: "salary > 90000", key: ["salary"] },
      admin,
    );
    await remove("report", report);
    await remove("alert", alert.id);
    await remove("dashboard", hidden.dashboard_id);
    for (const token of [editor, stranger]) {
      expect(await restore("report", report, token)).toMatch(/no deleted report/);
      expect(await restore("alert", alert.id, token)).toMatch(/no deleted alert/);
      expect(await restore("dashboard", hidden.dashboard_id, token)).toMatch(/no deleted dashboard/);
      expect(await restore("widget", widgetOf(hidden), token)).toMatch(/no deleted widget/);
    }
    expect(await restore("report", report, viewer)).toMatch(/bi:write/);
    for (const [type, id] of [
      ["dashboard", hidden.dashboard_id],
      ["report", report],
      ["alert", alert.id],
    ] as const)
      expect(await restore(type, id, admin)).toBe("restored");
  });

  it("shows no more than whoever brought it back may see", async () => {
    const board = await make([table("All")]);
    const { dashboard_id } = board;
    const address = "restored@example.com";
    const { report } = await call<{ report: { id: number } }>(
      "create_report",
      { dashboard_id, recipients: [address], paused: true },
      admin,
    );
    const send = async () => {
      await call("run", { report_id: report.id }, admin);
      return mailTo(address);
    };
    expect(await send()).toContain("Zebulon");
    await remove("report", report.id);
    expect(await restore("report", report.id, editor)).toBe("restored");
    const bounded = await send();
    expect(bounded).not.toMatch(HIDDEN);
    expect(bounded).toContain("whoever brought this report back");
    // Whoever changes it becomes the owner, whose rights alone hold then.
    await call("update_report", { report_id: report.id, subject: "Mine" }, admin);
    expect(await send()).toContain("Zebulon");
    for (const [type, id] of [
      ["widget", widgetOf(board)],
      ["dashboard", dashboard_id],
    ] as const) {
      await remove(type, id);
      expect(await restore(type, id, editor)).toBe("restored");
      expect(await embedded({ dashboard_id })).not.toMatch(HIDDEN);
      await call("update_widget", { widget_id: widgetOf(board), ...spec() }, admin);
    }
  });
});

/** A table of a dataset, with all its columns. */
function spec(dataset_id = people) {
  return { dataset_id, chart_type: "datagrid2", x_axis: "", y_axis: [], group_by: "" };
}
