import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";

const { viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

it("tells which values each filter can be set to, to whoever may see the dashboard", async () => {
  const filters = [{ field: "region", operator: "in", label: "Region" }, { parameter: "least" }];
  const { dashboard_id } = await make({ filters });
  const list = (who = viewer) =>
    call<{ filters: unknown[] }>("list_dashboard_filters", { dashboard_id }, who);
  expect((await list()).filters).toMatchObject([
    { name: "region", label: "Region", operator: "in", options: ["East", "North", "South"], is_date: false },
    { name: "least", options: null },
  ]);
  await expect(list(stranger)).rejects.toThrow(/no dashboard/i);
});
