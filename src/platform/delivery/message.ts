import { AppError } from "../../kernel/errors.ts";
import type { WAYS } from "./delivery.tables.ts";
import { LIMITS } from "./limits.ts";

/** A file: its text, or where in the blob storage it is. */
export type Attachment = {
  name: string;
  mimeType: string;
  /** A picture that the HTML of a mail shows under this name. */
  cid?: string;
} & ({ text: string } | { blob: string; bytes: number });

/** With its content, ready to be sent. */
export interface LoadedFile {
  name: string;
  mimeType: string;
  cid?: string;
  content: Buffer;
}

/** Message, independent of its channel. */
export interface Message {
  subject: string;
  text: string;
  html: string;
  attachments: readonly Attachment[];
  /** What a webhook gets: its type, and facts as JSON. */
  event: { type: string; data: Record<string, unknown> };
  /** What it is one of, such as `alert:12`; recipients can stop getting these. */
  topic?: string;
}

export type LoadedMessage = Omit<Message, "attachments"> & { files: readonly LoadedFile[] };

export interface Recipient {
  channel: (typeof WAYS)[number];
  target: string;
}

/** One address alone: no names, lists, comments or quotes, in which more could hide. */
const ADDRESS =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)*$/u;

/** Mail addresses, in a text with commas or one by one, each once. */
export function mailAddresses(given: string | readonly string[]): string[] {
  const parts = [given]
    .flat()
    .flatMap((text) => text.split(/[,;]/))
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const addresses = [...new Map(parts.map((part) => [part.toLowerCase(), part])).values()];
  const { addressCharacters, recipients } = LIMITS.delivery;
  const wrong = addresses.find((address) => address.length > addressCharacters || !ADDRESS.test(address));
  if (wrong !== undefined) {
    throw new AppError("bad_request", `${JSON.stringify(wrong.slice(0, 100))} is no mail address.`, {
      hint: "Give addresses such as ann@example.com, separated by commas.",
    });
  }
  if (addresses.length <= recipients) return addresses;
  throw new AppError("bad_request", `A message has at most ${recipients} recipients.`);
}

export function webhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isGood = url !== undefined && ["https:", "http:"].includes(url.protocol) && url.username === "";
  if (isGood && text.length <= LIMITS.delivery.urlCharacters) return url.href;
  throw new AppError("bad_request", "A webhook is a URL with https (or http), without user and password.");
}

/** A header is one line: what could begin another is refused, not repaired. */
export function oneLine(subject: string): string {
  const text = subject.trim();
  const { subjectCharacters } = LIMITS.delivery;
  if (text.length > subjectCharacters)
    throw new AppError("bad_request", `A subject has at most ${subjectCharacters} characters.`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
    throw new AppError("bad_request", "A subject is one line, without control characters.");
  return text;
}
