import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { noise, randomOf } from "../../../../test/support/made-series.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const BI = "/api/2.0/mcp";
const { server, admin, editor, viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

interface Found {
  insights: {
    kind: string;
    sentence: string;
    widget_id: number | null;
    numbers: Record<string, number | string>;
  }[];
  recommendations: string[];
  message: string;
}

const bi = (args: Record<string, unknown>, who = editor) =>
  resultOf<Found>(server, who, "knowi_get_insights", args, BI);

/** Sales of half a year: the north is lost in April, a wild day in May, and a hidden region that only rises. */
const REGIONS = ["north", "south", "east", "hidden"];
let widgetId: number;
let dashboardId: number;
let datasetId: number;

beforeAll(async () => {
  const random = randomOf(11);
  const rows = REGIONS.flatMap((region) => {
    const strays = noise(random, 180, 0.3);
    return strays.map((stray, i) => {
      const day = new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);
      const level = region === "north" && i >= 90 ? 20 : region === "hidden" ? 50 + i : 100;
      const wild = region === "south" && i === 130 ? 400 : 0;
      return { day, region, revenue: Math.round((level + wild + 6 * stray) * 100) / 100 };
    });
  });
  datasetId = await makeDataset(server, editor, "Half a year", rows);
  const made = await make({
    name: "Insights",
    widgets: [
      { name: "Revenue", dataset_id: datasetId, chart_type: "line", x_axis: "day", y_axis: ["revenue"] },
      { name: "Regions", dataset_id: datasetId, x_axis: "region", y_axis: ["revenue"] },
    ],
  });
  dashboardId = made.dashboard_id;
  widgetId = made.widgets[0]?.widget_id ?? 0;
  const policies = [
    {
      name: "seen",
      roles: ["contributor", "viewer"],
      rows: [{ field: "region", operator: "!=", value: "hidden" }],
    },
  ];
  await call("set_dataset_policies", { dataset_id: datasetId, policies }, admin);
});

