import { describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { query, SHOP_PROBLEMS, saveModel, shopModel, shopServer } from "../../../test/support/models.ts";

/** A model's own policies must not tell of a column that a dataset's policies hide from the model's author. */

const { server, shop } = await shopServer();

const policies = (...roles: string[]) => [{ name: "costs", roles, hide: ["cost"] }];
const hideCost = (...roles: string[]) =>
  resultOf(server, shop.admin, "set_dataset_policies", {
    dataset_id: shop.orders,
    policies: roles.length === 0 ? [] : policies(...roles),
  });

/** Orders without the hidden column, with one policy of the model. */
function probe(name: string, policy: object, wish: object = {}): string {
  const fields = [{ name: "id", expression: "id" }];
  const data = JSON.stringify({
    ...wish,
    policies: [{ name: "probe", roles: ["contributor", "viewer"], ...policy }],
  });
  const dataset = {
    name: "o",
    source: "Orders",
    fields,
    custom_extensions: [{ vendor_name: "KENNING", data }],
  };
  return JSON.stringify({ semantic_model: [{ name, datasets: [dataset] }] });
}

const dearerThan = (value: number, field = "cost") => ({ rows: [{ field, operator: ">", value }] });
const count = async (token: string, modelName: string) =>
  (await query(server, token, "SELECT count(*) AS n FROM o", { modelName })).rows[0]?.n;
const publish = (token: string, modelName: string, more: object = {}) =>
  resultOf(server, token, "publish_semantic_model", { modelName, ...more });

describe("a policy of a model over a column that is hidden from its author", () => {
  it.each([
    ["to choose rows", dearerThan(5), dearerThan(5, "costs")],
    ["to hide it", { hide: ["cost"] }, { hide: ["costs"] }],
  ])("is refused as if there were no such column, %s", async (_, hidden, unknown) => {
    await hideCost("contributor", "viewer");
    const refusal = (name: string) =>
      new RegExp(`The policy probe of o names ${name}, which there is not\\. It hides columns and fields`);
    await expect(saveModel(server, shop.contributor, probe("probe", hidden))).rejects.toThrow(
      refusal("cost"),
    );
    await expect(saveModel(server, shop.contributor, probe("probe", unknown))).rejects.toThrow(
      refusal("costs"),
    );
    const { problems } = await saveModel(server, shop.contributor, probe("probe", hidden), {
      publish: false,
    });
    expect(problems).toMatchObject([{ severity: "error" }]);
    await expect(publish(shop.contributor, "probe")).rejects.toThrow(/^Policies hide a part of o from you/);
  });

  it("is refused over a view query as well", async () => {
    await hideCost("contributor", "viewer");
    const content = probe("probe", dearerThan(5), { view_query: "SELECT * FROM Orders" });
    await expect(saveModel(server, shop.contributor, content)).rejects.toThrow(
      /names cost, which there is not/,
    );
  });

  it("lets nothing through where the column was hidden after it was published", async () => {
    await hideCost();
    await saveModel(server, shop.contributor, probe("early", dearerThan(5)));
    expect(await count(shop.contributor, "early")).toBe(2);
    await hideCost("contributor", "viewer");
    for (const token of [shop.contributor, shop.viewer]) expect(await count(token, "early")).toBe(0);
    await expect(publish(shop.contributor, "early", { version: 1 })).rejects.toThrow(/^Policies hide/);
    await publish(shop.admin, "early", { version: 1 });
    expect(await count(shop.viewer, "early")).toBe(2);
  });

  it("is refused to a contributor who goes back to what an admin had published", async () => {
    await hideCost("contributor", "viewer");
    await saveModel(server, shop.admin, probe("back", dearerThan(5)));
    await saveModel(server, shop.admin, probe("back", dearerThan(10)));
    await expect(publish(shop.contributor, "back", { version: 1 })).rejects.toThrow(/^Policies hide/);
  });
});

describe("a policy of a model over a column that is hidden from its readers only", () => {
  it("chooses the rows that they see", async () => {
    await hideCost("contributor", "viewer");
    await saveModel(server, shop.admin, probe("dear", dearerThan(5)));
    for (const token of [shop.contributor, shop.viewer]) expect(await count(token, "dear")).toBe(2);
    await hideCost("viewer");
    await saveModel(server, shop.contributor, probe("dearer", dearerThan(10)));
    expect(await count(shop.viewer, "dearer")).toBe(1);
    const ask = query(server, shop.viewer, "SELECT cost FROM o", { modelName: "dearer" });
    await expect(ask).rejects.toThrow(/cost/);
  });

  it("lets nothing through once its author has left or has no more rights than they have", async () => {
    await hideCost("contributor", "viewer");
    const email = "leaving@example.com";
    const { users } = server.app.identity;
    await users.create({ email, workspace: "acme", role: "admin", password: "correct horse battery" });
    await saveModel(server, await server.token({ email }), probe("left", dearerThan(5)));
    expect(await count(shop.viewer, "left")).toBe(2);
    await users.setRole({ email, workspace: "acme", role: "contributor" });
    expect(await count(shop.viewer, "left")).toBe(0);
    await users.setRole({ email, workspace: "acme", role: "admin" });
    expect(await count(shop.viewer, "left")).toBe(2);
    await users.disable(email);
    expect(await count(shop.viewer, "left")).toBe(0);
  });
});

describe("somebody who sees all of a dataset", () => {
  it("publishes any policy over it", async () => {
    await hideCost("viewer");
    const saved = await saveModel(
      server,
      shop.contributor,
      shopModel({ name: "any", orders: { policies: policies("viewer") } }),
    );
    expect(saved).toMatchObject({ state: "published", problems: SHOP_PROBLEMS });
  });
});
