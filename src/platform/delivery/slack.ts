import { clip } from "../../kernel/text.ts";
import type { FetchedAnswer, GuardedFetch } from "../guarded-fetch/index.ts";
import type { OpenChannel } from "./channels.ts";
import type { LoadedFile, LoadedMessage } from "./message.ts";
import { answered, post, Refused, TryLater } from "./webhook.ts";

/** Characters of a message that Slack shows whole. */
const TEXT_CHARACTERS = 3_000;
const PAGE = 1_000;
const MOST_PAGES = 50;
/** Slack takes the message no better another time: somebody has to do something. */
const MENDING: Readonly<Record<string, string>> = {
  not_in_channel: "The bot is not in the channel: invite it there with /invite.",
  channel_not_found: "Slack knows no such channel, or the bot may not see it: invite it there with /invite.",
  is_archived: "The channel is archived.",
  invalid_auth: "Slack does not take the bot's token: set the channel again with a new one.",
  token_revoked: "The bot's token was revoked: set the channel again with a new one.",
  account_inactive: "The bot was removed from Slack.",
  not_authed: "Slack does not take the bot's token: set the channel again with a new one.",
  missing_scope: "The bot may not do this: give it the scopes chat:write, files:write and channels:read.",
};

interface SlackAnswer {
  ok: boolean;
  error?: string;
  [field: string]: unknown;
}

interface SlackOptions {
  fetch: GuardedFetch;
  /** Where Slack's methods are. */
  apiUrl: string;
}

/** Slack: by a bot, which also brings files, or by a webhook, which takes text alone. */
export class SlackChannel {
  readonly #options: SlackOptions;

  constructor(options: SlackOptions) {
    this.#options = options;
  }

  async send(
    channel: OpenChannel,
    message: LoadedMessage,
    signal: AbortSignal,
  ): Promise<{ note: string | null }> {
    if (channel.kind === "slack_bot") return this.#byBot(channel, message, signal);
    const names = message.files.map(({ name }) => name).join(", ");
    const left = names === "" ? "" : `\n_Not sent here, for this channel takes no files: ${escaped(names)}_`;
    const answer = await post(
      this.#options.fetch,
      channel.secret,
      { text: `${textOf(message)}${left}` },
      signal,
    );
    answered(answer, "Slack");
    return { note: null };
  }

  async #byBot(
    { room, name, secret: token }: OpenChannel,
    message: LoadedMessage,
    signal: AbortSignal,
  ): Promise<{ note: string | null }> {
    if (room === null)
      throw new Refused(
        `The bot ${name} has no channel to write to: name one such as #general, or set its room.`,
      );
    const channel = await this.#idOf(token, room, signal);
    if (message.files.length === 0) {
      await this.#call(token, "chat.postMessage", { channel, text: textOf(message) }, signal);
      return { note: null };
    }
    const files = [];
    for (const file of message.files) files.push(await this.#upload(token, file, signal));
    const wish = { files, channel_id: channel, initial_comment: textOf(message) };
    await this.#call(token, "files.completeUploadExternal", wish, signal);
    return { note: null };
  }

  async #upload(
    token: string,
    { name, content }: LoadedFile,
    signal: AbortSignal,
  ): Promise<{ id: string; title: string }> {
    const place = await this.#call(
      token,
      "files.getUploadURLExternal",
      new URLSearchParams({ filename: name, length: String(content.length) }),
      signal,
    );
    const answer = await this.#options.fetch.request(String(place.upload_url), {
      method: "POST",
      body: content,
      headers: { "content-type": "application/octet-stream" },
      maxRedirects: 0,
      signal,
    });
    answered(answer, "Slack");
    return { id: String(place.file_id), title: name };
  }

  /** Methods that take files want the id of a channel, not its name. */
  async #idOf(token: string, room: string, signal: AbortSignal): Promise<string> {
    if (!room.startsWith("#")) return room;
    let cursor = "";
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const query = new URLSearchParams({
        limit: String(PAGE),
        exclude_archived: "true",
        types: "public_channel,private_channel",
        ...(cursor !== "" && { cursor }),
      });
      const { channels, response_metadata: more } = (await this.#call(
        token,
        "conversations.list",
        query,
        signal,
      )) as unknown as {
        channels: { id: string; name: string }[];
        response_metadata?: { next_cursor?: string };
      };
      const found = channels.find(({ name }) => `#${name}` === room.toLowerCase());
      if (found !== undefined) return found.id;
      cursor = more?.next_cursor ?? "";
      if (cursor === "") break;
    }
    throw new Refused(`Slack has no channel ${room} that the bot can see: invite it there with /invite.`);
  }

  /** Forms for methods that take no JSON. */
  async #call(
    token: string,
    method: string,
    wish: URLSearchParams | Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<SlackAnswer> {
    const isForm = wish instanceof URLSearchParams;
    const answer = await this.#options.fetch.request(`${this.#options.apiUrl}/${method}`, {
      method: "POST",
      body: isForm ? wish.toString() : JSON.stringify(wish),
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json; charset=utf-8",
      },
      maxRedirects: 0,
      signal,
    });
    return read(answer, method);
  }
}

function read(answer: FetchedAnswer, method: string): SlackAnswer {
  answered(answer, "Slack");
  const said = parse(answer.body.toString("utf8"));
  if (said.ok === true) return said;
  const error = clip(String(said.error ?? "an answer that nobody understands"));
  const mending = MENDING[error];
  if (mending !== undefined) throw new Refused(mending);
  const reason = `Slack answered ${method} with ${error}.`;
  throw error === "ratelimited" || error === "rate_limited"
    ? new TryLater(reason, 60_000)
    : new Error(reason);
}

function parse(text: string): SlackAnswer {
  try {
    return JSON.parse(text) as SlackAnswer;
  } catch {
    return { ok: false };
  }
}

function textOf({ subject, text }: LoadedMessage): string {
  return clip(`*${escaped(subject)}*\n${escaped(text)}`, TEXT_CHARACTERS);
}

/** Slack reads these three as its own. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