describe("get_insights", () => {
  it("[bi.get-insights.widget] [bi.get-insights.access] finds what was planted, in what the caller may see", async () => {
    const { insights, recommendations } = await bi({ widgetId });
    const change = insights.find(({ kind }) => kind === "change");
    expect(change?.sentence).toContain("Apr 1, 2026");
    expect(change?.sentence).toMatch(
      /^Revenue for north fell by \d+(\.\d)?% on Apr 1, 2026 and stayed there: about /,
    );
    expect(change?.numbers).toMatchObject({ field: "region", value: "north" });
    expect(change?.numbers.before).toBeGreaterThan(90);
    expect(change?.numbers.after).toBeLessThan(30);
    expect(insights.find(({ kind }) => kind === "outlier")?.sentence).toContain("May 11, 2026");
    expect(insights.find(({ kind }) => kind === "driver")?.sentence).toMatch(
      /^North \(.*\) accounts for .* of the fall in revenue \(−.*\) in the 12 days since Apr 1, 2026 against the 12 days before\.$/,
    );
    expect(insights.length).toBeLessThanOrEqual(5);
    expect(recommendations.length).toBeGreaterThan(0);
    expect(JSON.stringify(insights)).not.toContain("hidden");
    const all = await bi({ widgetId }, admin);
    expect(all.message).not.toBe((await bi({ widgetId })).message);
  });

  it("[bi.get-insights.dashboard] looks at all widgets of a dashboard, and at datasets", async () => {
    const { insights } = await bi({ dashboardId });
    expect(insights.some((insight) => insight.widget_id === widgetId)).toBe(true);
    expect(insights.length).toBeLessThanOrEqual(10);
    const ofDataset = await call<Found>("get_insights", { dataset_id: datasetId });
    expect(ofDataset.insights.map(({ kind }) => kind)).toContain("change");
  });

  it("[bi.get-insights.context] puts what is asked for first", async () => {
    const [first] = (await bi({ widgetId, context: "focus on anomalies" })).insights;
    expect(first?.kind).toBe("outlier");
  });

  it("[bi.get-insights.one-required] refuses what it cannot look at", async () => {
    await expect(bi({})).rejects.toThrow(/One of widgetId or dashboardId is required/);
    await expect(bi({ widgetId, dashboardId })).rejects.toThrow(/only one/);
    await expect(bi({ widgetId: 999_999 })).rejects.toThrow(/no widget/);
    await expect(bi({ dashboardId }, stranger)).rejects.toThrow(/no dashboard/);
    expect((await bi({ dashboardId }, viewer)).insights.length).toBeGreaterThan(0);
    expect((await callTool(server, undefined, "knowi_get_insights", { widgetId }, BI)).status).toBe(401);
  });

  it.each([
    ["day", 1],
    ["week", 7],
  ])(
    "tells the loss of a part first, and no season of the year as news, of rows of each %s",
    async (grain, step) => {
      const random = randomOf(29 + step);
      const days = Math.round(2.9 * 365);
      const rows = ["Denmark", "Norway", "Sweden", "Finland"].flatMap((country) =>
        noise(random, Math.floor(days / step), 0.2).map((stray, i) => {
          const day = i * step;
          const season = 1 + 0.5 * Math.cos(((day - 150) / 365.25) * 2 * Math.PI);
          const level = country === "Denmark" && day >= days - 70 ? 20 : 100;
          const date = new Date(Date.UTC(2026, 5, 28 - days + day)).toISOString().slice(0, 10);
          return { date, country, sold: Math.round(step * level * season * (1 + 0.1 * stray)) };
        }),
      );
      const dataset_id = await makeDataset(server, editor, `Years by ${grain}`, rows);
      const line = { dataset_id, chart_type: "line", x_axis: "date", y_axis: ["sold"] };
      const { dashboard_id } = await make({
        name: `Years by ${grain}`,
        widgets: [
          { ...line, name: "Months", options: { grain: "month" } },
          { ...line, name: "Quarters", options: { grain: "quarter" } },
          { ...line, name: "Countries", x_axis: "country", chart_type: "bar" },
          { ...line, name: "Advice", chart_type: "recommendation" },
        ],
      });
      const { insights } = await call<Found>("get_insights", { dashboard_id });
      expect(insights[0]?.sentence).toContain("for Denmark");
      const changes = insights.filter(({ kind }) => kind === "change" || kind === "trend");
      for (const { sentence } of changes) expect(sentence).toMatch(/Apr \d+, 2026/);
      expect(new Set(insights.map(({ sentence }) => sentence)).size).toBe(insights.length);
    },
  );

  it("[bi.create-widget.recommendation] shows on a widget of recommendations what stands out in its own dataset", async () => {
    const rain = noise(randomOf(5), 120, 0.2).map((stray, i) => ({
      day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
      rain: (i < 60 ? 20 : 90) + stray,
    }));
    const rainId = await makeDataset(server, editor, "Rain", rain);
    const advice = { name: "Advice", chartType: "recommendation", datasetId: rainId, dashboardId };
    const { widget_id } = await resultOf<{ widget_id: number }>(
      server,
      editor,
      "knowi_create_widget",
      advice,
      BI,
    );
    const { insights } = await bi({ widgetId: widget_id });
    expect(insights[0]?.sentence).toMatch(/^Rain rose/);
    expect(insights.some(({ sentence }) => /revenue/i.test(sentence))).toBe(false);
    const { url } = await call<{ url: string }>("get_embed_url", { dashboard_id: dashboardId });
    const { pathname, hash } = new URL(url);
    const headers = { "x-embed-secret": hash.slice(1) };
    const page = await server.request(`${pathname}/view`, { method: "POST", body: "width=1200", headers });
    const words = (await page.text()).replaceAll(/\s+/g, " ");
    expect(words).toContain("Rain rose");
    expect(words).not.toContain("for north");
    const { columns } = await call<{ columns: { name: string }[] }>("get_data", { widget_id });
    expect(columns.map(({ name }) => name)).toEqual(["day", "rain"]);
  });

  it("tells of a part that falls silent for days", async () => {
    const random = randomOf(41);
    const rows = Array.from({ length: 200 }, (_, i) => i).flatMap((i) => {
      const day = new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);
      const online = i === 120 || i === 121 ? 0 : 6 + Math.floor(random() * 5);
      const shops = 8 + Math.floor(random() * 5);
      return [
        ...Array.from({ length: online }, () => ({ day, sold_by: "Online", amount: 10 })),
        ...Array.from({ length: shops }, () => ({ day, sold_by: "Shops", amount: 10 })),
      ];
    });
    const dataset_id = await makeDataset(server, editor, "Channels", rows);
    const { insights } = await call<Found>("get_insights", { dataset_id });
    const silence = insights.find(({ kind }) => kind === "missing");
    expect(silence?.sentence).toMatch(
      /^There are no rows for Online from May 1, 2026 to May 2, 2026, where about 1[5-7] were to be expected\.$/,
    );
  });

  it("[bi.create-widget.types] stands on a widget of recommendations word for word, as its reader may see it", async () => {
    const { widgets } = await make({
      name: "Advice",
      widgets: [
        { name: "Revenue", dataset_id: datasetId, chart_type: "line", x_axis: "day", y_axis: ["revenue"] },
        {
          name: "Says",
          dataset_id: datasetId,
          chart_type: "recommendation",
          x_axis: "day",
          y_axis: ["revenue"],
          place: { col: 1, row: 20, sizeX: 12, sizeY: 12 },
        },
      ],
    });
    const shownTo = async (who: string) => {
      const args = { widgetId: widgets[1]?.widget_id };
      const file = await resultOf<{ content_base64: string }>(server, who, "knowi_export_pdf", args, BI);
      const input = Buffer.from(file.content_base64, "base64");
      return spawnSync("pdftotext", ["-raw", "-", "-"], { input }).stdout.toString().replace(/\s+/g, " ");
    };
    for (const who of [viewer, admin]) {
      const { insights } = await bi({ widgetId: widgets[1]?.widget_id }, who);
      const text = await shownTo(who);
      for (const { sentence } of insights.slice(0, 3)) expect(text).toContain(sentence);
      for (const { sentence } of insights.slice(3)) expect(text).not.toContain(sentence);
    }
    expect(await shownTo(viewer)).not.toContain("hidden");
    expect(await shownTo(admin)).not.toBe(await shownTo(viewer));
  });

  it("takes neither a missing value nor a measured number for a category", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({
      maker: i < 20 ? null : i < 24 ? "Big" : `Small ${i}`,
      speed: 100 + i,
      cost: i < 20 ? 900 : i < 24 ? 700 : 1,
    }));
    const dataset_id = await makeDataset(server, editor, "Strikes", rows);
    const { widgets } = await make({
      widgets: ["maker", "speed"].map((x_axis) => ({ name: x_axis, dataset_id, x_axis, y_axis: ["cost"] })),
    });
    const [maker, speed] = await Promise.all(widgets.map(({ widget_id }) => bi({ widgetId: widget_id })));
    expect(maker?.insights[0]?.sentence).toMatch(/^Big, .* of 37 values of maker /);
    expect(speed?.insights).toEqual([]);
  });

  it("takes an integer year for time, and tells what it says in plain words", async () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({
      Year: 1970 + i,
      farm: i % 2 === 0 ? "Dale" : "Hill",
      harvest: 1_000 + 40 * i + 15 * ((i * 7) % 5),
    }));
    const id = await makeDataset(server, editor, "Harvests", rows);
    const found = await resultOf<Found & { tests: number }>(server, editor, "get_insights", {
      dataset_id: id,
    });
    expect(found.tests).toBeGreaterThan(0);
    const sentences = found.insights.map(({ sentence }) => sentence).join("\n");
    expect(sentences).toMatch(/^Harvest rose from about [\d,]+ in 1970 to about [\d,]+ in 2019 \(/m);
    expect(sentences).not.toMatch(/Sum of Year|k9|standard deviation|correlation|rounds of/);
    const { widget_id } = await call<{ widget_id: number }>("create_widget", {
      name: "By year",
      dataset_id: id,
      chart_type: "line",
      x_axis: "Year",
      y_axis: ["harvest"],
    });
    const drawn = await bi({ widgetId: widget_id });
    expect(drawn.insights.map(({ kind }) => kind)).toContain("trend");
    const { widget_id: inEuros } = await call<{ widget_id: number }>("create_widget", {
      name: "In euros",
      dataset_id: id,
      chart_type: "line",
      x_axis: "Year",
      y_axis: ["harvest"],
      options: { format: "money:EUR" },
    });
    expect((await bi({ widgetId: inEuros })).message).toMatch(/^Harvest rose from about €[\d,]+ in 1970 to/m);
  });

  it.each([
    ["as numbers", (year: number) => year],
    ["as texts", String],
  ])(
    "takes years %s that come in steps for a series, by parts, and leaves out what is between",
    async (kind, write) => {
      const strays = noise(randomOf(17), 40, 0);
      const rows = strays.flatMap((stray, i) => [
        { year: write(1810 + 5 * i), port: "Calder", cargo: 1_000 + 60 * i + 10 * stray },
        { year: write(1810 + 5 * i), port: "Moss", cargo: (i < 20 ? 900 : 200) + 10 * stray },
      ]);
      rows.push({ year: write(1883), port: "Moss", cargo: 90_000 });
      const dataset_id = await makeDataset(server, editor, `Ports ${kind}`, rows);
      const { insights } = await call<Found>("get_insights", { dataset_id });
      const sentences = insights.map(({ sentence }) => sentence).join("\n");
      expect(sentences).toMatch(
        /^Cargo for Calder rose from about [\d,]+ in 1810 to about [\d,]+ in 2005 \(\+2\d\d(\.\d)?%, \+1[12](\.\d)? a year\)\.$/m,
      );
      expect(sentences).toMatch(/^Cargo for Moss fell by 7\d(\.\d)?% in 1910 and stayed there/m);
      expect(sentences).not.toMatch(/no rows|90,000|values of year/);
    },
  );

  it("says how many periods there are where they are too few, and not that nothing stands out", async () => {
    const rows = Array.from({ length: 11 }, (_, i) => ({ year: 1955 + 5 * i, pop: 100 + i * i }));
    const dataset_id = await makeDataset(server, editor, "Census", rows);
    const { insights, message, notes } = await call<Found & { notes: string[] }>("get_insights", {
      dataset_id,
    });
    expect(insights).toEqual([]);
    expect(message).toBe(
      "Census: what changed in pop cannot be told, for there are too few periods: 11 whole years (every 5 years) of at least 12.",
    );
    expect(notes).toEqual([message]);
  });

  it("takes texts that are not all years, under the name of a year, for no time", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({ year: i === 9 ? "n/a" : `${1900 + i}`, pop: i }));
    const dataset_id = await makeDataset(server, editor, "Odd years", rows);
    const { insights } = await call<Found>("get_insights", { dataset_id });
    expect(insights.filter(({ kind }) => kind === "trend")).toEqual([]);
  });

  it("tells no share of what goes through zero", async () => {
    const rows = noise(randomOf(23), 100, 0).map((stray, i) => ({
      year: 1900 + i,
      anomaly: -0.25 + i / 100 + 0.02 * stray,
    }));
    const dataset_id = await makeDataset(server, editor, "Warmth", rows);
    const { insights } = await call<Found>("get_insights", { dataset_id });
    const trend = insights.find(({ kind }) => kind === "trend");
    expect(trend?.sentence).toMatch(
      /^Anomaly rose from about −0\.\d+ in 1900 to about 0\.\d+ in 1999 \(\+0\.\d+ a year\)\.$/,
    );
  });

  it("takes the row of a total for no part, and does not count it twice", async () => {
    const strays = noise(randomOf(31), 60, 0);
    const rows = strays.flatMap((stray, i) => {
      const [flood, quake] = [Math.round(700 - 8 * i + 5 * stray), Math.round(900 - 8 * i - 4 * stray)];
      const [year, nobody] = [1950 + i, null];
      return [
        { year, kind: "Flood", deaths: flood },
        { year, kind: "Earthquake", deaths: quake },
        { year, kind: nobody, deaths: 300 },
        { year, kind: "All disasters", deaths: flood + quake + 300 },
      ];
    });
    const dataset_id = await makeDataset(server, editor, "Disasters", rows);
    const { insights, notes } = await call<Found & { notes: string[] }>("get_insights", { dataset_id });
    const sentences = insights.map(({ sentence }) => sentence).join("\n");
    expect(sentences).toMatch(/^Deaths (for Earthquake )?fell from about/m);
    expect(sentences).not.toContain("All disasters");
    expect(notes).toEqual(["Disasters: All disasters is the total of the others by kind, and was left out."]);
    const whole = insights.find(({ sentence }) => /^Deaths fell/.test(sentence));
    expect(whole?.numbers.start).toBeLessThan(1_950);
    expect(whole?.numbers.start).toBeGreaterThan(1_850);
  });

  it("tells no season in which nothing differs", async () => {
    const rows = Array.from({ length: 120 }, (_, i) => ({
      day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
      share: 100_000 + (i % 7) / 100,
    }));
    const id = await makeDataset(server, editor, "Flat", rows);
    const { insights } = await resultOf<Found>(server, editor, "get_insights", { dataset_id: id });
    expect(insights.filter(({ sentence }) => /\(0(\.0)?%/.test(sentence))).toEqual([]);
  });

  it("says that nothing stands out where nothing does", async () => {
    const strays = noise(randomOf(3), 90, 0.4);
    const rows = strays.map((stray, i) => ({
      at: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
      n: 50 + stray,
    }));
    const dataset_id = await makeDataset(server, editor, "Quiet", rows);
    expect(await call("get_insights", { dataset_id })).toMatchObject({
      insights: [],
      message: expect.stringContaining("Nothing stands out"),
    });
  });
});
