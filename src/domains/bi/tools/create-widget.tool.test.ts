import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { makeDataset } from "../../../../test/support/datasets.ts";
import { openShop, refusalsOf, type Shop } from "../../../../test/support/models.ts";

const { server, editor, viewer, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

const create = (more: object) => call("create_widget", { name: "W", dataset_id: datasetId, ...more });
const rowsOf = async (id: unknown) => (await call<{ rows: object[] }>("get_data", { widget_id: id })).rows;

it("makes a widget that stands alone, or on a dashboard in the first free place", async () => {
  expect(await create({ x_axis: "region", y_axis: ["units"] })).toMatchObject({
    dashboard_id: null,
    chart_type: "column",
    place: null,
  });
  const { dashboard_id } = await make();
  const placed = await create({ x_axis: "region", chart_type: "pie", dashboard_id });
  expect(placed).toMatchObject({ dashboard_id, place: { col: 1, row: 9, sizeX: 12 } });
});

it("lets the engine put values together, by what they are", async () => {
  const sums = await create({ x_axis: "region", y_axis: ["revenue"] });
  expect(await rowsOf(sums.widget_id)).toEqual([
    { region: "South", "Sum of revenue": 250 },
    { region: "North", "Sum of revenue": 160.5 },
    { region: "East", "Sum of revenue": 9.5 },
  ]);
  const prices = await create({ x_axis: "region", y_axis: ["price"] });
  expect((await rowsOf(prices.widget_id))[0]).toEqual({ region: "South", "Average of price": 12 });
  const weather = ["north", "south"].flatMap((place) =>
    [8, 12].map((temp) => ({ place, temp_max: temp, wind: 2, RatingPct: 50, total_price: 3, "Share %": 4 })),
  );
  const dataset_id = await makeDataset(server, editor, "Weather", weather);
  const y_axis = ["temp_max", "wind", "RatingPct", "total_price", "Share %"];
  const measured = await create({ dataset_id, x_axis: "place", y_axis });
  expect(await rowsOf(measured.widget_id)).toContainEqual({
    place: "north",
    "Average of temp_max": 10,
    "Average of wind": 2,
    "Average of RatingPct": 50,
    "Sum of total_price": 6,
    "Average of Share %": 4,
  });
  const counts = await create({ x_axis: "day", y_axis: ["product"], options: { grain: "month" } });
  expect(await rowsOf(counts.widget_id)).toMatchObject([
    { "Count of product": 2 },
    { "Count of product": 1 },
    { "Count of product": 1 },
  ]);
});

it("refuses a wrong field with the right ones, and whatever else cannot be drawn", async () => {
  await expect(create({ x_axis: "regoin" })).rejects.toThrow(/no field "regoin" in Sales.*region, /s);
  await expect(create({ x_axis: "region", y_axis: ["revenu"] })).rejects.toThrow(/revenue/);
  await expect(create({})).rejects.toThrow(/needs a field for its x-axis/);
  await expect(create({ chart_type: "heatmap", x_axis: "region" })).rejects.toThrow(/group by/);
  await expect(create({ chart_type: "scatter", x_axis: "units", y_axis: ["region"] })).rejects.toThrow(
    /numbers/,
  );
  await expect(create({ x_axis: "region", options: { c9ql: "select nothing" } })).rejects.toThrow(
    /no field "nothing"/,
  );
  await expect(create({ dataset_id: 99_999, x_axis: "a" })).rejects.toThrow(/no dataset/);
  await expect(create({ name: " ", x_axis: "region" })).rejects.toThrow(/name has/);
});

it("says where options belong, and takes them as they come inside a list of widgets", async () => {
  await expect(create({ x_axis: "region", c9ql: "limit 1" })).rejects.toThrow(
    /c9ql belongs in options: options.c9ql/,
  );
  const filters = [{ field: "region", operator: "=", value: "North" }];
  const { widgets } = await make({
    widgets: [{ name: "W", dataset_id: datasetId, x_axis: "region", filters, options: { top: 3 } }],
  });
  expect(await rowsOf(widgets[0]?.widget_id)).toEqual([{ region: "North", Count: 2 }]);
});

describe("on a semantic model", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop(server);
  });

  it("shows metrics by fields of several datasets, with the model's filters and formats", async () => {
    const options = { model: "shop" };
    const byCity = await call("create_widget", {
      name: "W",
      x_axis: "city",
      y_axis: ["revenue", "profit"],
      options,
    });
    expect(await rowsOf(byCity.widget_id)).toEqual([
      { City: "Bern", Revenue: 40, Profit: 25 },
      { City: "Rome", Revenue: 20, Profit: 11 },
    ]);
    const filters = [{ field: "orders.region", operator: "!=", value: "North" }];
    const one = await call("create_widget", {
      name: "W",
      chart_type: "singletext",
      y_axis: ["revenue"],
      options: { ...options, filters },
    });
    expect(await rowsOf(one.widget_id)).toEqual([{ Revenue: 20 }]);
    const { widgets, dashboard_id } = await make({
      filters: [{ field: "city", value: "Bern" }],
      widgets: ["bar", "pie", "datagrid2", "gauge", "recommendation", "heatmap", "scatter"].map(
        (chart_type) => ({
          name: chart_type,
          chart_type,
          ...(chart_type !== "gauge" && { x_axis: "city" }),
          ...(chart_type === "heatmap" && { group_by: "region" }),
          y_axis: ["revenue", "profit"],
          model: shop.model.id,
        }),
      ),
    });
    expect(await rowsOf(widgets[0]?.widget_id)).toEqual([{ City: "Bern", Revenue: 40, Profit: 25 }]);
    expect(await call("export_dashboard", { dashboard_id })).toMatchObject({ pages: expect.any(Number) });
  });

  it("refuses what the model does not have with what it has", async () => {
    const on = (more: object) => call("create_widget", { name: "W", options: { model: "shop" }, ...more });
    await expect(on({ x_axis: "town", y_axis: ["revenue"] })).rejects.toThrow(
      /no field "town".*customers\.city/s,
    );
    await expect(on({ x_axis: "city", y_axis: ["revenu"] })).rejects.toThrow(/no metric "revenu".*revenue/s);
    await expect(on({ x_axis: "id", y_axis: ["revenue"] })).rejects.toThrow(/orders\.id, customers\.id/);
    await expect(on({ x_axis: "city" })).rejects.toThrow(/name them in y_axis/);
    await expect(call("create_widget", { name: "W", x_axis: "region" })).rejects.toThrow(
      /dataset_id, or a model/,
    );
    const unknown = { name: "W", y_axis: ["revenue"], options: { model: "nothing" } };
    await expect(call("create_widget", unknown)).rejects.toThrow(/nothing/);
  });
});

