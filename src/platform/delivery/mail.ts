import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Mail, SendMailOptions } from "nodemailer";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { syncFolder } from "../blobs/index.ts";
import { LIMITS } from "./limits.ts";
import type { LoadedMessage } from "./message.ts";
import { Refused } from "./webhook.ts";

interface MailOptions {
  smtpUrl: string | null;
  from: string;
  /** Where mails are written without a mail server. */
  outbox: string;
  /** The only ones that mails may go to, with their subdomains; all of them where there are none. */
  domains?: readonly string[];
  /** What mails are signed with. */
  dkim?: { domain: string; selector: string; privateKey: string } | undefined;
}

/** Signed beside what is signed anyway: whoever could change these could make a mail unsubscribe somebody else. */
const SIGNED_HEADERS =
  "From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post";

/** What nodemailer tells of a failure. */
interface SmtpFailure {
  code?: string;
  responseCode?: number;
  response?: string;
}

/** Mail, one message a recipient: nobody sees the address of another. */
export class MailChannel {
  readonly #options: MailOptions;
  #transport: Promise<Mail> | undefined;

  constructor(options: MailOptions) {
    this.#options = options;
  }

  /** Whether mails only go to the outbox folder. */
  get isLocal(): boolean {
    return this.#options.smtpUrl === null;
  }

  /** Throws where mails may not go to one of these. */
  assertAllowed(addresses: readonly string[]): void {
    const { domains = [] } = this.#options;
    const isAllowed = (address: string) => {
      const host = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
      return domains.length === 0 || domains.some((each) => host === each || host.endsWith(`.${each}`));
    };
    const wrong = addresses.find((address) => !isAllowed(address));
    if (wrong === undefined) return;
    throw new AppError("forbidden", `Mails may not go to ${wrong}.`, {
      hint: `The operator of this server allows ${domains.join(", ")}.`,
    });
  }

