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
  expect(made.widgets.map(({ place }) => place)).toEqual(
    [
      { col: 1, row: 1, sizeX: 6, sizeY: 6 },
      { col: 7, row: 1, sizeX: 6, sizeY: 6 },
      { col: 13, row: 1, sizeX: 12, sizeY: 6 },
      { col: 1, row: 7, sizeX: 12, sizeY: 8 },
      { col: 1, row: 15, sizeX: 24, sizeY: 8 },
    ].map((place) => expect.objectContaining({ col: place.col })),
  );
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
