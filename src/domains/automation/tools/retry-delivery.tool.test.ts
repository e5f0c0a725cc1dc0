import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  token = await server.token({ role: "contributor" });
});
afterAll(() => server.stop());

interface Tested {
  deliveries: { delivery_id: number; state: string }[];
}

describe("retry_delivery", () => {
  it("takes what is dead, of the own workspace, from those who may change things", async () => {
    const dataset_id = await makeDataset(server, token, "Orders", [{ n: 1 }]);
    // This server may not reach its own network.
    const wish = { dataset_id, name: "Any", condition: "n > 0", channels: ["http://127.0.0.1:9/"] };
    const { alert } = await resultOf<{ alert: { id: number } }>(server, token, "create_alert", wish);
    const { deliveries } = await resultOf<Tested>(server, token, "test_alert", { alert_id: alert.id });
    expect(deliveries).toMatchObject([{ state: "dead" }]);
    const dead = { delivery_id: deliveries[0]?.delivery_id };
    await server.app.identity.workspaces.create({ slug: "other", name: "Other" });
    const foreign = await server.token({ workspace: "other" });
    await expect(resultOf(server, foreign, "retry_delivery", dead)).rejects.toThrow(/no delivery/);
    const reader = await server.token({ role: "viewer" });
    await expect(resultOf(server, reader, "retry_delivery", dead)).rejects.toThrow();
    expect(await resultOf(server, token, "retry_delivery", dead)).toMatchObject({
      state: "waiting",
      tries: 0,
    });
  });
});
