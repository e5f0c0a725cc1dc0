import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, viewer, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

const rowsOf = async (id: unknown) => (await call<{ rows: object[] }>("get_data", { widget_id: id })).rows;

it("changes what is named, keeps the rest, and can be undone", async () => {
  const widget_id = (await make()).widgets[0]?.widget_id;
  const filters = [{ field: "region", operator: "in", value: ["North", "East"] }];
  expect(
    await call("update_widget", { widget_id, chart_type: "bar", name: "Some regions", options: { filters } }),
  ).toMatchObject({
    name: "Some regions",
    chart_type: "bar",
    version: 2,
  });
  expect(await rowsOf(widget_id)).toMatchObject([{ region: "North" }, { region: "East" }]);
  await call("update_widget", { widget_id, options: { c9ql: "select * where units > 5" } });
  expect(await rowsOf(widget_id)).toMatchObject([{ region: "South" }, { region: "North" }]);
  await call("restore_asset", { asset_type: "widget", asset_id: widget_id, version: 1 });
  expect(await call("get_details", { asset_type: "widget", asset_id: widget_id })).toMatchObject({
    details: { name: "Revenue by region", chart_type: "column", filters: [], c9ql: null, version: 4 },
  });
});

it("makes no version of a change that changes nothing", async () => {
  const widget_id = (await make()).widgets[0]?.widget_id;
  const same = { version: 1, message: expect.stringContaining("nothing changed") };
  expect(await call("update_widget", { widget_id })).toMatchObject(same);
  expect(
    await call("update_widget", { widget_id, name: "Revenue by region", x_axis: "region" }),
  ).toMatchObject(same);
});

it("takes a field away with an empty text, and says what does not fit", async () => {
  const widget_id = (await make()).widgets[0]?.widget_id;
  await call("update_widget", { widget_id, group_by: "product" });
  await call("update_widget", { widget_id, group_by: "" });
  expect(await call("get_details", { asset_type: "widget", asset_id: widget_id })).toMatchObject({
    details: { group_by: null },
  });
  await expect(call("update_widget", { widget_id, x_axis: "nope" })).rejects.toThrow(/no field "nope"/);
  const filters = [{ field: "region", operator: "resembles", value: "x" }];
  await expect(call("update_widget", { widget_id, options: { filters } })).rejects.toThrow(/no operator/);
  const wrong = [{ field: "regio", operator: "=", value: "x" }];
  await expect(call("update_widget", { widget_id, options: { filters: wrong } })).rejects.toThrow(
    /Its fields are region/,
  );
});

it("is for those who may change the dashboard", async () => {
  const widget_id = (await make({ access: { shared: "view" } })).widgets[0]?.widget_id;
  const args = { widget_id, name: "Other" };
  expect(await refusalsOf(server, viewer, "update_widget", args)).toMatchObject({ anonymous: 401 });
  const other = await server.token({ role: "contributor" });
  await expect(call("update_widget", args, other)).rejects.toThrow(/do not have permission to change widget/);
});

it.each<[field: string, operator: string, value: unknown, message: RegExp]>([
  ["units", ">", "many", /`units` is a number/],
  ["units", "between", ["1", "x"], /`units` is a number/],
  ["day", "=", "soon", /"soon" is no date/],
  ["region", ">", 5, /texts that are not numbers/],
  ["units", "between", [1], /between takes two values/],
  ["units", "=", [1, 2], /takes one value/],
])("saves no filter that can only fail: %s %s %j", async (field, operator, value, message) => {
  const widget_id = (await make()).widgets[0]?.widget_id;
  const filters = [{ field, operator, value }];
  await expect(call("update_widget", { widget_id, options: { filters } })).rejects.toThrow(message);
  // Also where a query with a parameter comes after it.
  const options = { filters, c9ql: "select * where units > $c9_least$(1)$" };
  await expect(call("update_widget", { widget_id, options })).rejects.toThrow(message);
  expect(await call("get_details", { asset_type: "widget", asset_id: widget_id })).toMatchObject({
    details: { filters: [], c9ql: null, version: 1 },
  });
  const made = { name: "New", dataset_id: datasetId, x_axis: "region", options: { filters } };
  await expect(call("create_widget", made)).rejects.toThrow(message);
});

it("takes filters whose values come with the call", async () => {
  const widget_id = (await make()).widgets[0]?.widget_id;
  const filters = [{ field: "units", operator: ">", value: "$c9_least$(5)$" }];
  expect(await call("update_widget", { widget_id, options: { filters } })).toMatchObject({ version: 2 });
});

it("shows the top of a table, with what they add up to", async () => {
  const widget_id = (await make()).widgets[0]?.widget_id;
  const change = (options: object) =>
    call("update_widget", {
      widget_id,
      chart_type: "datagrid2",
      x_axis: "product",
      y_axis: ["revenue"],
      options,
    });
  await change({ top: 2 });
  expect(await rowsOf(widget_id)).toEqual([
    { product: "Ink", revenue: 250 },
    { product: "Pen", revenue: 100.5 },
  ]);
  const { url } = await call<{ url: string }>("get_embed_url", { widget_id });
  const { pathname, hash } = new URL(url);
  const headers = { "x-embed-secret": hash.slice(1) };
  const seen = await server.request(`${pathname}/view`, { method: "POST", body: "width=1200", headers });
  const page = await seen.text();
  expect(page).toContain("350.5");
  expect(page).not.toContain("Pad");
  await change({ top: 3, sort: "given" });
  expect(await rowsOf(widget_id)).toMatchObject([{ product: "Pen" }, { product: "Ink" }, { product: "Ink" }]);
  await change({ top: 3, sort: "x" });
  expect(await rowsOf(widget_id)).toMatchObject([{ product: "Ink" }, { product: "Ink" }, { product: "Pad" }]);
});
