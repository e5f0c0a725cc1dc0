import type { Server } from "@modelcontextprotocol/server";
import { LIMITS } from "./limits.ts";

/** What stands in the place of a text that the client's model did not write. */
const DECLINED = "declined";

type CreateMessage = Server["createMessage"];

/**
 * A client that declines to lend its model, fails to, or leaves it hanging has answered as well: the call goes on without it. Left to
 * itself the SDK would end the whole call with an error.
 */
export function withoutModel(server: Server): void {
  const { sampleMs } = LIMITS.session;
  const create = server.createMessage.bind(server) as (...args: unknown[]) => Promise<unknown>;
  server.createMessage = (async (params: unknown, options?: { signal?: AbortSignal }) => {
    try {
      return await create(params, { ...options, timeout: sampleMs, maxTotalTimeout: sampleMs });
    } catch {
      options?.signal?.throwIfAborted();
      return { role: "assistant", model: "none", stopReason: DECLINED, content: { type: "text", text: "" } };
    }
  }) as CreateMessage;
}

export function isDeclined(answer: Record<string, unknown>): boolean {
  return answer.stopReason === DECLINED;
}
