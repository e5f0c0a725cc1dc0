import { afterAll, describe, expect, it } from "vitest";
import { startBoards } from "../../../../test/support/boards.ts";
import { resultOf } from "../../../../test/support/datasets.ts";

const BI = "/api/2.0/mcp";
const { server, admin, editor, viewer, stranger, call, make, stop } = await startBoards();
afterAll(stop);

interface Saved {
  report: Record<string, unknown> & { id: number };
  report_run?: { deliveries: object[] };
}

const bi = <T = Record<string, unknown>>(name: string, args: Record<string, unknown>, who = editor) =>
  resultOf<T>(server, who, name, args, BI);

describe("update_report", () => {
  it("[bi.update-report.partial] [bi.update-report.send-now] changes what is given and sends it", async () => {
    const board = await make({ name: "Sales" });
    const { report } = await bi<Saved>("knowi_create_report", {
      dashboardId: board.dashboard_id,
      recipients: "ann@example.com",
      subject: "Before",
    });
    const changed = await bi<Saved>("knowi_update_report", {
      reportId: report.id,
      recipients: "new@example.com",
      frequencyType: "hours",
      frequency: 6,
      sendNow: true,
    });
    expect(changed.report).toMatchObject({
      ...report,
      recipients: ["new@example.com"],
      frequency: "hours",
      every: 6,
      next_run_at: expect.any(String),
    });
    expect(changed.report_run?.deliveries).toMatchObject([{ target: "new@example.com", state: "sent" }]);
    const again = await bi<Saved>("knowi_update_report", { reportId: report.id, sendNow: true });
    expect(again.report_run?.deliveries).toHaveLength(1);
    const paused = await call<Saved>("update_report", { report_id: report.id, paused: true });
    expect(paused.report).toMatchObject({ paused: true, next_run_at: null });
    await expect(bi("knowi_update_report", { reportId: report.id, recipients: "" })).rejects.toThrow(
      /At least one delivery/,
    );
    await expect(bi("knowi_update_report", { reportId: report.id }, viewer)).rejects.toThrow(/Access denied/);
    await expect(bi("knowi_update_report", { reportId: report.id }, stranger)).rejects.toThrow(/no report/);
  });

  it("makes whoever changes it its owner, who must see what it shows", async () => {
    const board = await make({ name: "Private", access: { shared: "private" } });
    const wish = { dashboardId: board.dashboard_id, recipients: "ann@example.com" };
    const { report } = await bi<Saved>("knowi_create_report", wish);
    await expect(bi("knowi_update_report", { reportId: report.id, subject: "x" }, viewer)).rejects.toThrow(
      /Access denied/,
    );
    const changed = await bi<Saved>("knowi_update_report", { reportId: report.id, subject: "x" }, admin);
    expect(changed.report).toMatchObject({ subject: "x" });
    await expect(call("update_report", { report_id: report.id, day_of_week: "someday" })).rejects.toThrow(
      /day_of_week/,
    );
  });
});
