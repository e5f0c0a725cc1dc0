import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Mail, SendMailOptions } from "nodemailer";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { syncFolder } from "../blobs/index.ts";
import { Refused } from "./failures.ts";
import { withUnsubscribe } from "./letter.ts";
import { LIMITS } from "./limits.ts";
import type { LoadedMessage } from "./message.ts";

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
