import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, viewer, datasetId, call, make, stop } = await startBoards();
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
