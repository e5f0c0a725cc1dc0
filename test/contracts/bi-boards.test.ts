import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { startBoards } from "../support/boards.ts";
import { callOf, PATHS } from "../support/rpc.ts";

/** Dashboards, widgets, exports, embeds and search as seed 000 has them: by the real client and by the REST twin. */

const boards = await startBoards();
const { server, admin, editor, viewer, stranger, datasetId, make } = boards;
const tokens = { admin, editor, viewer, stranger };
type Who = keyof typeof tokens;

async function clientOf(token: string): Promise<Client> {
  const client = new Client({ name: "contract", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}${PATHS.bi}`), { requestInit }),
  );
  return client;
}
const clients = Object.fromEntries(
  await Promise.all(Object.entries(tokens).map(async ([who, token]) => [who, await clientOf(token)])),
) as Record<Who, Client>;
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  await boards.stop();
});

interface Told extends Record<string, unknown> {
  text: string;
  isError: boolean;
}

/** By the client, and then again by REST for what only reads. */
async function call(name: string, args: object, who: Who = "editor"): Promise<Told> {
  const result = await clients[who].callTool({ name, arguments: args as Record<string, unknown> });
  const [first] = result.content as { text?: string }[];
  return {
    ...(result.structuredContent as object),
    text: first?.text ?? "",
    isError: result.isError === true,
  };
}

async function rest(name: string, args: object, who: Who = "editor"): Promise<Told & { status: number }> {
  const response = await server.request(`${PATHS.bi}/tools/call`, {
    token: tokens[who],
    json: { name, arguments: args },
  });
  const body = (await response.json()) as {
    content: { text: string }[];
    isError: boolean;
    structuredContent?: object;
  };
  return {
    ...body.structuredContent,
    text: body.content[0]?.text ?? "",
    isError: body.isError,
    status: response.status,
  };
}

/** What the reference says of each parameter: type, ! for required, default, bounds and choices. */
const CHARTS =
  "column,line,bar,pie,donut,area,scatter,heatmap,funnel,treemap,gauge,singletext,datagrid2,recommendation";
const REFERENCE: Record<string, Record<string, string>> = {
  knowi_list_dashboards: {},
  knowi_find_widget: { name: "string!", dashboardId: "integer" },
  knowi_create_widget: {
    name: "string!",
    datasetId: "integer!",
    chartType: `string =column of ${CHARTS}`,
    xAxis: "string",
    yAxis: "string",
    groupBy: "string",
    series: "string",
    dashboardId: "integer",
  },
  knowi_update_widget: {
    widgetId: "integer!",
    filters: "array",
    c9ql: "string",
    chartType: `string of ${CHARTS.replace(",recommendation", "")}`,
    widgetName: "string",
    xAxis: "string",
    yAxis: "string",
    groupBy: "string",
  },
  knowi_layout_dashboard: { dashboardId: "integer!", widgets: "array!" },
  knowi_export_pdf: { dashboardId: "integer", widgetId: "integer" },
  knowi_export_csv: {
    dashboardId: "integer",
    widgetId: "integer",
    // Ours: the reference has no way to export a dataset.
    datasetId: "integer",
    limit: "integer =10000 1..200000",
  },
  knowi_get_embed_url: { dashboardId: "integer", widgetId: "integer" },
  knowi_search: { query: "string!", assetType: "string", limit: "integer =20 1.." },
  knowi_get_data: { widgetId: "integer", datasetId: "integer", limit: "integer =100 1.." },
  knowi_get_details: { assetType: "string!", assetId: "integer!" },
  knowi_delete: { assetType: "string!", assetId: "integer!", confirm: "boolean!" },
};

interface Schema {
  type: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

function inWords({ type, minimum, maximum, enum: choices, ...rest }: Schema, isRequired: boolean): string {
  const isBounded = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : "";
  return [
    `${type}${isRequired ? "!" : ""}`,
    ...(rest.default === undefined ? [] : [`=${rest.default}`]),
    ...(isBounded ? [`${minimum}..${most}`] : []),
    ...(choices === undefined ? [] : [`of ${choices.join(",")}`]),
  ].join(" ");
}

describe("every tool", () => {
  it.each(Object.entries(REFERENCE))(
    "[bi.boards.parameters] %s takes what the reference says",
    async (name, told) => {
      const { tools } = await clients.viewer.listTools();
      const listed = tools.find((tool) => tool.name === name)?.inputSchema;
      const response = await server.request(`${PATHS.bi}/tools/${name}`, { token: viewer });
      const { inputSchema } = (await response.json()) as { inputSchema: typeof listed };
      expect(inputSchema).toEqual(listed);
      const { properties = {}, required = [] } = listed ?? {};
      const words = Object.entries(properties as unknown as Record<string, Schema>).map(([key, schema]) => [
        key,
        inWords(schema, required.includes(key) && schema.default === undefined),
      ]);
      expect(Object.fromEntries(words)).toEqual(told);
    },
  );

  it.each<[string, object, number, RegExp]>([
    ["knowi_find_widget", {}, 400, /^Validation error.*name/],
    ["knowi_create_widget", { datasetId: 1 }, 400, /^Validation error.*name/],
    ["knowi_create_widget", { name: "W" }, 400, /^Validation error.*datasetId/],
    ["knowi_create_widget", { name: "W", datasetId: 99_999, xAxis: "x" }, 404, /^Not found.*dataset/],
    ["knowi_create_widget", { name: "W", datasetId, chartType: "line" }, 400, /x-axis.*region/],
    ["knowi_create_widget", { name: "", datasetId, xAxis: "region" }, 400, /^Validation error.*name/],
    ["knowi_update_widget", { widgetName: "X" }, 400, /^Validation error.*widgetId/],
    ["knowi_update_widget", { widgetId: 99_999 }, 404, /^Not found.*99999/],
    ["knowi_layout_dashboard", { dashboardId: 1 }, 400, /^Validation error.*widgets/],
    [
      "knowi_layout_dashboard",
      { dashboardId: 1, widgets: [{ widgetId: 1, col: 25, row: 1, sizeX: 1, sizeY: 1 }] },
      400,
      /col/,
    ],
    [
      "knowi_layout_dashboard",
      { dashboardId: 1, widgets: [{ widgetId: 1, col: 1, row: 0, sizeX: 1, sizeY: 1 }] },
      400,
      /row/,
    ],
    ["knowi_export_pdf", {}, 400, /One of/],
    ["knowi_export_pdf", { dashboardId: 1, widgetId: 1 }, 400, /only one/],
    ["knowi_export_csv", {}, 400, /one of/i],
    ["knowi_export_csv", { widgetId: 1, limit: 200_001 }, 400, /limit/],
    ["knowi_get_embed_url", {}, 400, /One of/],
    ["knowi_get_embed_url", { widgetId: 99_999 }, 404, /^Not found.*99999/],
    ["knowi_search", {}, 400, /^Validation error.*query/],
    ["knowi_search", { query: "x", assetType: "planet" }, 400, /planet/],
    ["knowi_get_data", {}, 400, /one of/i],
    ["knowi_get_data", { widgetId: 99_999 }, 404, /^Not found.*99999/],
    ["knowi_get_details", { assetType: "dashboard" }, 400, /^Validation error.*assetId/],
    ["knowi_get_details", { assetType: "dashboard", assetId: 99_999 }, 404, /^Not found.*99999/],
    ["knowi_get_details", { assetType: "planet", assetId: 1 }, 400, /planet/],
    ["knowi_delete", { assetType: "widget", assetId: 99_999 }, 400, /^Validation error.*confirm/],
    ["knowi_delete", { assetType: "widget", assetId: 99_999, confirm: true }, 404, /^Not found.*99999/],
    ["knowi_list_dashboards", { page: 2 }, 400, /^Validation error.*page/],
  ])("[bi.boards.refusals] %s refuses %j", async (name, args, status, text) => {
    const told = await call(name, args);
    expect(told).toMatchObject({ isError: true, text: expect.stringMatching(text) });
    expect(await rest(name, args)).toMatchObject({ status, isError: true, text: told.text });
  });
});

describe("list_dashboards, find_widget", () => {
  it("[bi.list-dashboards] gives ids, names and widget counts, in every role", async () => {
    const { dashboard_id: id } = await make({ name: "Listed" });
    for (const who of ["admin", "editor", "viewer"] as const) {
      const seen = await call("knowi_list_dashboards", {}, who);
      expect(seen.dashboards).toContainEqual(
        expect.objectContaining({ id, name: "Listed", widget_count: 2 }),
      );
      expect(await rest("knowi_list_dashboards", {}, who)).toMatchObject({
        status: 200,
        message: seen.message,
      });
    }
    expect(await call("knowi_list_dashboards", {}, "stranger")).toMatchObject({
      message: "Found 0 dashboards",
    });
  });

  it("[bi.find-widget] finds by part of a name, within a dashboard", async () => {
    const { dashboard_id: dashboardId } = await make();
    const found = await call("knowi_find_widget", { name: "revenue by", dashboardId }, "viewer");
    expect(found).toMatchObject({
      total: 1,
      widgets: [{ name: "Revenue by region", chart_type: "column", dataset_id: datasetId }],
    });
    expect(await rest("knowi_find_widget", { name: "x", dashboardId: 99_999 })).toMatchObject({
      status: 404,
      isError: true,
    });
  });
});

describe("create_widget, update_widget, layout_dashboard", () => {
  it("[bi.create-widget.parameters] takes all that the seed names, and is a column by default", async () => {
    const made = await call("knowi_create_widget", {
      name: "W",
      datasetId,
      xAxis: "region",
      yAxis: "revenue",
    });
    expect(made).toMatchObject({ chart_type: "column", dashboard_id: null });
    const { dashboard_id: dashboardId } = await make();
    const all = {
      name: "All",
      datasetId,
      chartType: "line",
      xAxis: "day",
      yAxis: "revenue",
      groupBy: "region",
      series: "revenue, units",
      dashboardId,
    };
    const full = await rest("knowi_create_widget", all);
    expect(full).toMatchObject({ status: 200, chart_type: "line", dashboard_id: dashboardId });
    const details = await call("knowi_get_details", { assetType: "widget", assetId: full.widget_id });
    expect(details.details).toMatchObject({
      x_axis: "day",
      y_axis: ["revenue", "units"],
      group_by: "region",
    });
  });

  it("[bi.create-widget.fields] refuses a wrong field with the right ones", async () => {
    const wrong = { name: "W", datasetId, xAxis: "regions", yAxis: "revenue" };
    expect(await call("knowi_create_widget", wrong)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^Validation error.*region/),
    });
  });

  it("[bi.create-widget.types] knows the 14 chart types, and refuses others", async () => {
    const types =
      "column line bar pie donut area scatter heatmap funnel treemap gauge singletext datagrid2 recommendation";
    for (const chartType of types.split(" ")) {
      const args = {
        name: chartType,
        datasetId,
        chartType,
        xAxis: chartType === "scatter" ? "units" : "region",
        yAxis: "revenue",
        groupBy: "product",
      };
      expect(await call("knowi_create_widget", args)).toMatchObject({
        isError: false,
        chart_type: chartType,
      });
    }
    expect(await rest("knowi_create_widget", { name: "W", datasetId, chartType: "radar" })).toMatchObject({
      status: 400,
    });
  });

  it("[bi.create-widget.write] is for those who may write", async () => {
    const args = { name: "W", datasetId, xAxis: "region" };
    expect(await call("knowi_create_widget", args, "viewer")).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^Access denied/),
    });
    expect(await rest("knowi_create_widget", args, "stranger")).toMatchObject({ status: 404 });
  });

  it("[bi.update-widget.filters] filters replace the former ones, with every operator", async () => {
    const { widgets } = await make();
    const widgetId = widgets[0]?.widget_id;
    const rowsWith = async (operator: string, value: unknown, field = "units") => {
      expect(
        await call("knowi_update_widget", { widgetId, filters: [{ field, operator, value }] }),
      ).toMatchObject({ isError: false });
      return (await call("knowi_get_data", { widgetId })).totalRows;
    };
    expect(await rowsWith("=", 10)).toBe(1);
    expect(await rowsWith("!=", 10)).toBe(3);
    expect(await rowsWith(">", 10)).toBe(1);
    expect(await rowsWith("<", 10)).toBe(2);
    expect(await rowsWith(">=", 10)).toBe(2);
    expect(await rowsWith("<=", 1)).toBe(1);
    expect(await rowsWith("like", "nor", "region")).toBe(1);
    expect(await rowsWith("in", ["North", "South"], "region")).toBe(2);
    expect(await rowsWith("between", [5, 10])).toBe(1);
  });

  it("[bi.update-widget.c9ql] C9QL replaces the whole transformation", async () => {
    const widgetId = (await make()).widgets[0]?.widget_id;
    await call("knowi_update_widget", {
      widgetId,
      filters: [{ field: "region", operator: "=", value: "East" }],
    });
    await call("knowi_update_widget", { widgetId, c9ql: "select * where units >= 10" });
    const { details } = (await call("knowi_get_details", { assetType: "widget", assetId: widgetId })) as {
      details?: object;
    };
    expect(details).toMatchObject({ filters: [], c9ql: "select * where units >= 10" });
    expect(await call("knowi_get_data", { widgetId })).toMatchObject({ totalRows: 2 });
  });

  it("[bi.update-widget.display] chart type, name and fields are saved at once; recommendation cannot be set", async () => {
    const widgetId = (await make()).widgets[0]?.widget_id;
    const change = {
      widgetId,
      chartType: "bar",
      widgetName: "Renamed",
      xAxis: "product",
      yAxis: "units",
      groupBy: "region",
    };
    expect(await rest("knowi_update_widget", change)).toMatchObject({
      status: 200,
      name: "Renamed",
      chart_type: "bar",
    });
    expect(await call("knowi_get_details", { assetType: "widget", assetId: widgetId })).toMatchObject({
      details: { x_axis: "product", y_axis: ["units"], group_by: "region" },
    });
    expect(await call("knowi_update_widget", { widgetId, chartType: "recommendation" })).toMatchObject({
      isError: true,
    });
    expect(await call("knowi_update_widget", { widgetId: 99_999, widgetName: "X" })).toMatchObject({
      isError: true,
    });
  });

  it("[bi.layout] sets places on 24 columns, and refuses overlaps", async () => {
    const { dashboard_id: dashboardId, widgets } = await make();
    const [first, second] = widgets.map(({ widget_id }) => widget_id);
    const at = (widgetId: number | undefined, col: number) => ({
      widgetId,
      col,
      row: 1,
      sizeX: 12,
      sizeY: 16,
    });
    const laid = await call("knowi_layout_dashboard", {
      dashboardId,
      widgets: [at(first, 13), at(second, 1)],
    });
    expect(laid).toMatchObject({
      widgets: [
        { widget_id: second, place: { col: 1 } },
        { widget_id: first, place: { col: 13 } },
      ],
    });
    const overlapping = { dashboardId, widgets: [at(first, 1), at(second, 5)] };
    expect(await rest("knowi_layout_dashboard", overlapping)).toMatchObject({
      status: 400,
      text: expect.stringContaining("overlap"),
    });
    const wide = { dashboardId, widgets: [{ ...at(first, 1), sizeY: 17 }] };
    expect(await rest("knowi_layout_dashboard", wide)).toMatchObject({ status: 400 });
  });
});

describe("exports and embeds", () => {
  it("[bi.export-pdf] gives base64 of a PDF, and a link beside it", async () => {
    const { dashboard_id: dashboardId, widgets } = await make();
    for (const args of [{ dashboardId }, { widgetId: widgets[0]?.widget_id }]) {
      const { body } = await callOf(server, PATHS.bi, "knowi_export_pdf", args, { token: viewer });
      const result = body.result as unknown as {
        content: { type: string; uri?: string }[];
        structuredContent: { content_base64: string };
      };
      expect(Buffer.from(result.structuredContent.content_base64, "base64").subarray(0, 5).toString()).toBe(
        "%PDF-",
      );
      expect(result.content[1]).toMatchObject({ type: "resource_link", mimeType: "application/pdf" });
    }
    expect(await rest("knowi_export_pdf", {})).toMatchObject({
      status: 400,
      text: expect.stringContaining("One of"),
    });
    expect(await rest("knowi_export_pdf", { dashboardId }, "stranger")).toMatchObject({ status: 404 });
  });

  it("[bi.export-csv.dashboard] a widget is a CSV file, and a dashboard one for each widget", async () => {
    const { dashboard_id: dashboardId, widgets } = await make();
    const one = await call("knowi_export_csv", { widgetId: widgets[0]?.widget_id }, "viewer");
    const text = Buffer.from(one.content_base64 as string, "base64").toString();
    expect(text).toBe("region,Sum of revenue\r\nSouth,250\r\nNorth,160.5\r\nEast,9.5\r\n");
    const all = await rest("knowi_export_csv", { dashboardId, limit: 2 }, "viewer");
    expect(all.files).toMatchObject([
      {
        file_name: "Revenue by region.csv",
        rows: 2,
        total_rows: 3,
        truncated: true,
        content_base64: expect.any(String),
      },
      { file_name: "Units.csv", rows: 1 },
    ]);
    expect(await rest("knowi_export_csv", { dashboardId: 99_999 })).toMatchObject({ status: 404 });
  });

  it("[bi.embed-url] gives a URL for a dashboard or a widget", async () => {
    const { dashboard_id: dashboardId, widgets } = await make();
    expect(await call("knowi_get_embed_url", { dashboardId })).toMatchObject({
      url: expect.stringMatching(/\/embed\/.+#.+/),
    });
    expect(await rest("knowi_get_embed_url", { widgetId: widgets[1]?.widget_id })).toMatchObject({
      status: 200,
    });
    expect(await rest("knowi_get_embed_url", {})).toMatchObject({ status: 400 });
    expect(await call("knowi_get_embed_url", { dashboardId }, "viewer")).toMatchObject({ isError: true });
  });
});

describe("search, details, data, delete", () => {
  it("[bi.search] [bi.search.every-type] finds assets of all types, filtered by type and limited", async () => {
    const { dashboard_id: id } = await make({ name: "Customer retention" });
    const found = await call(
      "knowi_search",
      { query: "customer retention", assetType: "dashboard" },
      "viewer",
    );
    expect(found.results).toMatchObject([{ asset_type: "dashboard", id }]);
    const limited = await rest("knowi_search", { query: "revenue", limit: 1 }, "viewer");
    expect(limited.results).toHaveLength(1);
    expect(await call("knowi_search", { query: "customer retention" }, "stranger")).toMatchObject({
      results: [],
    });
    for (const assetType of ["dashboard", "widget", "dataset", "query", "report", "alert"]) {
      const ofType = await rest("knowi_search", { query: "revenue", assetType }, "viewer");
      expect(ofType.status).toBe(200);
      for (const hit of ofType.results as { asset_type: string }[]) expect(hit.asset_type).toBe(assetType);
    }
  });

  it("[bi.limits.beyond] a limit beyond ours gives what there is", async () => {
    expect(await rest("knowi_search", { query: "revenue", limit: 5_000 }, "viewer")).toMatchObject({
      status: 200,
    });
    expect(await call("knowi_get_data", { datasetId, limit: 1_000_000 }, "viewer")).toMatchObject({
      totalRows: 4,
      returnedRows: 4,
    });
  });

  it("[bi.get-data.widget] gives the rows that a widget shows", async () => {
    const widgetId = (await make()).widgets[0]?.widget_id;
    const page = await rest("knowi_get_data", { widgetId, limit: 1 }, "viewer");
    expect(page).toMatchObject({
      rows: [{ region: "South", "Sum of revenue": 250 }],
      totalRows: 3,
      returnedRows: 1,
    });
  });

  it("[bi.get-details.dashboard] tells the widget count of a dashboard and the configuration of a widget", async () => {
    const { dashboard_id: assetId, widgets } = await make();
    expect(await call("knowi_get_details", { assetType: "dashboard", assetId }, "viewer")).toMatchObject({
      details: { widget_count: 2 },
    });
    const widget = { assetType: "widget", assetId: widgets[0]?.widget_id };
    expect(await rest("knowi_get_details", widget)).toMatchObject({
      details: { chart_type: "column", x_axis: "region", y_axis: ["revenue"] },
    });
    expect(await rest("knowi_get_details", widget, "stranger")).toMatchObject({ status: 404 });
  });

  it("[bi.delete.dashboard] deletes dashboards and widgets, when it is confirmed", async () => {
    const { dashboard_id: dashboardId, widgets } = await make();
    const widget = { assetType: "widget", assetId: widgets[0]?.widget_id };
    expect(await call("knowi_delete", { ...widget, confirm: false })).toMatchObject({ isError: true });
    expect(await call("knowi_delete", { ...widget, confirm: true }, "viewer")).toMatchObject({
      isError: true,
    });
    expect(await call("knowi_delete", { ...widget, confirm: true })).toMatchObject({ deleted: true });
    const dashboard = { assetType: "dashboard", assetId: dashboardId, confirm: true };
    expect(await rest("knowi_delete", dashboard)).toMatchObject({ status: 200 });
    expect(await rest("knowi_delete", dashboard)).toMatchObject({ status: 404 });
  });

  it("[bi.access] who may not change a dashboard is told so, and who may not see it finds nothing", async () => {
    const { dashboard_id: dashboardId, widgets } = await make({ access: { shared: "view" } });
    const other = await server.token({ role: "contributor" });
    const change = { widgetId: widgets[0]?.widget_id, widgetName: "X" };
    const denied = await callOf(server, PATHS.bi, "knowi_update_widget", change, { token: other });
    expect(denied.body.result?.content[0]?.text).toMatch(/^Access denied: you do not have permission/);
    const hidden = await callOf(server, PATHS.bi, "knowi_export_csv", { dashboardId }, { token: stranger });
    expect(hidden.body.result?.content[0]?.text).toMatch(/^Not found/);
  });
});
