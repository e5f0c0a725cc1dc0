import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";

const { server, viewer, stranger, admin, datasetId, call, make, stop } = await startBoards();
afterAll(stop);

interface Found {
  results: { asset_type: string; id: number; name: string; score: number }[];
}

const search = (query: string, more: object = {}, token = viewer) =>
  call<Found>("search_assets", { query, ...more }, token);
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
  const scoreOf = async (query: string) =>
    (await search(query, { asset_type: "dataset" })).results.find(({ id }) => id === datasetId)?.score ?? 0;
  const before = await scoreOf("price");
  await call(
    "set_dataset_policies",
    { dataset_id: datasetId, policies: [{ name: "p", roles: ["viewer"], hide: ["price"] }] },
    admin,
  );
  // As near in meaning as its name is, and no nearer.
  expect(await scoreOf("price")).toBeLessThan(before);
});

it("finds a dataset by what its name means, by its columns and by its values", async () => {
  const push = (dataset_name: string, rows: object[]) => call("push_data", { dataset_name, rows });
  await push("birdstrikes", [{ airport: "Barksdale", species: "Killdeer", cost_total: 30 }]);
  await push("NYC Taxis", [{ pickup: "2024-01-01", fare: 12.5, tip: 2 }]);
  await push("Receipts", [{ taxi: 14, hotel: 120, taxi_tip: 2, kind: "taxi" }]);
  expect(namesOf(await search("avian collisions"))[0]).toBe("birdstrikes");
  // A name's own words come first, in whatever form.
  expect(namesOf(await search("taxi")).slice(0, 2)).toEqual(["NYC Taxis", "Receipts"]);
  expect(namesOf(await search("killdeer"))[0]).toBe("birdstrikes");
  expect(namesOf(await search("hotel"))).toContain("Receipts");
  expect(namesOf(await search("qwxzv blorp"))).toEqual([]);
  await push("birdstrikes", [{ airport: "Gulfport", species: "Pelican", cost_total: 30 }]);
  expect(namesOf(await search("pelican"))[0]).toBe("birdstrikes");
});

it("finds a dashboard by its widgets", async () => {
  const { widgets } = await make({ name: "Monday meeting" });
  await call("update_widget", { widget_id: widgets[0]?.widget_id, name: "Quokka census" });
  expect(namesOf(await search("quokka", { asset_type: "dashboard" }))[0]).toBe("Monday meeting");
});

it("finds nothing by values that a policy hides from anybody", async () => {
  const rows = [
    { region: "Wakanda", zorkmid: "vibranium" },
    { region: "Genosha", zorkmid: "adamantium" },
  ];
  const { dataset_id } = await call<{ dataset_id: number }>("push_data", { dataset_name: "Payroll", rows });
  const isFound = async (query: string) => namesOf(await search(query, {}, admin)).includes("Payroll");
  expect(await isFound("vibranium")).toBe(true);
  for (const policy of [
    { name: "h", roles: ["viewer"], hide: ["zorkmid"] },
    { name: "r", roles: ["viewer"], rows: [{ field: "region", operator: "=", value: "Genosha" }] },
  ]) {
    await call("set_dataset_policies", { dataset_id, policies: [policy] }, admin);
    expect(await isFound("vibranium")).toBe(false);
    expect(await isFound("wakanda")).toBe(false);
    expect(await isFound("zorkmid")).toBe(policy.name === "r");
  }
});

it("says which types there are", async () => {
  expect((await search("sales", { asset_type: "report" })).results).toEqual([]);
  await expect(search("sales", { asset_type: "elephant" })).rejects.toThrow(/dashboard, widget|dataset/);
  expect((await server.request("/mcp", { json: {} })).status).toBe(401);
});
