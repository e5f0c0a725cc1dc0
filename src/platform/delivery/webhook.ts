import { createHmac } from "node:crypto";
import type { GuardedFetch } from "../guarded-fetch/index.ts";
import type { Channels } from "./channels.ts";
import { answered, post } from "./chat-post.ts";
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
