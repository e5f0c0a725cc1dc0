/**
 * Runs in a thread of its own and sends requests from there, so that the thread under test has nothing to do but to
 * serve them.
 */
import { Agent, type ClientRequest, request } from "node:http";
import { parentPort } from "node:worker_threads";

export interface Sending {
  id: number;
  url: string;
  token: string;
  body: Uint8Array;
  /** Leaves out the end of the body until it is told to hang up. */
  isStalled?: boolean;
  /** Hangs up right after the last byte. */
  isGone?: boolean;
  headers?: Record<string, string>;
}

export interface Sent {
  id: number;
  status: number;
  text: string;
  retryAfter: string | undefined;
  ms: number;
}

const agent = new Agent({ keepAlive: true });
const stalled: ClientRequest[] = [];

parentPort?.on("message", (message: Sending | "hang up") => {
  if (message !== "hang up") return send(message);
  for (const one of stalled.splice(0)) one.destroy();
});

function send({ id, url, token, body, isStalled, isGone, headers: more }: Sending): void {
  const started = performance.now();
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": body.length,
    ...more,
  };
  const answer = (status: number, text: string, retryAfter?: string): void => {
    const sent: Sent = { id, status, text, retryAfter, ms: performance.now() - started };
    parentPort?.postMessage(sent);
  };
  const sending = request(url, { method: "POST", agent, headers }, (response) => {
    const pieces: Buffer[] = [];
    response.on("data", (piece: Buffer) => pieces.push(piece));
    response.on("error", (error) => answer(0, error.message));
    response.on("end", () => {
      answer(response.statusCode ?? 0, Buffer.concat(pieces).toString(), response.headers["retry-after"]);
    });
  });
  sending.on("error", (error) => answer(0, error.message));
  if (isGone) sending.on("socket", (socket) => sending.on("finish", () => socket.destroySoon()));
  if (!isStalled) return void sending.end(body);
  stalled.push(sending);
  sending.write(body.subarray(0, -1));
}
