import { afterAll, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

interface Listed {
  total: number;
  reports: { name: string }[];
}

it("lists the reports of what the caller may see, and those of one dashboard", async () => {
  for (const [name, shared] of [
    ["Open", "view"],
    ["Closed", "private"],
  ] as const) {
    const { dashboard_id } = await make({ name, access: { shared } });
    await call("create_report", { dashboard_id, recipients: "ann@example.com" });
  }
  const names = async (who?: string, args = {}) =>
    (await call<Listed>("list_reports", args, who)).reports.map((report) => report.name);
  expect(await names()).toEqual(["Open", "Closed"]);
  expect(await names(viewer)).toEqual(["Open"]);
  expect(await names(stranger)).toEqual([]);
  expect(await call("list_reports", { limit: 1, offset: 1 })).toMatchObject({ total: 2, reports: [{}] });
  expect(await names(undefined, { dashboard_id: 999_999 })).toEqual([]);
  expect((await callTool(server, undefined, "list_reports", {})).status).toBe(401);
});
