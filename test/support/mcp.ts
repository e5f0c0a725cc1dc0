import type { TestServer } from "./server.ts";

export interface ToolAnswer {
  status: number;
  result?: { isError?: boolean; content: { type: string; text: string }[]; structuredContent?: unknown };
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** One tool call by plain HTTP, as a script would send it. */
export async function callTool(
  server: TestServer,
  token: string | undefined,
  name: string,
  args: Record<string, unknown> = {},
  path = "/mcp",
): Promise<ToolAnswer> {
  const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const response = await server.request(path, { json, ...(token !== undefined && { token }) });
  return { status: response.status, ...((await response.json()) as object) };
}
