import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, viewer, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

it("makes a dashboard with its widgets, side by side and without overlaps", async () => {
  const made = await make({
    widgets: ["singletext", "gauge", "column", "line", "datagrid2"].map((chart_type) => ({
      name: chart_type,
      dataset_id: datasetId,
      chart_type,
      ...(["column", "line"].includes(chart_type) && { x_axis: "region" }),
    })),
  });
  expect(made.widgets.map(({ place }) => place)).toEqual([
    { col: 1, row: 1, sizeX: 6, sizeY: 8 },
    { col: 7, row: 1, sizeX: 6, sizeY: 8 },
    { col: 13, row: 1, sizeX: 12, sizeY: 8 },
    // Alone in its row, it has all of it.
    { col: 1, row: 9, sizeX: 24, sizeY: 8 },
    { col: 1, row: 17, sizeX: 24, sizeY: 8 },
  ]);
});

it("knows what is meant by other words for the same", async () => {
  const { widgets } = await make({
    widgets: [
      { name: "Rows", dataset_id: datasetId, chart_type: "table" },
      { name: "Mean", dataset_id: datasetId, chart_type: "KPI", y_axis: "price", aggregate: "average" },
      { name: "Time", dataset_id: datasetId, x_axis: "day", y_axis: "units", options: { grain: "monthly" } },
    ],
  });
  expect(widgets.map(({ chart_type }) => chart_type)).toEqual(["datagrid2", "singletext", "column"]);
  const asset = { asset_type: "widget", asset_id: widgets[2]?.widget_id };
  expect(await call("get_details", asset)).toMatchObject({ details: { y_axis: ["units"], grain: "month" } });
  const wrong = { name: "W", dataset_id: datasetId, chart_type: "radar", x_axis: "region" };
  await expect(make({ widgets: [wrong] })).rejects.toThrow(/chart_type.*column/);
});

it("makes all or nothing", async () => {
  const before = await call<{ total: number }>("list_dashboards", {});
  const widgets = [
    { name: "Good", dataset_id: datasetId, x_axis: "region" },
    { name: "Bad", dataset_id: datasetId, x_axis: "nowhere" },
  ];
  await expect(make({ widgets })).rejects.toThrow(/no field "nowhere"/);
  await expect(make({ widgets: [{ nam: "x" }] })).rejects.toThrow(/nam/);
  expect(await call("list_dashboards", {})).toMatchObject({ total: before.total });
  expect(await call("find_widget", { name: "Good" })).toMatchObject({ total: 0 });
});

it("is for those who may write", async () => {
  expect(await refusalsOf(server, viewer, "create_dashboard", { name: "D" })).toMatchObject({
    anonymous: 401,
    wrong: expect.stringMatching(/bi:write/),
  });
});
