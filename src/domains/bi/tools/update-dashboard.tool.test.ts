import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, admin, editor, viewer, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

it("changes what is named, adds and removes widgets, and can be undone", async () => {
  const { dashboard_id, widgets } = await make();
  const changed = await call<{ widgets: { name: string }[] }>("update_dashboard", {
    dashboard_id,
    name: "Renamed",
    add_widgets: [{ name: "More", dataset_id: datasetId, x_axis: "product" }],
    remove_widgets: [widgets[1]?.widget_id],
  });
  expect(changed).toMatchObject({ name: "Renamed", version: 2 });
  expect(changed.widgets.map(({ name }) => name)).toEqual(["Revenue by region", "More"]);
  await call("restore_asset", { asset_type: "widget", asset_id: widgets[1]?.widget_id });
  await call("restore_asset", { asset_type: "dashboard", asset_id: dashboard_id, version: 1 });
  expect(await call("get_details", { asset_type: "dashboard", asset_id: dashboard_id })).toMatchObject({
    details: { name: "Overview", widget_count: 3, version: 3, versions: [{ version: 2 }, { version: 1 }] },
  });
});

it("filters reach every widget whose dataset has the field, and parameters every query that names them", async () => {
  const { dashboard_id, widgets } = await make({
    filters: [
      { field: "region", value: "North" },
      { parameter: "least", value: 50 },
    ],
    widgets: [
      { name: "A", dataset_id: datasetId, x_axis: "product", y_axis: ["revenue"] },
      {
        name: "B",
        dataset_id: datasetId,
        x_axis: "product",
        y_axis: ["revenue"],
        options: { c9ql: "select * where revenue > $c9_least$(0)$" },
      },
    ],
  });
  const rowsOf = async (i: number) =>
    (await call<{ rows: object[] }>("get_data", { widget_id: widgets[i]?.widget_id })).rows;
  expect(await rowsOf(0)).toHaveLength(2);
  expect(await rowsOf(1)).toHaveLength(2);
  await call("update_dashboard", { dashboard_id, filters: [{ parameter: "least", value: 200 }] });
  expect(await rowsOf(0)).toHaveLength(3);
  expect(await rowsOf(1)).toEqual([{ product: "Ink", "Sum of revenue": 250 }]);
});

it("deleting goes with the widgets and can be undone", async () => {
  const { dashboard_id, widgets } = await make();
  const asset = { asset_type: "dashboard", asset_id: dashboard_id };
  await expect(call("delete_asset", { ...asset, confirm: true }, viewer)).rejects.toThrow(/bi:write/);
  await call("delete_asset", { ...asset, confirm: true });
  await expect(call("get_details", asset)).rejects.toThrow(/no dashboard/);
  await expect(call("get_data", { widget_id: widgets[0]?.widget_id })).rejects.toThrow(/no widget/);
  await call("restore_asset", asset);
  expect(await call("get_details", asset)).toMatchObject({ details: { widget_count: 2 } });
});

it("is for those who may change it", async () => {
  const { dashboard_id } = await make({ access: { shared: "view" } });
  const other = await server.token({ role: "contributor" });
  const args = { dashboard_id, name: "X" };
  expect(await refusalsOf(server, viewer, "update_dashboard", args)).toMatchObject({ anonymous: 401 });
  await expect(call("update_dashboard", args, other)).rejects.toThrow(/do not have permission/);
  await call("update_dashboard", args, admin);
  await call("update_dashboard", args, editor);
});

it("lets only its creator and admins say who sees it", async () => {
  const { dashboard_id } = await make();
  const other = await memberOf("sharing@example.com");
  const change = (more: object, who: string) => call("update_dashboard", { dashboard_id, ...more }, who);
  const asset = { asset_type: "dashboard", asset_id: dashboard_id };
  const access = async () =>
    (await call<{ details: { access: object } }>("get_details", asset, admin)).details.access;
  await expect(change({ access: { shared: "private" } }, other)).rejects.toThrow(
    /Only its creator and admins/,
  );
  await change({ name: "Theirs", access: await access() }, other);
  await change({ access: { shared: "private" } }, editor);
  await change({ access: { shared: "edit" } }, admin);
  // A former version brings its access back for those alone.
  await call("restore_asset", { ...asset, version: 3 }, other);
  expect(await access()).toMatchObject({ shared: "edit" });
  await call("restore_asset", { ...asset, version: 3 }, editor);
  expect(await access()).toMatchObject({ shared: "private" });
});

async function memberOf(email: string): Promise<string> {
  await server.app.identity.users.create({ email, workspace: "acme", role: "contributor" });
  return server.token({ email });
}
