import type { Tool as McpTool } from "@modelcontextprotocol/server";
import type { Effect } from "../../registry/define-tool.ts";
import type { WireTool } from "../../registry/registry.ts";

const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const ANNOTATIONS: Record<Effect, McpTool["annotations"]> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  write: WRITES,
  delegate: WRITES,
  destroy: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

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
