import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ChatCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Slack and Teams on loopback, as far as messages go there. */
export interface ChatStandIn {
  url: string;
  calls: ChatCall[];
  /** The answer of Slack to a method from now on, instead of the usual one. */
  answers: Map<string, { status?: number; headers?: Record<string, string>; json: object }>;
  stop(): Promise<void>;
}

/** Channels that the bot sees, on two pages. */
const PAGES = [
  { channels: [{ id: "C0000000001", name: "general" }], response_metadata: { next_cursor: "two" } },
  { channels: [{ id: "C0000000002", name: "sales" }], response_metadata: { next_cursor: "" } },
];

export async function startChatStandIn(token: string): Promise<ChatStandIn> {
  const calls: ChatCall[] = [];
  const answers: ChatStandIn["answers"] = new Map();
  const uploads = new Map<string, number>();
  let url = "";
  const slack = (method: string, body: Buffer, headers: IncomingHttpHeaders): object => {
    if (headers.authorization !== `Bearer ${token}`) return { ok: false, error: "invalid_auth" };
    const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
    const wish = isForm
      ? Object.fromEntries(new URLSearchParams(body.toString()))
      : JSON.parse(body.toString());
    if (method === "conversations.list") return { ok: true, ...PAGES[wish.cursor === "two" ? 1 : 0] };
    if (method === "files.getUploadURLExternal") {
      const id = `F${uploads.size + 1}`;
      // Slack itself takes no JSON here.
      if (!isForm || !(Number(wish.length) > 0)) return { ok: false, error: "invalid_arguments" };
      uploads.set(id, Number(wish.length));
      return { ok: true, upload_url: `${url}/upload/${id}`, file_id: id };
    }
    if (method === "files.completeUploadExternal") {
      const isKnown = wish.files.every(({ id }: { id: string }) => uploads.get(id) === 0);
      return isKnown && wish.channel_id?.startsWith("C")
        ? { ok: true }
        : { ok: false, error: "file_not_found" };
    }
    if (method === "chat.postMessage") return { ok: true, ts: "1.2", channel: wish.channel };
    return { ok: false, error: "unknown_method" };
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const path = request.url ?? "";
    calls.push({ path, headers: request.headers, body });
    const method = path.startsWith("/api/") ? path.slice("/api/".length) : path;
    const own = answers.get(method);
    if (own !== undefined) {
      response.writeHead(own.status ?? 200, { "content-type": "application/json", ...own.headers });
      return response.end(JSON.stringify(own.json));
    }
    if (path.startsWith("/api/")) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify(slack(method, body, request.headers)));
    }
    if (path.startsWith("/upload/")) {
      const id = path.slice("/upload/".length);
      const isWhole = uploads.get(id) === body.length;
      if (isWhole) uploads.set(id, 0);
      return response.writeHead(isWhole ? 200 : 400).end(`OK - ${body.length}`);
    }
    // A webhook of Slack says ok; a workflow of Teams says that it has it.
    return response.writeHead(path.startsWith("/teams") ? 202 : 200).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, calls, answers, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
