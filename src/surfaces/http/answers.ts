import type { AppError, ErrorCode } from "../../kernel/errors.ts";

export const HTTP_STATUS: Record<
  ErrorCode,
  400 | 401 | 402 | 403 | 404 | 409 | 410 | 413 | 415 | 429 | 499 | 500 | 503 | 504
> = {
  bad_request: 400,
  unauthorized: 401,
  plan_limit: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported: 415,
  rate_limited: 429,
  cancelled: 499,
  internal: 500,
  unavailable: 503,
  timeout: 504,
};

/** An answer of HTTP itself: the request did not reach a tool. */
export function refusal(
  error: AppError,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Response {
  const retryAfterMs = error.data.retryAfterMs;
  const retry = typeof retryAfterMs === "number" && {
    "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1_000))),
  };
  const isSlow = error.data.reason === "slow_request";
  // What is left of a body that is too large or too slow is not read, so the connection is of no more use.
  const end = (isSlow || error.code === "too_large") && { connection: "close" };
  const status = isSlow ? 408 : HTTP_STATUS[error.code];
  return Response.json(body, { status, headers: { ...headers, ...retry, ...end } });
}

/** Tells a client where to get a token (401), or which scopes it lacks (403). RFC 6750 and RFC 9728. */
export function challenge(error: AppError, metadataUrl: string): Record<string, string> {
  const metadata = `resource_metadata="${metadataUrl}"`;
  if (error.code === "unauthorized") {
    // Without any token there is nothing wrong with it: no error code, as RFC 6750 says.
    const cause =
      error.data.reason === "missing" ? "" : `error="invalid_token", error_description="${error.message}", `;
    return { "www-authenticate": `Bearer ${cause}${metadata}` };
  }
  const scope = error.data.scope;
  if (error.code !== "forbidden" || typeof scope !== "string") return {};
  const cause = `error="insufficient_scope", scope="${scope}", error_description="${error.message}"`;
  return { "www-authenticate": `Bearer ${cause}, ${metadata}` };
}
