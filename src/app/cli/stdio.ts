import { PassThrough } from "node:stream";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { Agent, fetch } from "undici";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { type Config, loadConfig } from "../config.ts";
import { StdioBridge } from "../stdio/bridge.ts";
import type { Terminal } from "./command.ts";

interface StdioOptions {
  token: string | undefined;
  url: string | undefined;
}

/** Bridges standard input and output to `/mcp` of the running server. Standard output carries the protocol only. */
export async function stdio(options: StdioOptions, terminal: Terminal): Promise<number> {
  const config = loadConfig();
  const token = requireToken(options, config);
  const url = requireUrl(options, config);
  const input = new PassThrough();
  const bridge = new StdioBridge({
    local: new StdioServerTransport(input, process.stdout, { maxBufferSize: LIMITS.request.bodyBytes }),
    remote: openRemote(url, token),
    url,
    say: (sentence) => terminal.err(`kenning: ${sentence}\n`),
  });
  // The transport would close at the end of input and drop answers that are still under way.
  process.stdin.pipe(input, { end: false });
  process.stdin.once("end", () => void bridge.drain());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => bridge.stop(0));
  const exitCode = await bridge.run();
  process.stdin.destroy();
  return exitCode;
}

function openRemote(url: URL, token: string): StreamableHTTPClientTransport {
  // A call may think for as long as it likes, and a quiet stream is no broken one.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const patientFetch = (target: string | URL, init?: RequestInit) =>
    fetch(target, { ...init, dispatcher } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>;
  return new StreamableHTTPClientTransport(url, {
    fetch: patientFetch,
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    onInsufficientScope: "throw",
    reconnectionOptions: {
      initialReconnectionDelay: 300,
      reconnectionDelayGrowFactor: 2,
      maxReconnectionDelay: 5_000,
      maxRetries: 5,
    },
  });
}

function requireToken(options: StdioOptions, config: Config): string {
  const token = (options.token ?? config.client.token)?.trim();
  if (token === undefined || token === "") {
    throw new AppError("bad_request", "A token is missing.", {
      hint: "Put it into KENNING_TOKEN, or give it with --token TOKEN; kenning token create makes one.",
    });
  }
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new AppError("bad_request", "The token has characters that no token has.");
  return token;
}

function requireUrl(options: StdioOptions, config: Config): URL {
  const text = options.url ?? `${config.server.appUrl}/mcp`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new AppError(
      "bad_request",
      `--url is ${JSON.stringify(text)}, but must be a URL with http or https.`,
    );
  }
  // The address of the server is what people remember; the endpoint is meant.
  if (url.pathname === "/") url.pathname = "/mcp";
  return url;
}
