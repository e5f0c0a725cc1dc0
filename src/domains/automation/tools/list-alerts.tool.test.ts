import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
const server = await serverOfFile();
const token = await server.token({ role: "contributor" });

describe("list_alerts", () => {
  it("[bi.list-alerts.filter] lists alerts, by dataset if one is named", async () => {
    const ids: number[] = [];
    for (const name of ["A", "B"]) {
      const dataset_id = await makeDataset(server, token, name, [{ n: 1 }]);
      await resultOf(server, token, "create_alert", { dataset_id, name: `on ${name}`, condition: "n > 5" });
      ids.push(dataset_id);
    }
    const reader = await server.token({ role: "viewer" });
    const all = await resultOf<{ alerts: { name: string }[] }>(server, reader, "knowi_list_alerts", {}, BI);
    expect(all).toMatchObject({ total: 2, alerts: [{ name: "on A", state: "ok" }, { name: "on B" }] });
    const some = await resultOf(server, reader, "knowi_list_alerts", { datasetId: ids[1] }, BI);
    expect(some).toMatchObject({ total: 1, alerts: [{ name: "on B" }] });
    const { widget_id: widgetId } = await resultOf<{ widget_id: number }>(server, token, "create_widget", {
      name: "W",
      dataset_id: ids[0],
      y_axis: ["n"],
      chart_type: "singletext",
    });
    const ofWidget = await resultOf(server, reader, "knowi_list_alerts", { widgetId }, BI);
    expect(ofWidget).toMatchObject({ total: 1, alerts: [{ name: "on A" }] });
    const both = await resultOf(server, reader, "knowi_list_alerts", { widgetId, datasetId: ids[1] }, BI);
    expect(both).toMatchObject({ total: 0, alerts: [] });
    await expect(resultOf(server, reader, "knowi_list_alerts", { widgetId: 77 }, BI)).rejects.toThrow(
      /no widget/,
    );
    expect((await callTool(server, undefined, "knowi_list_alerts", {}, BI)).status).toBe(401);
    const memoryOnly = await server.token({ scopes: ["memory:read"] });
    const denied = await callTool(server, memoryOnly, "list_alerts");
    expect([denied.status, denied.result?.isError]).not.toEqual([200, false]);
  });
});
