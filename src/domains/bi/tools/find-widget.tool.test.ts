import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";

const { viewer, stranger, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

it("finds widgets by part of a name, with chart type and dataset", async () => {
  const { dashboard_id } = await make();
  const found = await call("find_widget", { name: "REVENUE" }, viewer);
  expect(found).toMatchObject({
    total: 1,
    widgets: [
      {
        name: "Revenue by region",
        chart_type: "column",
        dataset_id: datasetId,
        dataset: "Sales",
        dashboard: "Overview",
      },
    ],
  });
  expect(await call("find_widget", { name: "%" }, viewer)).toMatchObject({ total: 0 });
  expect(await call("find_widget", { name: "", dashboard_id }, viewer)).toMatchObject({ total: 2 });
  await expect(call("find_widget", { name: "", dashboard_id: 99_999 })).rejects.toThrow(/no dashboard/);
  expect(await call("find_widget", { name: "" }, stranger)).toMatchObject({ total: 0 });
});

it("shows no widget of a dashboard that may not be seen", async () => {
  const made = await make({ name: "Mine", access: { shared: "private" } });
  const id = made.widgets[0]?.widget_id;
  expect(await call("find_widget", { name: "Revenue" }, viewer)).toMatchObject({ total: 1 });
  await expect(call("get_data", { widget_id: id }, viewer)).rejects.toThrow(/no widget/);
  await expect(call("export_data", { widget_id: id }, viewer)).rejects.toThrow(/no widget/);
  await expect(call("export_dashboard", { widget_id: id }, viewer)).rejects.toThrow(/no widget/);
});
