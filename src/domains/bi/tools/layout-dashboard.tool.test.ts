import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, viewer, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

const at = (widget_id: number | undefined, col: number, row: number, sizeX: number, sizeY: number) => ({
  widget_id,
  col,
  row,
  sizeX,
  sizeY,
});

it("places widgets, and lets others make room", async () => {
  const { dashboard_id, widgets } = await make();
  const [first, second] = widgets.map(({ widget_id }) => widget_id);
  const laid = await call("layout_dashboard", { dashboard_id, widgets: [at(second, 1, 1, 24, 8)] });
  expect(laid).toMatchObject({ moved: [first], version: 2 });
  expect(laid.widgets).toMatchObject([
    { widget_id: second },
    { widget_id: first, place: { col: 1, row: 9 } },
  ]);
  await call("restore_asset", { asset_type: "dashboard", asset_id: dashboard_id, version: 1 });
  const { details } = await call<{ details: { widgets: object[] } }>("get_details", {
    asset_type: "dashboard",
    asset_id: dashboard_id,
  });
  expect(details.widgets).toEqual(widgets);
});

it("refuses what overlaps, naming both, and what is outside", async () => {
  const { dashboard_id, widgets } = await make();
  const [first, second] = widgets.map(({ widget_id }) => widget_id);
  const lay = (...places: object[]) => call("layout_dashboard", { dashboard_id, widgets: places });
  await expect(lay(at(first, 1, 1, 12, 4), at(second, 12, 4, 2, 2))).rejects.toThrow(
    /Revenue by region .* and Units .* overlap/,
  );
  await expect(lay(at(first, 20, 1, 6, 4))).rejects.toThrow(/beyond the 24 columns/);
  await expect(lay(at(99_999, 1, 1, 1, 1))).rejects.toThrow(/no widget 99999 on this dashboard/);
  await expect(lay(at(first, 0, 1, 1, 1))).rejects.toThrow(/col/);
});

it("takes a widget that stands alone onto the dashboard", async () => {
  const { dashboard_id } = await make();
  const alone = await call<{ widget_id: number }>("create_widget", {
    name: "Alone",
    dataset_id: datasetId,
    x_axis: "region",
  });
  const laid = await call<{ widgets: object[] }>("layout_dashboard", {
    dashboard_id,
    widgets: [at(alone.widget_id, 1, 30, 6, 6)],
  });
  expect(laid.widgets).toHaveLength(3);
});

it("is for those who may write", async () => {
  const { dashboard_id, widgets } = await make();
  const args = { dashboard_id, widgets: [at(widgets[0]?.widget_id, 1, 1, 4, 4)] };
  expect(await refusalsOf(server, viewer, "layout_dashboard", args)).toMatchObject({
    anonymous: 401,
    wrong: expect.stringMatching(/bi:write/),
  });
});
