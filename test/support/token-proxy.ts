import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface TokenProxy {
  url: string;
  stop(): Promise<void>;
}

/**
 * Puts a bearer token on every request to a server, for clients that cannot carry one. Everything else passes as
 * it came, `Host` and `Origin` included: the server must judge what the client really sent.
 */
export async function startTokenProxy(target: string, token: string): Promise<TokenProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, answer) => pass(incoming, answer, { hostname, port, token }));
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      server.close(() => close());
      server.closeAllConnections();
      await closed;
    },
  };
}

function pass(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { hostname, port, token }: { hostname: string; port: string; token: string },
): void {
  const headers = [...incoming.rawHeaders, "authorization", `Bearer ${token}`];
  const { method, url: path } = incoming;
  const onward = request({ hostname, port, method, path, headers, setHost: false, agent: false });
  onward.on("response", (response) => {
    answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(answer);
    response.on("error", () => answer.destroy());
  });
  onward.on("error", () => answer.destroy());
  // A client that goes away must be seen to go away.
  answer.on("close", () => onward.destroy());
  incoming.pipe(onward);
}
