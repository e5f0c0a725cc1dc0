import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";

const { server, viewer, stranger, admin, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

interface Found {
  results: { asset_type: string; id: number; name: string }[];
}

const search = (query: string, more: object = {}, token = viewer) =>
  call<Found>("search", { query, ...more }, token);
const namesOf = ({ results }: Found) => results.map(({ name }) => name);

it("finds every kind of asset, fresh when the changing call returns", async () => {
  expect(await search("sales")).toMatchObject({ results: [{ asset_type: "dataset", id: datasetId }] });
  const { dashboard_id, widgets } = await make({
    name: "Customer retention",
    description: "Who stays and who leaves",
  });
  expect((await search("retention")).results[0]).toMatchObject({ asset_type: "dashboard", id: dashboard_id });
  expect((await search("who leaves", { asset_type: "dashboard" })).results).toHaveLength(1);
  await call("update_widget", { widget_id: widgets[0]?.widget_id, name: "Zephyr" });
  expect(namesOf(await search("zephyr"))[0]).toBe("Zephyr");
  await call("delete_asset", { asset_type: "dashboard", asset_id: dashboard_id, confirm: true });
  expect(namesOf(await search("zephyr"))).not.toContain("Zephyr");
  expect(namesOf(await search("retention"))).not.toContain("Customer retention");
});

it("finds by meaning as well as by words", async () => {
  const made = await make({ name: "Automobile fleet", widgets: [] });
  expect((await search("cars and vehicles", { asset_type: "dashboard" })).results[0]).toMatchObject({
    id: made.dashboard_id,
  });
});

it("shows nothing that may not be seen, nor finds it by what is hidden", async () => {
  await make({ name: "Quarterly secrets", access: { shared: "private" } });
  expect(namesOf(await search("quarterly secrets"))).not.toContain("Quarterly secrets");
  expect(namesOf(await search("quarterly secrets", {}, admin))).toContain("Quarterly secrets");
  expect((await search("sales", {}, stranger)).results).toEqual([]);
  await call(
    "set_dataset_policies",
    { dataset_id: datasetId, policies: [{ name: "p", roles: ["viewer"], hide: ["price"] }] },
    admin,
  );
  expect(
    (await search("price", { asset_type: "dataset" })).results.filter(({ id }) => id === datasetId),
  ).toEqual([]);
});

it("says which types there are", async () => {
  expect((await search("sales", { asset_type: "report" })).results).toEqual([]);
  await expect(search("sales", { asset_type: "elephant" })).rejects.toThrow(/dashboard, widget|dataset/);
  expect((await server.request("/mcp", { json: {} })).status).toBe(401);
});
