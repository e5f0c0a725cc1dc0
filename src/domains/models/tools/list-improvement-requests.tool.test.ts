import { beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf, saveModel, shopModel, shopServer } from "../../../../test/support/models.ts";

interface Listed {
  total: number;
  requests: { id: number; title: string; state: string; closed_at: string | null }[];
}

const { server, shop } = await shopServer();
beforeAll(async () => {
  for (const title of ["first", "second", "third"]) {
    const args = { modelName: "shop", title, description: "please" };
    await resultOf(server, shop.contributor, "request_improvement", args);
  }
});

const list = (args: Record<string, unknown> = {}, token = shop.admin) =>
  resultOf<Listed>(server, token, "list_improvement_requests", args);
const titles = async (args: Record<string, unknown> = {}) =>
  (await list(args)).requests.map(({ title }) => title);

describe("list_improvement_requests", () => {
  it("lists what is open, the newest first, a page at a time", async () => {
    expect(await titles()).toEqual(["third", "second", "first"]);
    expect(await titles({ limit: 1, offset: 1 })).toEqual(["second"]);
    expect((await list({ limit: 1 })).total).toBe(3);
  });

  it("lists by state", async () => {
    const { requests } = await list();
    const id = requests.find(({ title }) => title === "second")?.id;
    await resultOf(server, shop.admin, "close_improvement_request", { id, state: "declined" });
    expect(await titles()).toEqual(["third", "first"]);
    expect(await titles({ state: "declined" })).toEqual(["second"]);
    expect(await titles({ state: "done" })).toEqual([]);
    expect(await titles({ state: "all" })).toEqual(["third", "second", "first"]);
    await expect(list({ state: "closed" })).rejects.toThrow(/state/);
  });

  it("lists nothing of another workspace", async () => {
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    expect(await list({ state: "all" }, foreign)).toEqual({ total: 0, requests: [] });
  });

  it("is for admins", async () => {
    expect(await refusalsOf(server, shop.contributor, "list_improvement_requests", {})).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("admin"),
    });
  });

  it("lists nothing of models that the token is not for, or that are gone", async () => {
    const { asset_id } = await saveModel(server, shop.admin, shopModel({ name: "other" }));
    const wish = { modelName: "other", title: "fourth", description: "please" };
    await resultOf(server, shop.admin, "request_improvement", wish);
    const limited = await server.token({ limits: { models: ["OTHER"] } });
    expect((await list({ state: "all" }, limited)).requests).toMatchObject([{ title: "fourth" }]);
    const asset = { asset_type: "semantic_model", asset_id, confirm: true };
    await resultOf(server, shop.admin, "delete_asset", asset);
    expect((await list({ state: "all" })).total).toBe(3);
  });
});
