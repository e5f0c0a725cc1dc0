import { type Agent, request } from "node:http";

export interface Sent {
  status: number;
  ms: number;
  body: string;
}

/** Sends one JSON-RPC message, and waits for the whole answer. */
export function post(agent: Agent, url: string, token: string, body: string): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const startedMs = performance.now();
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": Buffer.byteLength(body),
  };
  const sending = request(url, { method: "POST", agent, headers }, (response) => {
    const pieces: Buffer[] = [];
    response.on("data", (piece: Buffer) => pieces.push(piece));
    response.once("end", () => {
      const ms = performance.now() - startedMs;
      resolve({ status: response.statusCode ?? 0, ms, body: Buffer.concat(pieces).toString("utf8") });
    });
  });
  sending.once("error", reject);
  sending.end(body);
  return promise;
}

export function toolCall(name: string, args: object): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "tools/call",
    params: { name, arguments: args },
  });
}
