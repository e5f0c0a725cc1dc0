import type { Tool as McpTool } from "@modelcontextprotocol/server";
import type { Operation } from "../../registry/call.ts";
import type { Effect } from "../../registry/define-tool.ts";
import type { WireTool } from "../../registry/registry.ts";
import type { Bounds } from "../../registry/token-limits.ts";

const ANNOTATIONS: Record<Effect, McpTool["annotations"]> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

/** The operation behind a tool on its surface: parse that surface's arguments, adapt, run, hold the result to its schema. */
export function toolOperation({ tool, name, input, adapt }: WireTool): Operation {
  return {
    ...rulesOf(tool),
    kind: "tool",
    name,
    timeoutMs: tool.timeoutMs,
    longList: tool.longList,
    input,
    run: async (args: unknown, context) => {
      const adapted = adapt === undefined ? args : tool.input.parse(adapt(args));
      return tool.output.parse(await tool.run(adapted, context));
    },
  };
}

/** Who may do something: permissions, and what the limits of tokens ask for. */
export type Rules = Pick<Operation, "permissions" | keyof Bounds>;

export function rulesOf({ permissions, effect, toolset, within }: Rules): Rules {
  return { permissions, effect, toolset, within };
}

/** A tool as tools/list shows it. */
export function publish({ tool, name, description, inputSchema, outputSchema }: WireTool): McpTool {
  const ui = tool.isForApps ? { visibility: ["app"] } : tool.app && { resourceUri: tool.app };
  return {
    name,
    title: tool.title,
    description,
    inputSchema: inputSchema as McpTool["inputSchema"],
    outputSchema: outputSchema as NonNullable<McpTool["outputSchema"]>,
    annotations: ANNOTATIONS[tool.effect],
    ...(ui !== undefined && { _meta: { ui } }),
  };
}
