import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** The least that serves the same tool: the SDK as its documentation shows it, without any token, limit or audit. */

const output = z.object({ user: z.object({ id: z.number(), email: z.string() }), role: z.string() });

function makeServer(): McpServer {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  server.registerTool(
    "whoami",
    {
      title: "Who am I",
      description: "The user behind this connection.",
      inputSchema: z.object({}),
      outputSchema: output,
    },
    async () => {
      const structuredContent = { user: { id: 1, email: "admin@example.com" }, role: "admin" };
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  return server;
}

const modern = createMcpHandler(makeServer, { legacy: "reject" });
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function serve(request: Request): Promise<Response> {
  if (!(await isLegacyRequest(request))) return modern.fetch(request);
  const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
  if (known !== undefined) return known.handleRequest(request);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await makeServer().connect(transport);
  return transport.handleRequest(request);
}

const server = createServer(getRequestListener(serve));
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, tokens: [""] });
});
process.once("message", () => process.exit(0));
