import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { ALLOW_LOOPBACK } from "../../../../test/support/datasources.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let token: string;
/** Refuses for good whatever it is sent. */
const receiver = createServer((_, response) => response.writeHead(410).end());
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  server = await startTestServer(ALLOW_LOOPBACK);
  token = await server.token({ role: "contributor" });
});
afterAll(async () => {
  await server.stop();
  receiver.close();
});

interface Tested {
  deliveries: { delivery_id: number; state: string }[];
}

describe("retry_delivery", () => {
  it("takes what is dead, of the own workspace, from those who may change things", async () => {
    const dataset_id = await makeDataset(server, token, "Orders", [{ n: 1 }]);
    const { port } = receiver.address() as AddressInfo;
    const wish = { dataset_id, name: "Any", condition: "n > 0", channels: [`http://127.0.0.1:${port}/`] };
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
