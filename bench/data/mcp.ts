import type { Child } from "./child.ts";

export interface Hello {
  url: string;
  token: string;
  home: string;
}

/** Calls a tool over HTTP, as a client of an older protocol that keeps no session. */
export async function callTool<T>(
  { hello: { url, token } }: Child<Hello>,
  name: string,
  args: object,
): Promise<T> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
  };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  // A call that tells of its progress is answered by a stream of events, of which the last is the answer.
  const json = text.startsWith("{") ? text : text.slice(text.lastIndexOf("data: ") + "data: ".length);
  const { result } = JSON.parse(json) as { result?: { isError?: boolean; structuredContent?: T } };
  if (result?.isError !== false || result.structuredContent === undefined) throw new Error(text);
  return result.structuredContent;
}
