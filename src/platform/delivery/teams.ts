import { clip } from "../../kernel/text.ts";
import type { GuardedFetch } from "../guarded-fetch/index.ts";
import type { OpenChannel } from "./channels.ts";
import type { LoadedMessage } from "./message.ts";
import { answered, post } from "./webhook.ts";

/** Teams takes about 28 KB, and counts in its own way. */
const CARD_BYTES = 24 * 1024;
const SHORTEST_TEXT = 200;

/** Channels of Teams by a workflow's webhook, which takes a card and no files. */
export class TeamsChannel {
  readonly #fetch: GuardedFetch;

  constructor(fetch: GuardedFetch) {
    this.#fetch = fetch;
  }

  async send(
    { secret: url }: OpenChannel,
    message: LoadedMessage,
    signal: AbortSignal,
  ): Promise<{ note: string | null }> {
    const answer = await post(this.#fetch, url, cardOf(message), signal);
    answered(answer, "Teams");
    // The workflow has it; whether it could post it, it does not tell.
    return { note: "accepted by the workflow" };
  }
}

/** As much of the text as there is room for. */
function cardOf(message: LoadedMessage): string {
  let characters = message.text.length;
  let card = write(message, characters);
  while (Buffer.byteLength(card) > CARD_BYTES && characters > SHORTEST_TEXT) {
    characters = Math.floor(characters / 2);
    card = write(message, characters);
  }
  return card;
}

function write({ subject, text, files, event }: LoadedMessage, characters: number): string {
  const link = typeof event.data.link === "string" ? event.data.link : undefined;
  const paragraphs = clip(text, characters).split(/\n{2,}/);
  const block = (words: string, more: object = {}) => ({
    type: "TextBlock",
    text: plain(words),
    wrap: true,
    ...more,
  });
  const facts = files.map(({ name, content }) => ({
    title: name,
    value: `${Math.ceil(content.length / 1024)} KB`,
  }));
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    body: [
      block(subject, { weight: "Bolder", size: "Medium" }),
      ...paragraphs.map((paragraph) => block(paragraph)),
      ...(facts.length === 0
        ? []
        : [block("Files, which this channel does not take:"), { type: "FactSet", facts }]),
    ],
    ...(link !== undefined && { actions: [{ type: "Action.OpenUrl", title: "Open", url: link }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return JSON.stringify({ type: "message", attachments: [attachment] });
}

/** Cards read some signs as formatting: names from data must not make links. */
function plain(text: string): string {
  return text.replace(/[[\]\\*_`]/g, (sign) => `\\${sign}`).replaceAll("\n", "\n\n");
}
