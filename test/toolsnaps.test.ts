import { globSync } from "node:fs";
import { basename } from "node:path";
import { encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { describeRegistry } from "../src/app/slices.ts";
import { SURFACES, type SurfaceName } from "../src/registry/caller.ts";
import { TOOLSETS, type Toolset } from "../src/registry/define-tool.ts";
import { publish } from "../src/surfaces/mcp/tool-list.ts";

/** A contract never changes by accident: each tool on each surface has its committed picture. */

const registry = describeRegistry();

/**
 * What the tool list of a surface, with the toolsets that are on by default, may cost a model on every request. Counted
 * is what a client hands to its model; output schemas and annotations stay with the client.
 */
const TOKEN_BUDGET: Record<SurfaceName, number> = {
  bi: 9_000,
  agent: 1_000,
  memory: 3_000,
  models: 2_500,
  knowledge: 2_500,
  all: 6_000,
};
/** What one tool of `/mcp` may cost, in whatever toolset. */
const TOKENS_PER_TOOL = 250;

const isOnByDefault = ({ toolset }: { toolset: Toolset }) => TOOLSETS[toolset].byDefault;

function tokensOf({ name, description, inputSchema }: ReturnType<typeof publish>): number {
  return encode(JSON.stringify({ name, description, inputSchema })).length;
}

describe.each(SURFACES)("tools of %s", (surface) => {
  const tools = registry.tools(surface).map(publish);

  it.each(tools.map((tool) => [tool.name, tool] as const))("%s is as it was", async (name, tool) => {
    await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(
      `toolsnaps/${surface}/${name}.json`,
    );
  });

  it("has a picture of each of its tools and of no other", () => {
    const pictures = globSync(`${import.meta.dirname}/toolsnaps/${surface}/*.json`).map((path) =>
      basename(path, ".json"),
    );
    expect(pictures.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });

  it("fits its token budget", () => {
    const costs = registry.tools(surface).map((wire) => ({
      name: wire.name,
      toolset: wire.tool.toolset,
      isListed: surface !== "all" || isOnByDefault(wire.tool),
      tokens: tokensOf(publish(wire)),
    }));
    const listed = costs.filter(({ isListed }) => isListed);
    const tokens = listed.reduce((sum, cost) => sum + cost.tokens, 0);
    const table = costs
      .toSorted((a, b) => b.tokens - a.tokens)
      .map(
        (cost) =>
          `\n${String(cost.tokens).padStart(6)}  ${cost.name}${cost.isListed ? "" : ` (only with ${cost.toolset})`}`,
      );
    console.log(
      `tools/list on ${surface}: ${listed.length} tools, ${tokens} of ${TOKEN_BUDGET[surface]} tokens${table.join("")}`,
    );
    expect(tokens).toBeLessThanOrEqual(TOKEN_BUDGET[surface]);
    const large = surface === "all" ? costs.filter((cost) => cost.tokens > TOKENS_PER_TOOL) : [];
    expect(large).toEqual([]);
  });

  it("has names and texts that every client takes", () => {
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
      expect(tool.description?.length ?? 0).toBeGreaterThan(20);
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });
});
