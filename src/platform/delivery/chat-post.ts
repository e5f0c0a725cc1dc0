import { isAppError } from "../../kernel/errors.ts";
import type { FetchedAnswer, GuardedFetch } from "../guarded-fetch/index.ts";
import { Refused, TryLater } from "./failures.ts";
import { LIMITS } from "./limits.ts";

const ANSWER_BYTES = 64 * 1024;
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** JSON to an address that somebody gave us. */
export async function post(
  fetch: GuardedFetch,
  url: string,
  body: unknown,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<FetchedAnswer> {
  return fetch
    .request(url, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
      maxBytes: ANSWER_BYTES,
      totalMs: LIMITS.delivery.tryMs / 2,
      maxRedirects: 0,
      signal,
    })
    .catch((error: unknown) => {
      // Neither a URL that may not be reached nor a redirect gets better by itself.
      if (isAppError(error) && error.code !== "unavailable" && error.code !== "timeout")
        throw new Refused(error.message);
      throw error;
    });
}

/** A receiver that is busy or broken is asked again; one that does not want it is not. */
export function answered({ status, headers }: FetchedAnswer, who: string, refusals = isRefusal): void {
  if (status >= 200 && status < 300) return;
  const reason = `${who} answered with status ${status}.`;
  const afterMs = retryAfterMs(headers["retry-after"]);
  if (afterMs !== undefined) throw new TryLater(reason, afterMs);
  throw refusals(status) ? new Refused(reason) : new Error(reason);
}

function isRefusal(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

/** Seconds or a date; nothing where it is neither. */
function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, LONGEST_WAIT_MS) : undefined;
}
