import { describe, expect, it } from "vitest";
import { digestOf, fieldsOf, query, saveModel, shopModel, shopServer } from "../../../test/support/models.ts";

/** Policies that a model adds by itself. */

const { server, shop } = await shopServer();

const policies = (hide: string[], rows: object[] = []) => [{ name: "mine", roles: ["viewer"], hide, rows }];

describe("a policy of a model", () => {
  it.each([
    ["over its source", {}],
    ["over a view query", { view_query: "SELECT * FROM Orders" }],
  ])("hides computed fields by their names, %s", async (way, orders) => {
    const name = `hiding ${way}`;
    const hide = ["margin", "TOTAL"];
    await saveModel(server, shop.admin, shopModel({ name, orders: { ...orders, policies: policies(hide) } }));
    const seen = await fieldsOf(server, shop.viewer, "orders", name);
    expect(seen).not.toMatch(/margin|total/);
    expect(await fieldsOf(server, shop.admin, "orders", name)).toMatch(/margin/);
    const ask = query(server, shop.viewer, "SELECT margin FROM orders", { modelName: name });
    await expect(ask).rejects.toThrow(/margin/);
  });

  it.each([
    [policies(["nonsense"]), /names nonsense, which there is not/],
    [policies([], [{ field: "margin", operator: "=", value: 1 }]), /names margin, which there is not/],
  ])("that names nothing is an error", async (bad, message) => {
    const saved = saveModel(server, shop.admin, shopModel({ name: "bad", orders: { policies: bad } }));
    await expect(saved).rejects.toThrow(message);
  });

  it("takes examples and further words away from those who do not see all rows", async () => {
    const rows = [{ field: "region", operator: "=", value: "North" }];
    const text = shopModel({ name: "quiet", orders: { policies: policies([], rows) } })
      .replace(
        "description: What was ordered",
        "description: What was ordered\n        ai_context: { examples: [order of SECRET1], sample_rows: SECRET2 }",
      )
      .replace(
        "ai_context: { instructions: Amounts are in euros. }",
        "ai_context: { instructions: Amounts are in euros., examples: [SECRET3] }",
      );
    await saveModel(server, shop.admin, text);
    const everything = async (token: string) =>
      (await digestOf(server, token, { modelName: "quiet" })) +
      (await fieldsOf(server, token, "orders", "quiet"));
    for (const secret of ["SECRET1", "SECRET2", "SECRET3"]) {
      expect(await everything(shop.admin)).toContain(secret);
    }
    expect(await everything(shop.viewer)).not.toMatch(/SECRET/);
    expect(await everything(shop.viewer)).toMatch(/Amounts are in euros/);
  });
});
