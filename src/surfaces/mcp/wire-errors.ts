import type { Server } from "@modelcontextprotocol/server";

/** An error as JSON-RPC writes it. */
export interface WireError {
  code: number;
  message: string;
  data?: unknown;
}

type Change = (error: WireError) => WireError;

/** Changes the errors that a server sends, also those that the SDK makes, whichever transport it is given. */
export function changingErrors(server: Server, change: Change): Server {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(changed(message, change), options);
    return connect(transport);
  };
  return server;
}

/** The same of an answer of HTTP, for what never became a message. */
export async function changeErrorIn(answer: Response, change: Change): Promise<Response> {
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  if (answer.ok || !isJson) return answer;
  const body: unknown = await answer.json();
  const { status, headers } = answer;
  headers.delete("content-length");
  const isMessage = typeof body === "object" && body !== null && "jsonrpc" in body;
  return new Response(JSON.stringify(isMessage ? changed(body, change) : body), { status, headers });
}

function changed<Message extends object>(message: Message, change: Change): Message {
  return "error" in message ? { ...message, error: change(message.error as WireError) } : message;
}
