import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Boards, startBoards } from "../../../../test/support/boards.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { type StandIn, startStandIn } from "../../../../test/support/language-model.ts";
import { INTENTS } from "../planner.ts";

interface Done {
  outcome: string;
  message: string;
  steps: { tool: string; status: string; arguments: Record<string, unknown>; error?: string }[];
  assumptions: string[];
  questions: { question: string; suggestions: string[] }[];
  change_id: number | null;
}

let boards: Boards;
let standIn: StandIn;

const does = (instruction: string, more: object = {}, token?: string) =>
  boards.call<Done>("carry_out", { instruction, ...more }, token);
const undo = (id: number | null, token?: string) => boards.call<Done>("carry_out", { undo: id }, token);
const widgetsCalled = async (name: string) =>
  (await boards.call<{ total: number }>("find_widget", { name })).total;

beforeAll(async () => {
  standIn = await startStandIn();
  boards = await startBoards({ env: { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" } });
  await boards.make();
});
afterAll(async () => {
  await boards.stop();
  await standIn.stop();
});

function isSuperset(of: object, some: object): boolean {
  return JSON.stringify({ ...of, ...some }) === JSON.stringify(of);
}

it("knows for every tool of the contract whether plans are made of it", () => {
  const planned = new Set(INTENTS.flatMap(({ tools }) => tools));
  // These take files, credentials, rows or a confirmation, which no sentence has in it; or read what plans are made of.
  const others =
    "push_data import_file create_datasource create_query add_document list_documents delete_document extract_document_data find_widget get_data get_details delete_asset carry_out".split(
      " ",
    );
  const known = boards.server.app.registry.tools("bi").map(({ tool }) => tool.name);
  expect(known.filter((name) => !planned.has(name) && !others.includes(name))).toEqual([]);
});

describe("a plan", () => {
  it("is shown and changes nothing with dry_run", async () => {
    const { outcome, steps, change_id } = await does("Add a bar chart of units by product to Overview", {
      dry_run: true,
    });
    expect({ outcome, change_id }).toEqual({ outcome: "planned", change_id: null });
    expect(steps).toMatchObject([
      { tool: "create_widget", status: "planned", arguments: { chart_type: "bar", x_axis: "product" } },
    ]);
    expect(await widgetsCalled("units by product")).toBe(0);
  });

  it("says what was assumed", async () => {
    const { assumptions } = await does("Add the top 2 products to Overview", { dry_run: true });
    expect(assumptions).toEqual(["It is about revenue."]);
  });

  it.each([
    ["Add revenue by moon phase to Overview", /moon phase/],
    ["Create a dashboard", /What should the dashboard show/],
    ["Change the chart", /Which widget/],
    ["Change the chart of nothing", /Which widget/],
    ["Tell me when units are low", /names no number/],
    ["Sing a song", /was not understood/],
  ])("asks back and does nothing: %j", async (instruction, question) => {
    const { outcome, message, questions } = await does(instruction);
    expect(outcome).toBe("asked");
    expect(message).toMatch(/^Nothing was done/);
    expect(questions[0]?.question).toMatch(question);
  });

  it("takes no longer than a long sentence should, however it is made", async () => {
    for (const part of ["alert me when revenue < 5 and ", "list dashboards, ", "a@b.cc ", "the pie chart "])
      expect((await does(part.repeat(2_000 / part.length), { dry_run: true })).outcome).toMatch(
        /asked|planned/,
      );
  });

  it("that takes long holds up nobody else meanwhile", async () => {
    const columns = Array.from({ length: 900 }, (_, n) => [`${n % 2 === 0 ? "revenue" : "region"} ${n}`, n]);
    // A workspace of its own, for whoever asks about this one would have the wide table beside what is asked for.
    const { stranger } = boards;
    await boards.call("push_data", { dataset_name: "Wide", rows: [Object.fromEntries(columns)] }, stranger);
    const long = `Create a dashboard with ${"revenue by region, orders by month, ".repeat(54)}`;
    let isPlanned = false;
    const planned = does(long, {}, stranger).finally(() => {
      isPlanned = true;
    });
    let answered = 0;
    for (; !isPlanned && answered < 50; answered += 1) await boards.call("whoami", {});
    expect({ isPlanned, answered }).toEqual({ isPlanned: false, answered: 50 });
    // It is asked about in the end, or takes longer than it may.
    await planned.catch((error: unknown) => expect(String(error)).toMatch(/took longer than/));
  });

  it("is about the first rows of a table in their order, with all that the rows have", async () => {
    const boats = [3, 9, 1, 7].map((length, n) => ({ Owner: `Ann ${n}`, Length: length, Built: 1990 + n }));
    const { stranger } = boards;
    await boards.call("push_data", { dataset_name: "Boats", rows: boats }, stranger);
    const { steps } = await does("Create a table of the top 2 boats by length", {}, stranger);
    expect(steps).toMatchObject([{ tool: "create_widget", status: "done" }]);
    const { widget_id } = (steps[0] as unknown as { result: { widget_id: number } }).result;
    const { rows } = await boards.call<{ rows: object[] }>("get_data", { widget_id }, stranger);
    expect(rows).toEqual([boats[1], boats[3]]);
    const chart = await does("Create a bar chart of the top 2 boats by length", {}, stranger);
    expect(chart.outcome).toBe("asked");
    const grouped = await does("Add a table of the top 2 regions by revenue to Overview");
    const made = (grouped.steps[0] as unknown as { result: { widget_id: number } }).result;
    expect(await boards.call("get_data", { widget_id: made.widget_id })).toMatchObject({
      rows: [
        { region: "South", revenue: 250 },
        { region: "North", revenue: 160.5 },
      ],
    });
  });

  it("places a chart", async () => {
    const { outcome, steps } = await does("Put the chart Units at the top left");
    expect({ outcome, steps }).toMatchObject({
      outcome: "done",
      steps: [{ tool: "layout_dashboard", status: "done", result: { widgets: expect.anything() } }],
    });
  });

  it("watches no period that nobody named, and tells in its message what it takes for granted", async () => {
    const average = await does("Alert me when the average price drops below 5", { dry_run: true });
    expect(average.steps[0]?.arguments.condition).toBe(
      "select avg(`price`) as value; select * where value < 5",
    );
    expect(average.message).toMatch(/Assumed: It is looked at over all rows\.$/);
    const sum = await does("Alert me when revenue drops below 5", { dry_run: true });
    expect(sum.message).toMatch(/Assumed: It is looked at over the last full day\.$/);
  });

  it.each([
    ["Run the query Orders", /\brun\b/],
    ['Push the rows [{"a": 1}] to Things', /push_data/],
    ["Import https://example.com/a.csv as Things", /import_file/],
  ])("of what it cannot do names the tool that does: %j", async (instruction, tool) => {
    const { outcome, message } = await does(instruction);
    expect(outcome).toBe("asked");
    // Words of an address (`….csv`) are nothing to act on.
    expect(message).not.toContain("I would");
    expect(/Perhaps one of these does it: (.*)\.$/.exec(message)?.[1]).toMatch(tool);
  });

  it("names those of the endpoint that it is asked on, and none that its giver may not use", async () => {
    const asked = async (token: string) =>
      (
        await resultOf<Done>(
          boards.server,
          token,
          "knowi_do",
          { instruction: "Import https://example.com/a.csv as Things" },
          "/api/2.0/mcp",
        )
      ).message;
    expect(await asked(boards.editor)).toContain("knowi_import_file");
    expect(await asked(boards.viewer)).not.toContain("import_file");
  });

  it("whose question is refused has failed, and says why", async () => {
    for (const [name, path] of [
      ["carry_out", undefined],
      ["knowi_do", "/api/2.0/mcp"],
    ] as const) {
      const asked = { instruction: "What is the wibble of the wobble?" };
      const { outcome, message, steps } = await resultOf<Done>(
        boards.server,
        boards.editor,
        name,
        asked,
        path,
      );
      expect({ outcome, steps }).toMatchObject({
        outcome: "failed",
        steps: [{ tool: "ask_data", status: "failed", error: expect.stringContaining("wibble") }],
      });
      expect(message).toContain("wibble");
    }
    const answered = await does("What is the total revenue?");
    expect(answered).toMatchObject({ outcome: "done", steps: [{ status: "done" }] });
    expect(answered.message).toContain("420");
  });

  it("is the same in German", async () => {
    const { steps } = await does("Zeige den Umsatz pro Monat als Liniendiagramm auf Overview", {
      dry_run: true,
    });
    expect(steps[0]?.arguments).toMatchObject({
      chart_type: "line",
      x_axis: "day",
      y_axis: ["revenue"],
      options: { grain: "month" },
    });
  });
});

describe("names", () => {
  it.each([
    ["Erstelle ein Dashboard Klima mit Umsatz nach region", "Klima", 1],
    ["Create a dashboard Klima 2026 with revenue by region", "Klima 2026", 1],
    ["Create an empty dashboard called Bird Strikes", "Bird Strikes", 0],
    ['Create a dashboard "Later"', "Later", 0],
    ["Lege ein leeres Dashboard namens Vögel an", "Vögel", 0],
  ])("of dashboards are those that were said, also of empty ones: %j", async (instruction, name, widgets) => {
    const { outcome, steps, change_id } = await does(instruction);
    expect({ outcome, steps }).toMatchObject({
      outcome: "done",
      steps: [{ tool: "create_dashboard", arguments: { name } }],
    });
    const { result } = steps[0] as unknown as { result: { widgets: unknown[] } };
    expect(result.widgets).toHaveLength(widgets);
    await undo(change_id);
  });

  it("of fields are read whole, also with a pronoun, a sum or a sign in them", async () => {
    const rows = [
      { "US Gross": 5, "Cost Total $": 2, "Cost Repair": 1, "Phase of flight": "Climb", Director: "A" },
      { "US Gross": 6, "Cost Total $": 3, "Cost Repair": 1, "Phase of flight": "Taxi", Director: "B" },
    ];
    await boards.call("push_data", { dataset_name: "Films", rows });
    const wishes: [string, object][] = [
      ["Add a bar chart of the top 10 directors by US Gross", { x_axis: "Director", y_axis: ["US Gross"] }],
      [
        "Füge ein Balkendiagramm mit Cost Total $ nach Phase of flight hinzu",
        { x_axis: "Phase of flight", y_axis: ["Cost Total $"] },
      ],
      [
        "Add a donut chart of total Cost Total $ by phase of flight",
        { name: "Total Cost Total $ by phase of flight", y_axis: ["Cost Total $"] },
      ],
    ];
    for (const [instruction, args] of wishes)
      expect((await does(instruction, { dry_run: true })).steps[0]?.arguments).toMatchObject(args);
  });

  it.each(["Zeig mir alle Dashboards", "Liste alle Dashboards auf", "Show me all dashboards"])(
    "are listed: %j",
    async (instruction) => {
      expect((await does(instruction)).steps).toMatchObject([{ tool: "list_dashboards", status: "done" }]);
    },
  );
});

describe("filters of a chart", () => {
  it.each([
    "Clear the filters of the chart Filtered",
    "Remove all filters from the chart Filtered",
    "Entferne die Filter aus dem Diagramm Filtered",
  ])("are cleared by words: %j", async (instruction) => {
    const { steps } = await does(instruction, { widget_id: await filtered() });
    expect(steps).toMatchObject([{ tool: "update_widget", status: "done" }]);
    const { details } = await boards.call<{ details: object }>("get_details", {
      asset_type: "widget",
      asset_id: steps[0]?.arguments.widget_id,
    });
    expect(details).toMatchObject({ filters: [] });
  });

  async function filtered(): Promise<number | undefined> {
    const { widgets } = await boards.make({ name: "Of filters" });
    const widget_id = widgets[0]?.widget_id;
    await boards.call("update_widget", { widget_id, name: `Filtered ${widget_id}` });
    await does("Show only the region North", { widget_id });
    return widget_id;
  }
});

describe("whoever says me", () => {
  it.each([
    ["Alert me when daily units drop below 5", "create_alert"],
    ["Benachrichtige mich, wenn units unter 5 fällt", "create_alert"],
    ["Schick mir das Dashboard Overview jeden Tag", "create_report"],
  ])("is told by mail: %j", async (instruction, tool) => {
    const { steps } = await does(instruction, { dry_run: true });
    expect(steps).toMatchObject([{ tool, arguments: { recipients: expect.stringContaining("@") } }]);
  });

  it("and who names nobody is told that nobody is", async () => {
    const { assumptions } = await does("Create an alert when daily units drop below 5", { dry_run: true });
    expect(assumptions).toContain("Nobody is told by mail: no recipients were named.");
  });
});

describe("what is sent", () => {
  it.each([
    "Send the dashboard Overview to ann@example.com now",
    "Share the dashboard Overview with ann@example.com",
    "Schick das Dashboard Overview einmal an ann@example.com",
  ])("once leaves no schedule and no report: %j", async (instruction) => {
    const reports = async () => (await boards.call<{ total: number }>("list_reports", {})).total;
    const before = await reports();
    const { outcome, message, steps, change_id } = await does(instruction);
    expect([await reports(), change_id]).toEqual([before, null]);
    expect({ outcome, message }).toMatchObject({
      outcome: "done",
      message: expect.stringContaining("ann@example.com, once, now"),
    });
    expect(steps[0]).toMatchObject({
      tool: "create_report",
      result: { report: { paused: true, next_run_at: null }, report_run: { state: "done" } },
    });
  });

  it.each([
    "every weekday at 7:30",
    "jeden Werktag um 7:30",
    "werktags um 7",
    "on the last day of each month",
    "am letzten Tag des Monats",
    "every quarter",
    "jedes Quartal",
    "twice a week",
    "zweimal pro Woche",
    "tomorrow at 8",
    "morgen um 8",
    "at 8",
    "next Monday",
    "am Montag um 9",
    "every Monday and Thursday",
    "jeden Montag und Donnerstag",
    "on the 31st of each month",
    "every evening",
    "every Monday and now",
    "every hour until Friday",
  ])("at times that are not known is asked about, and nothing is sent: %j", async (when) => {
    const count = async () => (await boards.call<{ reports: unknown[] }>("list_reports", {})).reports.length;
    const before = await count();
    const { outcome, questions } = await does(`Send the dashboard Overview to ann@example.com ${when}`);
    expect({ outcome, questions }).toMatchObject({
      outcome: "asked",
      questions: [{ question: expect.stringMatching(/^When should it be sent/) }],
    });
    expect(await count()).toBe(before);
  });

  it.each([
    ["every Monday at 9", "every week on Monday at 09:00"],
    ["jeden Tag um 8 Uhr", "every day at 08:00"],
    ["from now on Tuesdays at 5pm", "every week on Tuesday at 17:00"],
    ["alle zwei Wochen", "every 2 weeks on Monday at 08:00"],
    ["every 15 minutes", "every 15 minutes"],
    ["every month on the 15th", "every month on day 15 at 08:00"],
    ["am 3. jedes Monats um 7:15", "every month on day 3 at 07:15"],
  ])("again and again says when: %j", async (when, said) => {
    const { steps } = await does(`Send the dashboard Overview to ann@example.com ${when}`, { dry_run: true });
    expect(steps).toMatchObject([{ tool: "create_report", says: expect.stringMatching(`, ${said}$`) }]);
    expect(steps[0]?.arguments).not.toHaveProperty("send_now");
  });
});

describe("what was done", () => {
  it("is undone as one, once", async () => {
    const { change_id: id } = await does(
      'Create a dashboard "Undone" with revenue by region, then give me an embed link for it',
    );
    expect((await undo(id)).outcome).toBe("undone");
    const { dashboards } = await boards.call<{ dashboards: unknown[] }>("list_dashboards", {
      query: "Undone",
    });
    const embeds = await boards.call<{ embeds: unknown[] }>("list_embeds", {});
    expect([dashboards, embeds.embeds]).toEqual([[], []]);
    await expect(undo(id)).rejects.toThrow("has been undone already");
  });

  it("becomes what it was before", async () => {
    const { widgets } = await boards.make({ name: "Before" });
    const widget_id = widgets[0]?.widget_id;
    const { change_id: id } = await does("Show only the regions North and East", { widget_id });
    const filtersNow = async () =>
      (
        await boards.call<{ details: { filters: object[] } }>("get_details", {
          asset_type: "widget",
          asset_id: widget_id,
        })
      ).details.filters;
    expect(await filtersNow()).toMatchObject([{ field: "region", value: ["North", "East"] }]);
    await undo(id);
    expect(await filtersNow()).toEqual([]);
  });

  it("gives alerts and reports their former settings back", async () => {
    const { dashboard_id } = await boards.make({ name: "Weekly" });
    const { alert } = await boards.call<{ alert: { id: number } }>("create_alert", {
      dataset_id: boards.datasetId,
      name: "Few pens",
      condition: "units < 3",
      realtime: true,
    });
    const wish = { dashboard_id, name: "Pens on Monday", recipients: "a@example.com", frequency: "weeks" };
    const { report } = await boards.call<{ report: { id: number } }>("create_report", wish);
    const settings = async () => {
      const { alerts } = await boards.call<{ alerts: { id: number }[] }>("list_alerts", {});
      const { reports } = await boards.call<{ reports: { id: number }[] }>("list_reports", {});
      return [alerts.find(({ id }) => id === alert.id), reports.find(({ id }) => id === report.id)];
    };
    const before = await settings();
    for (const [instruction, changed] of [
      ["Check the Few pens alert every hour instead of live", { frequency: "hours", realtime: false }],
      ["Set the threshold of the Few pens alert to 5", { c9ql: "select * where units < 5" }],
      ["Send the report Pens on Monday on Fridays at 5pm", { day_of_week: "FRIDAY", start_time: "17:00" }],
      ["Add b@example.com to the report Pens on Monday", { recipients: ["a@example.com", "b@example.com"] }],
      ["Stop sending the report Pens on Monday", { paused: true }],
    ] as const) {
      const { change_id: id } = await does(instruction);
      const now = await settings();
      expect(now.some((each) => each !== undefined && isSuperset(each, changed))).toBe(true);
      await undo(id);
      expect(await settings()).toEqual(before);
    }
  });

  it("stays when somebody has changed it since, and nothing is undone", async () => {
    const { widgets } = await boards.make({ name: "Shared" });
    const widget_id = widgets[0]?.widget_id;
    const { change_id: id } = await does("make it a donut", { widget_id });
    await boards.call("update_widget", { widget_id, name: "Mine" }, boards.admin);
    await expect(undo(id)).rejects.toThrow(/Nothing was undone: widget \d+ has been changed since/);
  });

  it("is undone whole or not at all, also when the last part of it cannot be", async () => {
    const { change_id: id } = await does(
      'Create a dashboard "Whole" with revenue by region, then alert me when daily units drop below 5',
    );
    const there = async () => {
      const { dashboards } = await boards.call<{ dashboards: unknown[] }>("list_dashboards", {
        query: "Whole",
      });
      return dashboards.length;
    };
    // It goes backwards: the alert first, then the dashboard, which this breaks off.
    const { databaseUrl } = boards.server;
    const database = new pg.Client(databaseUrl);
    await database.connect();
    await database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room left'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON dashboards FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const alerts = async () => (await boards.call<{ total: number }>("list_alerts", {})).total;
    const before = await alerts();
    await expect(undo(id)).rejects.toThrow();
    expect([await there(), await alerts()]).toEqual([1, before]);
    // What was tried stays in the audit log.
    await boards.server.app.identity.audit.flush();
    const tried = await boards.call<{ events: { resource_id: string }[] }>(
      "list_audit_events",
      { limit: 10 },
      boards.admin,
    );
    const called = tried.events.map((event) => event.resource_id);
    expect(called).toEqual(expect.arrayContaining(["carry_out", "delete_asset"]));
    await database.query("DROP TRIGGER refuse ON dashboards; DROP FUNCTION refuse()");
    await database.end();
    expect((await undo(id)).outcome).toBe("undone");
    expect([await there(), await alerts()]).toEqual([0, before - 1]);
  });

  it("is undone by whoever did it, or an admin", async () => {
    const { change_id: id } = await does("Add a table of units by region to Overview");
    const other = await boards.server.token({ role: "contributor" });
    await expect(undo(id, other)).rejects.toThrow("There is no change");
    await expect(undo(id, boards.stranger)).rejects.toThrow("There is no change");
    expect((await undo(id, boards.admin)).outcome).toBe("undone");
  });

  it("stops at the first step that fails, and says what stands", async () => {
    const { outcome, message, steps, change_id } = await does(
      'Create a dashboard "Half" with revenue by region, then mail it to a..b@example.com every Monday',
    );
    expect({ outcome, message }).toMatchObject({
      outcome: "failed",
      message: expect.stringContaining("The first 1 of 2 steps are done and stand"),
    });
    expect(steps.map(({ status }) => status)).toEqual(["done", "failed"]);
    expect((await undo(change_id)).outcome).toBe("undone");
  });

  it("is not begun where one of its steps is not the giver's to take", async () => {
    const limits = { toolsets: ["dashboards", "data"] };
    const token = await boards.server.token({ role: "contributor", limits });
    const instruction =
      'Create a dashboard "Refused" with revenue by region, then alert me when daily units drop below 5';
    await expect(does(instruction, {}, token)).rejects.toThrow(
      /You may not do this: Tell .* Nothing was done/,
    );
    const { dashboards } = await boards.call<{ dashboards: { name: string }[] }>("list_dashboards", {});
    expect(dashboards.map(({ name }) => name)).not.toContain("Refused");
  });

  it("is for viewers too as far as it only reads", async () => {
    const asks = ["List all dashboards", "How much revenue was there last month?", "Export Overview as PDF"];
    for (const instruction of asks) expect((await does(instruction, {}, boards.viewer)).outcome).toBe("done");
    await expect(does("Add a pie of units by product to Overview", {}, boards.viewer)).rejects.toThrow(
      /You may not do this: Make the chart .* bi:write is missing/,
    );
  });
});

describe("with a language model", () => {
  const PLAN = (more: object = {}) =>
    JSON.stringify({
      steps: [
        {
          tool: "create_widget",
          arguments: { name: "Takings", dataset_id: boards.datasetId, x_axis: "region", y_axis: ["revenue"] },
          says: "Make the chart Takings",
          ...more,
        },
      ],
    });
  const provide = () =>
    boards.call(
      "set_llm_provider",
      { name: "main", kind: "openai-compatible", model: "m", base_url: standIn.url, api_key: "k" },
      boards.admin,
    );

  it("comes to the same plan where the rules have a question, and says so", async () => {
    await provide();
    standIn.reply(PLAN());
    const { outcome, assumptions, steps } = await does("Whip up something about the takings, will you");
    expect({ outcome, assumptions }).toEqual({
      outcome: "done",
      assumptions: ["The instruction was read by a language model."],
    });
    expect(steps[0]).toMatchObject({ tool: "create_widget", status: "done" });
    expect(standIn.calls[0]?.text).toContain('"name":"Sales"');
  });

  it.each([
    [
      "a tool that deletes",
      { tool: "delete_asset", arguments: { asset_type: "dataset", asset_id: 1, confirm: true } },
    ],
    ["a dataset that is not there", { arguments: { name: "X", dataset_id: 999_999, x_axis: "region" } }],
    ["arguments that the tool does not take", { arguments: { nonsense: true } }],
  ])("is held to its tools: %s", async (_what, step) => {
    standIn.reply(PLAN(step));
    expect((await does("Whip up something about the takings, will you")).outcome).toBe("asked");
  });

  it("is not needed: when it fails, the rules' questions stand", async () => {
    standIn.reply({ status: 500 });
    expect((await does("Whip up something about the takings, will you")).outcome).toBe("asked");
  });
});
