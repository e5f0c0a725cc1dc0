import { createHmac } from "node:crypto";
import { isAppError } from "../../kernel/errors.ts";
import type { FetchedAnswer, GuardedFetch } from "../guarded-fetch/index.ts";
import type { Channels } from "./channels.ts";
import { LIMITS } from "./limits.ts";
import type { LoadedMessage } from "./message.ts";

interface WebhookOptions {
  fetch: GuardedFetch;
  channels: Pick<Channels, "signingSecrets" | "disable">;
}

/** Webhooks after Standard Webhooks: the id stays the same in every try, and a signature says that it was us. */
export class WebhookChannel {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  async send(
    uid: string,
    target: string,
    { event, subject, text, files }: LoadedMessage,
    { workspaceId, signal }: { workspaceId: number; signal: AbortSignal },
  ): Promise<{ note: string | null }> {
    const { fetch, channels } = this.#options;
    const secrets = await channels.signingSecrets(workspaceId, target);
    const moment = new Date();
    const timestamp = Math.floor(moment.getTime() / 1_000);
    const attachments = files.map(({ name, mimeType, content }) => ({
      name,
      mimeType,
      ...(mimeType.startsWith("text/")
        ? { text: content.toString("utf8") }
        : { base64: content.toString("base64") }),
    }));
    const data = { ...event.data, subject, text, attachments };
    const body = JSON.stringify({ type: event.type, timestamp: moment.toISOString(), data });
    const signatures = secrets.map((secret) => {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      return `v1,${createHmac("sha256", key).update(`${uid}.${timestamp}.${body}`).digest("base64")}`;
    });
    const answer = await post(fetch, target, body, signal, {
      "webhook-id": uid,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatures.join(" "),
    });
    if (answer.status === 410)
      await channels.disable(workspaceId, target, "It answered that it is gone (410).");
    answered(answer, "The receiver", (status) => status === 410 || (status >= 300 && status < 400));
    return { note: null };
  }
}

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

/** The recipient does not take it and never will: no further try. */
export class Refused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Refused";
  }
}

/** The recipient says when to try again. */
export class TryLater extends Error {
  readonly afterMs: number;

  constructor(reason: string, afterMs: number) {
    super(reason);
    this.name = "TryLater";
    this.afterMs = afterMs;
  }
}
