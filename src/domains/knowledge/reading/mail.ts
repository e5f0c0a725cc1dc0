import msgreader from "@kenjiuno/msgreader";
import PostalMime from "postal-mime";
import type { FileContent } from "./file-pages.ts";
import { htmlToMarkdown } from "./html.ts";

interface Address {
  name?: string | undefined;
  address?: string | undefined;
}

interface Mail {
  subject?: string | undefined;
  from: readonly (Address | undefined)[];
  to?: readonly Address[] | undefined;
  cc?: readonly Address[] | undefined;
  date?: string | undefined;
  text?: string | undefined;
  html?: string | undefined;
  /** Names of what is attached. */
  attached: readonly (string | null | undefined)[];
}

/** A message as it is sent. */
export async function readMail(bytes: Uint8Array): Promise<FileContent> {
  const { from, attachments, ...mail } = await PostalMime.parse(bytes, { maxNestingDepth: 50 });
  return contentOf({ ...mail, from: [from], attached: attachments.map(({ filename }) => filename) });
}

/** The page that was saved as a message, with its pictures. */
export async function pageOfMail(bytes: Uint8Array): Promise<string> {
  const { html, text } = await PostalMime.parse(bytes, { maxNestingDepth: 50 });
  return html === undefined ? (text ?? "") : htmlToMarkdown(html);
}

/** A message as Outlook saves it. */
export function readOutlookMail(bytes: Buffer): FileContent {
  const data = new msgreader.default(new Uint8Array(bytes).buffer).getFileData();
  const people = (kind: string) =>
    (data.recipients ?? [])
      .filter(({ recipType }) => (recipType ?? "to") === kind)
      .map(({ name, smtpAddress, email }) => ({ name, address: smtpAddress ?? email }));
  const date = data.messageDeliveryTime ?? data.clientSubmitTime;
  const html = data.bodyHtml ?? (data.html && new TextDecoder().decode(data.html));
  return contentOf({
    subject: data.subject,
    from: [{ name: data.senderName, address: data.senderSmtpAddress ?? data.senderEmail }],
    to: people("to"),
    cc: people("cc"),
    date: date && new Date(date).toISOString(),
    text: data.body,
    html,
    attached: (data.attachments ?? []).map(({ fileName, name }) => fileName ?? name),
  });
}

/** Sender, recipients, date and body. Attachments are only named. */
function contentOf({ subject, from, to, cc, date, text, html, attached }: Mail): FileContent {
  const lines = [
    ["From", who(from)],
    ["To", who(to)],
    ["Cc", who(cc)],
    ["Date", date],
  ].flatMap(([label, value]) => (value ? [`${label}: ${value}`] : []));
  const body = text?.trim() || htmlToMarkdown(html ?? "");
  const markdown = [`# ${subject?.trim() || "(no subject)"}`, lines.join("\n"), body].join("\n\n");
  const names = attached.map((name) => name || "unnamed");
  const notes = names.length === 0 ? [] : [`Attachments are not read: ${names.slice(0, 10).join(", ")}.`];
  return { pages: [{ markdown }], notes };
}

function who(people: readonly (Address | undefined)[] | undefined): string {
  return (people ?? [])
    .map((person) => [person?.name, person?.address && `<${person.address}>`].filter(Boolean).join(" "))
    .filter((text) => text !== "")
    .join(", ");
}
