import { createHmac } from "node:crypto";
import { isAppError } from "../../kernel/errors.ts";
import type { GuardedFetch } from "../guarded-fetch/index.ts";
import { Refused, TryLater } from "./failures.ts";
import { LIMITS } from "./limits.ts";
import type { Message } from "./message.ts";

const ANSWER_BYTES = 64 * 1024;
const LONGEST_WAIT_MS = 24 * 3_600_000;

interface WebhookOptions {
  fetch: GuardedFetch;
  /** The key that secrets of webhooks are made of. */
  key: Buffer;
}

/** Webhooks after Standard Webhooks: the id stays the same in every try, and a signature says that it was us. */
export class WebhookChannel {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** What a receiver verifies with: made of the workspace and the URL, so nothing secret is stored. */
  secretOf(workspaceId: number, url: string): string {
    const secret = createHmac("sha256", this.#options.key).update(`${workspaceId}\n${url}`).digest("base64");
    return `whsec_${secret}`;
  }

  async send(
    uid: string,
    target: string,
    { event, subject, text, attachments }: Message,
    { workspaceId, signal }: { workspaceId: number; signal: AbortSignal },
  ): Promise<{ note: string | null }> {
    const moment = new Date();
    const timestamp = Math.floor(moment.getTime() / 1_000);
    const data = { ...event.data, subject, text, attachments };
    const body = JSON.stringify({ type: event.type, timestamp: moment.toISOString(), data });
    const key = Buffer.from(this.secretOf(workspaceId, target).slice("whsec_".length), "base64");
    const signature = createHmac("sha256", key).update(`${uid}.${timestamp}.${body}`).digest("base64");
    const answer = await this.#options.fetch
      .request(target, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "webhook-id": uid,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": `v1,${signature}`,
        },
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
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return { note: null };
    const reason = `The receiver answered with status ${status}.`;
    if (status === 410 || (status >= 300 && status < 400)) throw new Refused(reason);
    const afterMs = retryAfterMs(headers["retry-after"]);
    throw afterMs === undefined ? new Error(reason) : new TryLater(reason, afterMs);
  }
}

/** Seconds or a date; nothing where it is neither. */
function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, LONGEST_WAIT_MS) : undefined;
}
