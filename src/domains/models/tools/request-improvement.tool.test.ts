import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { openShop, refusalsOf, saveModel, shopModel, textOf } from "../../../../test/support/models.ts";
import { PATHS } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const WISH = { modelName: "shop", title: "No weights", description: "Orders should have a weight." };

const server = await serverOfFile();
const shop = await openShop(server);

const ask = (args: object, token = shop.contributor, path: string = PATHS.models) =>
  callTool(server, token, "request_improvement", { ...WISH, ...args }, path);
const requests = async () =>
  (
    await resultOf<{ requests: Record<string, unknown>[] }>(
      server,
      shop.admin,
      "list_improvement_requests",
      {},
    )
  ).requests;

describe("request_improvement", () => {
  it.each([PATHS.all, PATHS.models])(
    "[models.improve.returns] confirms, and an admin finds it (%s)",
    async (path) => {
      const { result } = await ask({}, shop.contributor, path);
      const { id } = (result?.structuredContent ?? {}) as { id?: number };
      expect(result).toMatchObject({
        isError: false,
        content: [{ text: `Improvement request ${id} was submitted.` }],
      });
      expect((await requests())[0]).toMatchObject({
        id,
        model: "shop",
        title: "No weights",
        description: "Orders should have a weight.",
        state: "open",
        requested_by: expect.stringContaining("contributor"),
      });
    },
  );

  it("[models.improve.limits] takes titles of 200 and descriptions of 2,000 characters, and no more", async () => {
    const fits = await ask({ title: "t".repeat(200), description: "d".repeat(2_000) });
    expect(fits.result?.isError).toBe(false);
    for (const [wrong, field] of [
      [{ title: "t".repeat(201) }, /title/],
      [{ description: "d".repeat(2_001) }, /description/],
      [{ title: " " }, /title/],
      [{ description: "" }, /description/],
    ] as const) {
      const answer = await ask(wrong);
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toMatch(field);
    }
  });

  it("[models.improve.parameters] needs a model, a title and a description", async () => {
    for (const field of ["modelName", "title", "description"]) {
      expect(textOf(await ask({ [field]: undefined }))).toMatch(new RegExp(`${field} is required`));
    }
    expect(textOf(await ask({ modelName: "nothing" }))).toMatch(/^There is no semantic model "nothing"/);
  });

  it("takes no drafts, nor models that the token is not for", async () => {
    await saveModel(server, shop.admin, shopModel({ name: "planning" }), { publish: false });
    expect(textOf(await ask({ modelName: "planning" }))).toMatch(/^The semantic model "planning" is a draft/);
    const limited = await server.token({ role: "contributor", limits: { models: ["other"] } });
    expect(textOf(await ask({}, limited))).toMatch(/^There is no semantic model/);
  });

  it("is for those with ontologies:write, and not for read-only tokens", async () => {
    for (const path of [PATHS.all, PATHS.models]) {
      expect(await refusalsOf(server, shop.viewer, "request_improvement", WISH, path)).toEqual({
        anonymous: 401,
        wrong: expect.stringContaining("ontologies:write"),
      });
    }
    const reader = await server.token({ limits: { readOnly: true } });
    const before = await requests();
    expect((await ask({}, reader)).result?.isError).toBe(true);
    expect(await requests()).toEqual(before);
  });
});
