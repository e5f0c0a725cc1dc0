import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export interface Target {
  name: string;
  url: string;
  headers?: Record<string, string>;
  tool: string;
  args(sql: string): Record<string, unknown>;
}

const START_MS = 30_000;
const ANSWER_MS = 300_000;

/** The official client. A server that is just starting is waited for. */
export async function connect({ name, url, headers = {} }: Target): Promise<Client> {
  for (const until = performance.now() + START_MS; ; ) {
    const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      // As every real client does, which then also checks results by the schemas of the tools.
      await client.listTools();
      return client;
    } catch (error) {
      await client.close().catch(() => undefined);
      if (performance.now() > until) throw new Error(`${name} cannot be reached`, { cause: error });
      await sleep(200);
    }
  }
}

/** One tool call; the text of its answer. */
export async function ask(client: Client, { name, tool, args }: Target, sql: string): Promise<string> {
  const { content, isError } = await client.callTool(
    { name: tool, arguments: args(sql) },
    { timeout: ANSWER_MS },
  );
  const text = content.map((item) => (item.type === "text" ? item.text : "")).join("");
  if (isError) throw new Error(`${name}: ${text.slice(0, 1_000)}`);
  return text;
}