  async send(
    uid: string,
    target: string,
    message: LoadedMessage,
    unsubscribeUrl?: string,
  ): Promise<{ note: string | null }> {
    this.#transport ??= this.#open();
    const transport = await this.#transport;
    const { subject, files } = message;
    const { text, html } =
      unsubscribeUrl === undefined ? message : withUnsubscribe(message.text, message.html, unsubscribeUrl);
    const mail: SendMailOptions = {
      from: this.#options.from,
      to: { name: "", address: target },
      subject,
      text,
      html,
      messageId: `<${uid}@${hostOf(this.#options.from)}>`,
      headers: {
        "Auto-Submitted": "auto-generated",
        ...(unsubscribeUrl !== undefined && {
          // Folded, it would no longer be what was signed.
          "List-Unsubscribe": { prepared: true, value: `<${unsubscribeUrl}>` },
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }),
      },
      attachments: files.map(({ name, mimeType, cid, content }) => ({
        filename: name,
        contentType: mimeType,
        content,
        ...(cid !== undefined && { cid, contentDisposition: "inline" as const }),
      })),
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    try {
      const sent = (await transport.sendMail(mail)) as { message?: unknown };
      if (!this.isLocal) return { note: null };
      await writeFileDurably(this.#options.outbox, `${uid}.eml`, sent.message as Buffer);
      return { note: `outbox/${uid}.eml` };
    } catch (error) {
      throw isForGood(error as SmtpFailure) ? new Refused(reasonOf(error)) : new Error(reasonOf(error));
    }
  }

  async close(): Promise<void> {
    (await this.#transport?.catch(() => undefined))?.close();
  }

  /** Loaded with the first mail: most servers send none. */
  async #open(): Promise<Mail> {
    const { createTransport } = await import("nodemailer");
    const { smtpUrl, dkim } = this.#options;
    const signing =
      dkim === undefined
        ? {}
        : {
            dkim: {
              domainName: dkim.domain,
              keySelector: dkim.selector,
              privateKey: dkim.privateKey,
              headerFieldNames: SIGNED_HEADERS,
            },
          };
    if (smtpUrl === null) return createTransport({ streamTransport: true, buffer: true, ...signing });
    const timeoutMs = LIMITS.delivery.tryMs / 2;
    return createTransport({
      url: smtpUrl,
      ...(mustBeSecure(new URL(smtpUrl)) && { requireTLS: true }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      ...signing,
    });
  }
}

/** The name is the delivery's own: a second try writes the same file again. */
async function writeFileDurably(folder: string, name: string, content: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, `${name}.part`);
  const file = await open(unfinished, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(folder, name));
  await syncFolder(folder);
}

/** The server does not want this mail, now or later. That it does not know us, or has no TLS, can be mended. */
function isForGood({ code, responseCode = 0 }: SmtpFailure): boolean {
  if (code === "EAUTH" || code === "ENOAUTH" || code === "ETLS") return false;
  return responseCode >= 500 && responseCode < 600;
}

/** A password goes over TLS alone, or whoever stands between could take the offer of it out; operators can say otherwise. */
function mustBeSecure({ protocol, password, searchParams }: URL): boolean {
  return protocol === "smtp:" && password !== "" && !searchParams.has("requireTLS");
}

function reasonOf(error: unknown): string {
  const { response, code } = error as SmtpFailure;
  if (code === "ETLS" && response !== undefined)
    return `The mail server offers no TLS, without which nothing is sent to it (${response.trim()}). KENNING_SMTP_URL with ?requireTLS=false sends without.`;
  if (/certificate|altnames|CERT_|SELF_SIGNED/i.test(messageOf(error)))
    return `The certificate of the mail server is not trusted: ${messageOf(error)}. NODE_EXTRA_CA_CERTS names a file with further authorities.`;
  return response === undefined ? messageOf(error) : `The mail server answered: ${response}`;
}

function hostOf(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? "kenning.invalid";
}

/** What a mail says, of which its HTML and its plain text are made alike. */
export interface Letter {
  title: string;
  /** What it is about, and of when. */
  when: string;
  paragraphs: readonly string[];
  list?: { title: string; items: readonly string[] } | undefined;
  table?: { columns: readonly string[]; rows: readonly (readonly string[])[]; more: number } | undefined;
  pictures?: readonly { cid: string; name: string }[];
  link: { label: string; url: string };
  /** Small print. */
  notes: readonly string[];
}

/** Where the HTML has the way to unsubscribe, which differs from recipient to recipient. */
const FOOT = "<!--foot-->";
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const CELL = "padding:6px 12px 6px 0;border-bottom:1px solid #d8dce3;text-align:left;vertical-align:top";
/** Many clients take styles of elements alone; those that know dark mode take these too. */
const STYLE = `:root{color-scheme:light dark}
@media(prefers-color-scheme:dark){.page{background:#16181d!important;color:#e8eaee!important}.soft,.soft a{color:#a3abb8!important}.cell{border-color:#3a3f49!important}}`;

export function textOf({ paragraphs, when, list, table, link, notes }: Letter): string {
  const blocks = [
    ...paragraphs,
    ...(list === undefined ? [] : [[list.title, ...list.items.map((item) => `• ${item}`)].join("\n")]),
    ...(table === undefined ? [] : [tableText(table)]),
    `${link.label}: ${link.url}`,
    [when, ...notes].join("\n"),
  ];
  return blocks.join("\n\n");
}

export function htmlOf({ title, when, paragraphs, list, table, pictures, link, notes }: Letter): string {
  const soft = 'class="soft" style="margin:0 0 16px;font-size:13px;color:#5b6472"';
  const button =
    "display:inline-block;padding:10px 18px;border-radius:6px;background:#306ce2;color:#ffffff;text-decoration:none;font-weight:600";
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body class="page" style="margin:0;background:#ffffff;color:#1d2129">
<div style="max-width:680px;margin:0 auto;padding:24px;font:15px/1.5 system-ui,-apple-system,'Segoe UI',Arial,sans-serif">
<h1 style="margin:0 0 4px;font-size:21px;line-height:1.3">${escaped(title)}</h1>
<p ${soft}>${escaped(when)}</p>
${paragraphs.map((text) => `<p style="margin:0 0 16px">${lines(text)}</p>`).join("\n")}
${list === undefined ? "" : listHtml(list)}
${table === undefined ? "" : tableHtml(table)}
<p style="margin:24px 0"><a href="${escaped(link.url)}" style="${button}">${escaped(link.label)}</a></p>
${(pictures ?? []).map(({ cid, name }) => `<p style="margin:0 0 16px"><img src="cid:${escaped(cid)}" alt="${escaped(name)}" style="max-width:100%;height:auto"></p>`).join("\n")}
${notes.map((note) => `<p ${soft}>${lines(note)}</p>`).join("\n")}
${FOOT}
</div></body></html>`;
}

/** With how to get no more of them, which is each recipient's own. */
function withUnsubscribe(text: string, html: string, url: string): { text: string; html: string } {
  const foot = `<p class="soft" style="margin:24px 0 0;font-size:12px;color:#5b6472">You get this because somebody chose your address. <a href="${escaped(url)}" style="color:#5b6472">Unsubscribe</a></p>`;
  // As a function: signs such as $& of the address are no orders.
  return { text: `${text}\n\nUnsubscribe: ${url}`, html: html.replace(FOOT, () => foot) };
}

function listHtml({ title, items }: NonNullable<Letter["list"]>): string {
  const rows = items.map((item) => `<li style="margin:0 0 6px">${escaped(item)}</li>`);
  return `<h2 style="margin:0 0 8px;font-size:16px">${escaped(title)}</h2>
<ul style="margin:0 0 16px;padding-left:20px">${rows.join("")}</ul>`;
}

function tableHtml({ columns, rows, more }: NonNullable<Letter["table"]>): string {
  const row = (tag: "th" | "td", values: readonly string[]) =>
    `<tr>${values.map((value) => `<${tag} class="cell" style="${CELL}">${escaped(value)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((values) => row("td", values)).join("\n");
  const rest = more === 0 ? "" : `<p style="margin:0 0 16px">… ${more} more</p>`;
  return `<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:0 0 16px;font-size:14px">
${row("th", columns)}
${body}</table></div>${rest}`;
}

function tableText({ columns, rows, more }: NonNullable<Letter["table"]>): string {
  const all = [columns, ...rows].map((values) => values.join(" | "));
  return [...all, ...(more === 0 ? [] : [`… ${more} more`])].join("\n");
}

function lines(text: string): string {
  return escaped(text).replaceAll("\n", "<br>");
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}
