import { afterAll, describe, expect, it, vi } from "vitest";
import { type MadeDashboard, startBoards } from "../support/boards.ts";
import { startChatStandIn } from "../support/chat-stand-in.ts";
import { makeDataset } from "../support/datasets.ts";
import { saveModel } from "../support/models.ts";

/** What comes to whoever takes over an alert or report, or sends to a channel of others: nothing that was not theirs. */
const chat = await startChatStandIn("xoxb-1234567890-abcdef");
const { server, admin, editor, datasetId, call, stop } = await startBoards({
  env: { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" },
});
afterAll(async () => {
  await stop();
  await chat.stop();
});

const KEY = "key-of-the-admin";
const theirs = `${chat.url}/hooks/${KEY}`;
const masked = `${chat.url}/…`;

interface Delivery {
  target: string;
  note: string | null;
}
interface Run {
  state: string;
  files: object[];
  deliveries: Delivery[];
}
interface Saved {
  report: { id: number; webhooks: string[] };
  report_run?: Run;
}

const detailsOf = async <T>(type: string, id: number, token: string) =>
  (await call<{ details: T }>("get_details", { asset_type: type, asset_id: id }, token)).details;
const made = async (dataset: number) => {
  const widgets = [{ name: "All", dataset_id: dataset, chart_type: "datagrid2" }];
  const { dashboard_id } = await call<MadeDashboard>("create_dashboard", { name: "Shared", widgets }, admin);
  const wish = { dashboard_id, recipients: ["a@example.com"], channels: [theirs], send_now: true };
  const { report } = await call<Saved>("create_report", { ...wish, frequency: "months" }, admin);
  return { reportId: report.id, widgets };
};
const hide = (id: number) =>
  call(
    "set_dataset_policies",
    { dataset_id: id, policies: [{ name: "pay", roles: ["contributor"], hide: ["salary"] }] },
    admin,
  );

describe("a report that is taken over", () => {
  it("does not become theirs who may not see all that it shows", async () => {
    const people = await makeDataset(server, admin, "People", [{ person: "Ann", salary: 777 }]);
    const { reportId } = await made(people);
    await hide(people);
    const take = (token: string) => call<Saved>("update_report", { report_id: reportId, every: 2 }, token);
    await expect(take(editor)).rejects.toThrow(/shows what you may not see/);
    expect((await take(admin)).report.webhooks).toEqual([theirs]);
    const details = await detailsOf<{ history: Run[] }>("report", reportId, editor);
    expect(details.history).toMatchObject([{ files: [] }]);
  });

  it("is neither sent, stopped nor deleted by whoever may not see all that it shows", async () => {
    const pay = await makeDataset(server, admin, "Pay run", [{ person: "Ann", salary: 777 }]);
    const { reportId } = await made(pay);
    await hide(pay);
    const attempts: [string, object][] = [
      ["run", {}],
      ["update_report", { send_now: true }],
      ["update_report", { paused: true }],
      ["update_report", { recipients: ["not an address"] }],
    ];
    for (const [tool, more] of attempts)
      await expect(call(tool, { report_id: reportId, ...more }, editor)).rejects.toThrow(
        /shows what you may not see/,
      );
    const asset = { asset_type: "report", asset_id: reportId, confirm: true };
    await expect(call("delete_asset", asset, editor)).rejects.toThrow(/shows what you may not see/);
    const { history } = await detailsOf<{ history: Run[] }>("report", reportId, admin);
    expect(history).toHaveLength(1);
    expect(await call("run", { report_id: reportId }, admin)).toMatchObject({
      report_run: { state: "done" },
    });
  });

  it("tells its new owner neither what was sent before, nor addresses that others gave", async () => {
    const { reportId } = await made(datasetId);
    const history = async (token: string) =>
      (await detailsOf<{ history: Run[]; webhooks: string[] }>("report", reportId, token)).history;
    const listed = async (token: string) =>
      (await call<{ deliveries: Delivery[] }>("list_deliveries", { report_id: reportId }, token)).deliveries;
    const taken = await call<Saved>("update_report", { report_id: reportId, every: 2 }, editor);
    expect(taken.report.webhooks).toEqual([masked]);
    expect(await history(editor)).toMatchObject([{ state: "done", files: [] }]);
    expect((await history(editor))[0]?.deliveries.map(({ note }) => note)).toEqual([null, null]);
    expect((await listed(editor)).map(({ note }) => note)).toEqual([null, null]);
    const sent = await call<{ report_run: Run }>("run", { report_id: reportId }, editor);
    expect(sent.report_run.files).toHaveLength(1);
    expect(await history(editor)).toMatchObject([{ files: [{}] }, { files: [] }]);
    for (const told of [taken, sent, await history(editor), await listed(editor)])
      expect(JSON.stringify(told)).not.toContain(KEY);
    for (const told of [await history(admin), await listed(admin)])
      expect(JSON.stringify(told)).toContain(KEY);
    // What they give themselves they know.
    const mine = `${chat.url}/hooks/mine`;
    const wish = { report_id: reportId, channels: [mine], send_now: true };
    const own = await call<Saved>("update_report", wish, editor);
    expect(own.report.webhooks).toEqual([mine]);
    expect(own.report_run?.deliveries.map(({ target }) => target)).toContain(mine);
  });

  it("is not seen whole through a semantic model either", async () => {
    const staff = await makeDataset(server, admin, "Staff", [{ person: "Ann", salary: 777 }]);
    await hide(staff);
    const model = `
version: "0.1.1"
semantic_model:
  - name: staff
    datasets:
      - { name: staff, source: Staff, fields: [{ name: person, expression: person }] }
    metrics:
      - { name: heads, expression: COUNT(staff.person) }
`;
    await saveModel(server, admin, model);
    const widgets = [
      {
        name: "Heads",
        chart_type: "datagrid2",
        x_axis: "person",
        y_axis: ["heads"],
        options: { model: "staff" },
      },
    ];
    const board = await call<MadeDashboard>("create_dashboard", { name: "Staff", widgets }, admin);
    const wish = { dashboard_id: board.dashboard_id, recipients: ["a@example.com"] };
    const { report } = await call<Saved>("create_report", wish, admin);
    await expect(call("update_report", { report_id: report.id, every: 2 }, editor)).rejects.toThrow(
      /shows what you may not see/,
    );
  });
});

describe("an alert that is taken over", () => {
  const alertOn = async (name: string, more: object = {}) => {
    const dataset_id = await makeDataset(server, admin, name, [{ person: "Ann", salary: 777_001 }]);
    const wish = { dataset_id, name, condition: "salary > 777000", ...more };
    const { alert } = await call<{ alert: { id: number } }>("create_alert", wish, admin);
    return { dataset_id, alert_id: alert.id };
  };

  it("is changed, paused and tested by nobody who may not see what it looks at", async () => {
    const { dataset_id, alert_id } = await alertOn("Pay", { key: ["salary"], recipients: "a@example.com" });
    await hide(dataset_id);
    for (const change of [
      { name: "Mine" },
      { condition: "person = 'Ann'", key: ["person"] },
      { paused: true },
      // Errors of settings would quote its condition's columns.
      { key: ["nothing"] },
      { key: ["person"] },
      { recipients: "not an address" },
    ])
      await expect(call("update_alert", { alert_id, ...change }, editor)).rejects.toThrow(/you may not see/);
    await expect(call("test_alert", { alert_id }, editor)).rejects.toThrow(/you may not see/);
    const asset = { asset_type: "alert", asset_id: alert_id, confirm: true };
    await expect(call("delete_asset", asset, editor)).rejects.toThrow(/you may not see/);
    expect(await call("test_alert", { alert_id }, admin)).toMatchObject({ matched: true });
    await call("update_alert", { alert_id, paused: true }, admin);
  });

  it("does not tell an admin either, from whom policies hide it, what its rows are told apart by", async () => {
    const { dataset_id, alert_id } = await alertOn("Kept", { key: ["salary"] });
    const owner = await server.token();
    const policies = [{ name: "pay", roles: ["admin"], hide: ["salary"] }];
    await call("set_dataset_policies", { dataset_id, policies }, owner);
    const keyed = (more: object) => call("update_alert", { alert_id, key: ["person"], ...more }, owner);
    await expect(keyed({})).rejects.toThrow(/condition anew/);
    expect(await keyed({ condition: "person = 'Ann'" })).toMatchObject({ alert: { key: ["person"] } });
  });

  it("tells its new owner what happened before only as far as they see the data", async () => {
    const { dataset_id, alert_id } = await alertOn("Past", { realtime: true });
    type History = { history: { summary: string | null; rows: number | null }[] };
    const history = async (token: string) => (await detailsOf<History>("alert", alert_id, token)).history;
    await call("push_data", { dataset_name: "Past", rows: [{ person: "Bea", salary: 777_002 }] }, admin);
    await vi.waitFor(async () => expect(await history(admin)).toHaveLength(1), {
      timeout: 90_000,
      interval: 200,
    });
    await call("update_alert", { alert_id, condition: "person = 'Ann'" }, editor);
    expect((await history(editor))[0]?.summary).toContain("salary");
    await hide(dataset_id);
    expect(await history(editor)).toMatchObject([{ summary: null, rows: null }]);
    expect((await history(admin))[0]?.summary).toContain("salary");
  });
});

it("tells the address of a channel to admins alone, wherever something is sent to it", async () => {
  await call("set_channel", { name: "hook", kind: "webhook", url: theirs }, admin);
  const wish = { dataset_id: datasetId, name: "Any", condition: "units > 0", channels: ["hook"] };
  const alert = await call<{ alert: { id: number } }>("create_alert", wish, editor);
  const tested = await call<{ deliveries: Delivery[] }>("test_alert", { alert_id: alert.alert.id }, editor);
  expect(tested.deliveries).toMatchObject([{ target: masked, state: "sent" }]);
  const details = await detailsOf("alert", alert.alert.id, editor);
  const listed = await call("list_deliveries", {}, editor);
  for (const told of [alert, tested, details, listed]) expect(JSON.stringify(told)).not.toContain(KEY);
  expect(JSON.stringify(await call("list_deliveries", {}, admin))).toContain(KEY);
});
