import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { refusalsOf } from "../../../../test/support/models.ts";

const { server, admin, editor, viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

it("lists what the caller may see, with numbers of widgets", async () => {
  const { dashboard_id: id, url } = await make();
  await make({ name: "Secret", access: { shared: "private" } });
  const seen = await call<{ total: number; dashboards: { name: string }[] }>("list_dashboards", {});
  expect(seen.dashboards).toMatchObject([{ id, name: "Overview", widget_count: 2, url }, { name: "Secret" }]);
  expect(await call("list_dashboards", {}, viewer)).toMatchObject({ total: 1, message: "Found 1 dashboard" });
  expect(await call("list_dashboards", {}, admin)).toMatchObject({ total: 2 });
  expect(await call("list_dashboards", {}, stranger)).toMatchObject({ total: 0 });
  expect(await call("list_dashboards", { query: "over" })).toMatchObject({ total: 1 });
});

it("keeps to groups", async () => {
  const made = await make({ name: "Of a group", access: { shared: "view", groups: [987_654] } });
  expect(await call("list_dashboards", { query: "Of a group" }, viewer)).toMatchObject({ total: 0 });
  const details = { asset_type: "dashboard", asset_id: made.dashboard_id };
  await expect(call("get_details", details, viewer)).rejects.toThrow(/no dashboard/);
  expect(await call("get_details", details, editor)).toMatchObject({ details: { name: "Of a group" } });
});

it("is not for those without a token or the permission", async () => {
  const wrong = await server.token({ scopes: ["memory:read"] });
  expect(await refusalsOf(server, wrong, "list_dashboards", {})).toMatchObject({ anonymous: 401 });
});
