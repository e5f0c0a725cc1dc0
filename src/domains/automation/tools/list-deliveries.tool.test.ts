import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const token = await server.token({ role: "contributor" });

describe("list_deliveries", () => {
  it("tells what was sent to whom, to members of the workspace", async () => {
    const dataset_id = await makeDataset(server, token, "Orders", [{ n: 1 }]);
    const wish = { dataset_id, name: "Any", condition: "n > 0", recipients: "a@example.com,b@example.com" };
    const { alert } = await resultOf<{ alert: { id: number } }>(server, token, "create_alert", wish);
    await resultOf(server, token, "test_alert", { alert_id: alert.id });
    const reader = await server.token({ role: "viewer" });
    const listed = await resultOf(server, reader, "list_deliveries", { state: "sent" });
    expect(listed).toMatchObject({
      total: 2,
      deliveries: [
        { target: "b@example.com", subject: "Test: Alert: Any", tries: 1, error: null },
        { target: "a@example.com" },
      ],
    });
    expect(await resultOf(server, reader, "list_deliveries", { state: "dead" })).toMatchObject({ total: 0 });
    await server.app.identity.workspaces.create({ slug: "other", name: "Other" });
    const foreign = await server.token({ workspace: "other" });
    expect(await resultOf(server, foreign, "list_deliveries", {})).toMatchObject({ total: 0 });
    expect((await callTool(server, undefined, "list_deliveries")).status).toBe(401);
  });
});
