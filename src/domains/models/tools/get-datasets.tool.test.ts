import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { refusalsOf, shopServer, textOf } from "../../../../test/support/models.ts";
import { PATHS } from "../../../../test/support/rpc.ts";

const { server, shop } = await shopServer();

const get = (datasets: unknown, path: string = PATHS.models, more: object = {}) =>
  callTool(server, shop.viewer, "get_datasets", { modelName: "shop", datasets, ...more }, path);

describe("get_datasets", () => {
  it.each([PATHS.all, PATHS.models])(
    "[models.datasets.returns] shows fields with types, expressions, enums, examples, synonyms (%s)",
    async (path) => {
      const { result } = await get([{ name: "orders" }], path);
      expect(result?.isError).toBe(false);
      const lines = result?.content[0]?.text.split("\n");
      expect(lines?.[0]).toBe('## "orders" — What was ordered');
      expect(lines).toContain("- **id** int PK — Number of the order");
      expect(lines).toContain("- **customer_id** int → customers.id");
      expect(lines).toContain("- **total** int = `net * 2` — With tax");
      expect(lines).toContain("- **region** text {North, South} *area* e.g. Northern");
      expect(lines).toHaveLength(8);
    },
  );

  it("[models.datasets.several] [models.datasets.returns] shows several at once, in the order asked for", async () => {
    const text = textOf(await get([{ name: "customers" }, { name: "orders" }]));
    expect(text.match(/^## .*/gm)).toEqual(['## "customers"', '## "orders" — What was ordered']);
    expect(text.split("\n")).toContain("- **city** text dim Note: Where they live.");
  });

  it("[models.datasets.page] pages the fields of each dataset by itself", async () => {
    await resultOf(server, shop.admin, "set_model_page_size", { items_per_page: 2 });
    try {
      const text = textOf(await get([{ name: "orders", page: 2 }, { name: "customers" }]));
      expect(text).toContain("**total**");
      expect(text).not.toContain("**customer_id**");
      expect(text).toContain("**name**");
      expect(text).not.toContain("**city**");
      expect(text).toContain('name: "customers", page: 2');
      const beyond = await get([{ name: "customers", page: 3 }]);
      expect(beyond.result?.isError).toBe(true);
      expect(textOf(beyond)).toMatch(/There is no page 3: .* fill 2 pages\. Ask for a page from 1 to 2\./);
    } finally {
      await resultOf(server, shop.admin, "set_model_page_size", { items_per_page: 50 });
    }
  });

  it("[models.datasets.limits] takes 1 to 10 datasets", async () => {
    const many = (count: number) => Array.from({ length: count }, () => ({ name: "orders" }));
    expect((await get(many(10))).result?.isError).toBe(false);
    for (const wrong of [
      [],
      many(11),
      undefined,
      "orders",
      [{ name: "orders", page: 0 }],
      [{ page: 1 }],
      ["orders"],
    ]) {
      const answer = await get(wrong);
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toMatch(/datasets/);
    }
  });

  it("says what it does not know, and what was meant", async () => {
    expect(textOf(await get([{ name: "order" }, { name: "secrets" }]))).toBe(
      'This model has no datasets "order", "secrets". Did you mean "orders"? Its datasets: "orders", "customers".',
    );
    expect(textOf(await get([{ name: "orders" }], PATHS.models, { modelName: "nothing" }))).toMatch(
      /^There is no semantic model "nothing"/,
    );
  });

  it("is for those with ontologies:read, and for their models", async () => {
    const args = { modelName: "shop", datasets: [{ name: "orders" }] };
    const wrong = await server.token({ scopes: ["bi:read"] });
    for (const path of [PATHS.all, PATHS.models]) {
      expect(await refusalsOf(server, wrong, "get_datasets", args, path)).toEqual({
        anonymous: 401,
        wrong: expect.stringContaining("ontologies:read"),
      });
    }
    const limited = await server.token({ limits: { models: ["other"] } });
    expect(textOf(await callTool(server, limited, "get_datasets", args))).toMatch(
      /^There is no semantic model/,
    );
  });
});
