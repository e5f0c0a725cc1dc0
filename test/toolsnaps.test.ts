import { globSync } from "node:fs";
import { basename } from "node:path";
import { encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { describeRegistry } from "../src/app/slices.ts";
import { SURFACES, type SurfaceName } from "../src/registry/caller.ts";
import { TOOLSETS, type Toolset } from "../src/registry/toolsets.ts";
import { publish } from "../src/surfaces/mcp/tool-operation.ts";

/** A contract never changes by accident: each tool on each surface has its committed picture. */

const registry = describeRegistry();

/** What the tool list of a surface, with the toolsets that are on by default, may cost a model on every request. */
const TOKEN_BUDGET: Record<SurfaceName, number> = {
  bi: 9_000,
  agent: 1_000,
  memory: 3_000,
  models: 2_500,
  knowledge: 2_500,
  all: 6_000,
};

const isOnByDefault = ({ toolset }: { toolset: Toolset }) => TOOLSETS[toolset].byDefault;

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
    const shown = registry.tools(surface).filter(({ tool }) => surface !== "all" || isOnByDefault(tool));
    const tokens = encode(JSON.stringify(shown.map(publish))).length;
    console.log(
      `tools/list on ${surface}: ${shown.length} tools, ${tokens} of ${TOKEN_BUDGET[surface]} tokens`,
    );
    expect(tokens).toBeLessThanOrEqual(TOKEN_BUDGET[surface]);
  });

  it("has names and texts that every client takes", () => {
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
      expect(tool.description?.length ?? 0).toBeGreaterThan(20);
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });
});
