import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const token = await server.token();

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever there is.
async function call(tool: string, args: Record<string, unknown>, as = token): Promise<any> {
  const { result, error } = await callTool(server, as, tool, args);
  if (result === undefined || result.isError) return { error: result?.content[0]?.text ?? error?.message };
  return result.structuredContent;
}

describe("list_relation_types", () => {
  it("shows types with their inverses and what they are between, to whoever may read", async () => {
    const viewer = await server.token({ role: "viewer" });
    const { types, rules } = await call("list_relation_types", {}, viewer);
    expect(rules).toBeNull();
    expect(types).toContainEqual({ rel_type: "KNOWS", inverse: "KNOWS", from: ["person"], to: ["person"] });
    expect(types).toContainEqual({ rel_type: "PART_OF", inverse: "HAS_PART" });
    const turtle =
      "@prefix k: <urn:kenning:memory#> . k:LIKES <http://www.w3.org/2002/07/owl#inverseOf> k:LIKED_BY .";
    await call("set_relation_rules", { turtle });
    const after = await call("list_relation_types", {}, viewer);
    expect(after.rules).toMatchObject({ turtle, shapes: 0, updated_by: expect.stringContaining("@") });
    expect(after.types).toContainEqual({ rel_type: "LIKES", inverse: "LIKED_BY" });
  });
});
