import { callTool } from "./mcp.ts";
import type { TestServer } from "./server.ts";

/** A dataset with these rows, made through the public door; its id. */
export async function makeDataset(
  server: TestServer,
  token: string,
  name: string,
  rows: object[],
): Promise<number> {
  const { result } = await callTool(server, token, "push_data", { dataset_name: name, rows });
  if (result?.isError !== false) throw new Error(JSON.stringify(result));
  return (result.structuredContent as { dataset_id: number }).dataset_id;
}

/** What a tool gave, or the text of its error. */
export async function resultOf<T = Record<string, unknown>>(
  server: TestServer,
  token: string,
  name: string,
  args: Record<string, unknown>,
  path?: string,
): Promise<T> {
  const { result, error } = await callTool(server, token, name, args, path);
  if (result?.isError === false) return result.structuredContent as T;
  throw new Error(result?.content[0]?.text ?? error?.message ?? "no answer");
}

/** What export_data gives on /mcp: what it says of the file, and the file, which comes once as an embedded resource. */
export async function exportOf<T = Record<string, unknown>>(
  server: TestServer,
  token: string,
  args: Record<string, unknown>,
): Promise<T & { file: Buffer }> {
  const { result, error } = await callTool(server, token, "export_data", args);
  if (result?.isError !== false) throw new Error(result?.content[0]?.text ?? error?.message ?? "no answer");
  const { download_url: link } = result.structuredContent as { download_url?: string };
  if (link !== undefined) {
    const answer = await server.request(new URL(link).pathname);
    if (!answer.ok) throw new Error(await answer.text());
    return { ...(result.structuredContent as T), file: Buffer.from(await answer.arrayBuffer()) };
  }
  const [, block] = result.content as unknown as { resource: { text?: string; blob?: string } }[];
  const { text, blob } = block?.resource ?? {};
  const file = text === undefined ? Buffer.from(blob ?? "", "base64") : Buffer.from(text);
  return { ...(result.structuredContent as T), file };
}
