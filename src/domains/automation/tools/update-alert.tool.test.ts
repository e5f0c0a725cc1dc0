import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let token: string;
let reader: string;

const server = await serverOfFile();
[token, reader] = [await server.token({ role: "contributor" }), await server.token({ role: "viewer" })];
const datasetId = await makeDataset(server, token, "Orders", [{ id: 1, amount: 20 }]);

interface Saved {
  alert: Record<string, unknown> & { id: number; state: string };
}

const bi = <T = Record<string, unknown>>(name: string, args: Record<string, unknown>, who = token) =>
  resultOf<T>(server, who, name, args, BI);
const make = async (more: Record<string, unknown> = {}) => {
  const wish = {
    datasetId,
    alertName: "Watch",
    alertType: "conditional",
    alertCondition: "amount > 10",
    ...more,
  };
  return (await bi<Saved>("knowi_create_alert", wish)).alert.id;
};

describe("update_alert", () => {
  it("[bi.update-alert.partial] changes what is given and leaves the rest", async () => {
    const id = await make({ recipients: "a@example.com", subject: "Look" });
    const { alert } = await bi<Saved>("knowi_update_alert", {
      alertId: id,
      alertCondition: "total amount is over 500",
      recipients: "b@example.com",
      frequencyType: "minutes",
      timezone: "Europe/Berlin",
    });
    expect(alert).toMatchObject({
      name: "Watch",
      subject: "Look",
      recipients: ["b@example.com"],
      c9ql: "select sum(amount) as value;\nselect * where `value` > 500".replace(
        "sum(amount)",
        "sum(`amount`)",
      ),
      frequency: "minutes",
      start_time: "08:00",
      timezone: "Europe/Berlin",
    });
    await expect(bi("knowi_update_alert", { alertId: id, alertCondition: "nonsense" })).rejects.toThrow(
      /columns/,
    );
    await expect(bi("knowi_update_alert", { alertId: 999_999, paused: true })).rejects.toThrow(/no alert/);
    await expect(bi("knowi_update_alert", { alertId: id, paused: true }, reader)).rejects.toThrow(
      /Access denied/,
    );
  });

  it("[bi.update-alert.paused] pauses and resumes", async () => {
    const id = await make();
    const paused = await bi<Saved>("knowi_update_alert", { alertId: id, paused: true });
    expect(paused.alert).toMatchObject({ state: "paused", next_check_at: null });
    const resumed = await bi<Saved>("knowi_update_alert", { alertId: id, paused: false });
    expect(resumed.alert).toMatchObject({ state: "ok", next_check_at: expect.any(String) });
  });

  it("[bi.delete.alert] is deleted like any asset, and can be brought back", async () => {
    const id = await make();
    await bi("knowi_delete", { assetType: "alert", assetId: id, confirm: true });
    await expect(bi("knowi_update_alert", { alertId: id, paused: true })).rejects.toThrow(/no alert/);
    await resultOf(server, token, "restore_asset", { asset_type: "alert", asset_id: id });
    const { details } = await bi<{ details: object }>("knowi_get_details", {
      assetType: "alert",
      assetId: id,
    });
    expect(details).toMatchObject({ id, next_check_at: expect.any(String) });
  });

  it("makes whoever changes it the owner, with their rights", async () => {
    const admin = await server.token();
    const secret = await makeDataset(server, admin, "Secret", [
      { who: "ann", n: 1 },
      { who: "bob", n: 2 },
    ]);
    const policies = [
      { name: "bob", roles: ["contributor"], rows: [{ field: "who", operator: "=", value: "bob" }] },
    ];
    const wish = { dataset_id: secret, name: "All", condition: "n > 0" };
    const made = await resultOf<Saved>(server, admin, "create_alert", wish);
    const changed = await resultOf<Saved & { matches_now: number }>(server, token, "update_alert", {
      alert_id: made.alert.id,
      recipients: "mine@example.com",
    });
    expect(changed.matches_now).toBe(2);
    await resultOf(server, admin, "set_dataset_policies", { dataset_id: secret, policies });
    const tested = await resultOf<{ matched_rows: number }>(server, admin, "test_alert", {
      alert_id: made.alert.id,
    });
    expect(tested.matched_rows).toBe(1);
  });
});
