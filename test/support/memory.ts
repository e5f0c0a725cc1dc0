import { callTool } from "./mcp.ts";
import { type Answer, callOf, PATHS, type RpcError, type ToolResult } from "./rpc.ts";
import { startTestServer, type TestServer } from "./server.ts";

export interface MemoryHit {
  memory_id: string;
  title: string;
  content: string;
  score: number;
  source?: string | null;
  valid_from?: string;
  valid_to?: string | null;
  related?: { memory_id: string; content?: string; rel_type: string }[];
}

/** The memory endpoint as one token sees it. */
export class MemoryClient {
  readonly #server: TestServer;
  readonly #token: string;

  constructor(server: TestServer, token: string) {
    this.#server = server;
    this.#token = token;
  }

  answer(tool: string, args: Record<string, unknown> = {}): Promise<Answer<ToolResult>> {
    return callOf(this.#server, PATHS.memory, `knowmind.${tool}`, args, { token: this.#token });
  }

  /** The fields of a result. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever there is.
  async call(tool: string, args: Record<string, unknown> = {}): Promise<any> {
    const { body } = await this.answer(tool, args);
    if (body.error !== undefined) throw new Error(`${tool}: ${body.error.code} ${body.error.message}`);
    return body.result?.structuredContent;
  }

  async error(tool: string, args: Record<string, unknown> = {}): Promise<RpcError | undefined> {
    return (await this.answer(tool, args)).body.error;
  }

  async store(content: string, more: Record<string, unknown> = {}): Promise<string> {
    return (await this.call("store_memory", { content, ...more })).memory_id;
  }

  async recall(query: string, more: Record<string, unknown> = {}): Promise<MemoryHit[]> {
    return (await this.call("recall", { query, ...more })).hits;
  }

  async at(query: string, as_of: string, more: Record<string, unknown> = {}): Promise<MemoryHit[]> {
    return (await this.call("recall_at_time", { query, as_of, ...more })).hits;
  }
}

export const idsOf = (hits: readonly Pick<MemoryHit, "memory_id">[]) =>
  hits.map(({ memory_id }) => memory_id);

/** A server with a client of the memory surface; `call` is of `/mcp`, and gives an error as `{error}`. */
export async function startMemory() {
  const server = await startTestServer();
  const acme = new MemoryClient(server, await server.token({ kind: "memory" }));
  const token = await server.token();
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever there is.
  const call = async (tool: string, args: Record<string, unknown>, as = token): Promise<any> => {
    const { result, error } = await callTool(server, as, tool, args);
    if (result === undefined || result.isError) return { error: result?.content[0]?.text ?? error?.message };
    return result.structuredContent;
  };
  return { server, acme, token, call, stop: () => server.stop() };
}
