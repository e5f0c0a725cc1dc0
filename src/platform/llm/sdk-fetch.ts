import { AppError } from "../../kernel/errors.ts";
import type { GuardedFetch } from "../guarded-fetch/index.ts";
import { LIMITS } from "./limits.ts";

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/** The `fetch` that providers are given: it reaches what any URL from outside may reach, and follows no redirect with a key in hand. */
export function sdkFetch(guarded: GuardedFetch, timeoutMs: number): typeof globalThis.fetch {
  const end = performance.now() + timeoutMs;
  return async (input, init = {}) => {
    const { signal, body } = init;
    if (body !== undefined && body !== null && typeof body !== "string") {
      throw new AppError("unsupported", "Only texts are sent to a language model.");
    }
    const answer = await guarded.request(input instanceof Request ? input.url : input, {
      method: (init.method ?? "GET") as "GET" | "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && { body }),
      maxBytes: LIMITS.llm.answerBytes,
      maxRedirects: 0,
      totalMs: timeoutMs,
      idleMs: timeoutMs,
      ...(signal != null && { signal }),
    });
    const { "content-encoding": _, "content-length": __, ...headers } = answer.headers;
    // Whoever is to come back only when the time is over is told so at once.
    if (answer.status === 429 && performance.now() + retryAfterMs(headers["retry-after"]) > end)
      throw new AppError("rate_limited", "The provider takes no more calls for the moment.");
    const text = BODILESS.includes(answer.status) ? null : answer.body.toString("utf8");
    return new Response(text, { status: answer.status, headers });
  };
}

/** Seconds, or a date. */
function retryAfterMs(header: string | string[] | undefined): number {
  const text = String(header ?? "");
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  return Math.max(0, (Date.parse(text) || 0) - Date.now());
}
