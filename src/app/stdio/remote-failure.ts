import { InsufficientScopeError, SdkHttpError } from "@modelcontextprotocol/client";
import { messageOf } from "../../kernel/errors.ts";

/** Why the server did not take a message, as far as it matters for what to do next. */
export interface RemoteFailure {
  kind: "not-running" | "token-refused" | "session-lost" | "other";
  sentence: string;
  /** A JSON-RPC error that came in the body of a refusal. */
  rpcError?: { code: number; message: string; data?: unknown };
}

/** Nothing was sent when the connection could not even be made, so the message may safely be sent again. */
const NOT_CONNECTED = [
  "ECONNREFUSED",
  "ENOENT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
];

export function explainRemoteFailure(error: unknown, url: URL): RemoteFailure {
  if (error instanceof InsufficientScopeError) {
    const scope = error.requiredScope === undefined ? "a scope" : `the scope ${error.requiredScope}`;
    return { kind: "other", sentence: `The token lacks ${scope} that this needs.` };
  }
  if (error instanceof SdkHttpError) return explainStatus(error, url);
  if (NOT_CONNECTED.includes(codeOf(error) ?? "")) {
    return {
      kind: "not-running",
      sentence: `Kenning is not running at ${url.origin}; start it with: kenning serve`,
    };
  }
  const reason = codeOf(error) ?? messageOf(error);
  return { kind: "other", sentence: `The connection to Kenning at ${url.origin} failed (${reason}).` };
}

function explainStatus(error: SdkHttpError, url: URL): RemoteFailure {
  const { status } = error;
  const rpcError = rpcErrorIn(error.data);
  const extra = rpcError === undefined ? {} : { rpcError };
  if (status === 401) {
    const hint = "make a new one with: kenning token create --user EMAIL --workspace SLUG --kind mcp";
    return { kind: "token-refused", sentence: `Kenning at ${url.origin} refused the token; ${hint}` };
  }
  if (status === 404)
    return { kind: "session-lost", sentence: `There is no MCP endpoint at ${url.href}.`, ...extra };
  if (status === 429)
    return {
      kind: "other",
      sentence: "Kenning has had too many requests just now; try again later.",
      ...extra,
    };
  return { kind: "other", sentence: `Kenning at ${url.origin} answered with HTTP ${status}.`, ...extra };
}

function rpcErrorIn(data: unknown): RemoteFailure["rpcError"] {
  const text = (data as { text?: unknown } | undefined)?.text;
  if (typeof text !== "string") return undefined;
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; data?: unknown } };
    if (typeof error?.code !== "number" || typeof error.message !== "string") return undefined;
    return {
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    };
  } catch {
    return undefined;
  }
}

/** The system's code for a failure, found below the wrappers of fetch. */
function codeOf(error: unknown): string | undefined {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const { code } = current as { code?: unknown };
    if (typeof code === "string") return code;
    // Several addresses were tried (IPv6 and IPv4), each with its own failure.
    if (current instanceof AggregateError) return codeOf(current.errors[0]);
  }
  return undefined;
}
