import { resultOf } from "./datasets.ts";
import { callTool } from "./mcp.ts";
import { PATHS } from "./rpc.ts";
import type { TestServer } from "./server.ts";

/** A knowledge base, made through the public door; its id. */
export async function makeBase(
  server: TestServer,
  token: string,
  args: { name: string; group?: string; personal?: boolean; description?: string },
): Promise<number> {
  const made = await resultOf<{ knowledge_base_id: number }>(server, token, "create_knowledge_base", args);
  return made.knowledge_base_id;
}

export interface Added {
  document_id: number;
  index_status: string;
  outcome: string;
  version: number;
  error?: string;
  notes: string[];
}

/** A document, added through the public door. */
export async function addDocument(
  server: TestServer,
  token: string,
  knowledge_base_id: number,
  file_name: string,
  content: string | Buffer,
  folder?: string,
): Promise<Added> {
  const text = typeof content === "string" ? content : content.toString("base64");
  const args = { knowledge_base_id, file_name, content: text, ...(folder !== undefined && { folder }) };
  return resultOf<Added>(server, token, "add_document", args);
}

/** What a tool of the knowledge endpoint answers: the one JSON text that it is, result or error. */
export async function callKnowledge(
  server: TestServer,
  token: string,
  name: string,
  args: Record<string, unknown> = {},
  path: string = PATHS.knowledge,
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever there is.
): Promise<any> {
  const { result, error } = await callTool(server, token, name, args, path);
  const [block] = result?.content ?? [];
  return block === undefined ? { protocol: error } : JSON.parse(block.text);
}