it("is for those who may write", async () => {
  const args = { name: "W", dataset_id: datasetId, x_axis: "region" };
  expect(await refusalsOf(server, viewer, "create_widget", args)).toMatchObject({
    anonymous: 401,
    wrong: expect.stringMatching(/bi:write/),
  });
  const { dashboard_id } = await make({ access: { shared: "view" } });
  const other = await server.token({ role: "contributor" });
  await expect(call("create_widget", { ...args, dashboard_id }, other)).rejects.toThrow(
    /do not have permission/,
  );
});

it("makes a card of text, which needs no data and is read on the page as well", async () => {
  const { dashboard_id } = await make();
  const card = { name: "How to read this", chart_type: "text", dashboard_id };
  await expect(call("create_widget", card)).rejects.toThrow(/options\.text/);
  const { widget_id } = await call("create_widget", {
    ...card,
    options: { text: "All figures are **net**." },
  });
  const size = { width: 400, height: 200 };
  expect(await call("preview_widget", { widget_id, ...size }, viewer)).toMatchObject({
    kind: "text",
    text: "All figures are **net**.",
  });
  await call("update_widget", { widget_id, options: { text: "Gross." } });
  expect(await call("preview_widget", { widget_id, ...size })).toMatchObject({ text: "Gross." });
});
