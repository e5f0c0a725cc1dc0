import { beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { openShop, refusalsOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

let id: number;
const server = await serverOfFile();
const shop = await openShop(server);
beforeAll(async () => {
  const wish = { modelName: "shop", title: "No weights", description: "please" };
  ({ id } = await resultOf<{ id: number }>(server, shop.contributor, "request_improvement", wish));
});

const close = (args: Record<string, unknown>, token = shop.admin) =>
  resultOf(server, token, "close_improvement_request", { id, state: "done", ...args });
const closed = async () =>
  (await resultOf<{ requests: object[] }>(server, shop.admin, "list_improvement_requests", { state: "all" }))
    .requests[0];

describe("close_improvement_request", () => {
  it("is for admins, of the same workspace", async () => {
    expect(
      await refusalsOf(server, shop.contributor, "close_improvement_request", { id, state: "done" }),
    ).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("admin"),
    });
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    await expect(close({}, foreign)).rejects.toThrow(`There is no improvement request with id ${id}.`);
    const reader = await server.token({ limits: { readOnly: true } });
    await expect(close({}, reader)).rejects.toThrow(/admin/);
    expect(await closed()).toMatchObject({ state: "open", closed_at: null });
  });

  it("closes it, with a word on why", async () => {
    expect(await close({ resolution: "Added as a field." })).toEqual({ id, state: "done" });
    expect(await closed()).toMatchObject({
      state: "done",
      resolution: "Added as a field.",
      closed_at: expect.stringMatching(/^\d{4}-/),
    });
    expect(await close({ state: "declined" })).toEqual({ id, state: "declined" });
  });

  it("refuses what it does not know", async () => {
    await expect(close({ state: "open" })).rejects.toThrow(/state/);
    await expect(close({ id: id + 100 })).rejects.toThrow(/list_improvement_requests shows what there is/);
    await expect(close({ resolution: "r".repeat(2_001) })).rejects.toThrow(/resolution/);
  });

  it("does not know requests about models that the token is not for", async () => {
    const limited = await server.token({ limits: { models: ["other"] } });
    await expect(close({}, limited)).rejects.toThrow(`There is no improvement request with id ${id}.`);
    await close({}, await server.token({ limits: { models: ["Shop"] } }));
  });
});
