import { z } from "zod";
import { baseUrl, list, type SettingTree, serviceUrl, text } from "../settings/index.ts";

const domain = z
  .string()
  .toLowerCase()
  .regex(/^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*$/u);

export const DELIVERY_SETTINGS = {
  mail: {
    smtpUrl: serviceUrl(
      "KENNING_SMTP_URL",
      ["smtp", "smtps"],
      "The mail server that sends mails: `smtp://user:password@host:587` (TLS as soon as the server offers it; with a password only then, unless `?requireTLS=false` says otherwise) or `smtps://…:465`. Without it mails are written as `.eml` files to the folder `outbox` in the data folder.",
    ),
    from: text(
      "KENNING_MAIL_FROM",
      "The sender of mails, such as `Kenning <kenning@example.com>`. Without it: `kenning@` and the host of `APP_URL`.",
    ),
    dkimKeyFile: text(
      "KENNING_DKIM_KEY_FILE",
      "A file with a private key (PEM) that mails are signed with by DKIM, for the domain of the sender.",
    ),
    dkimSelector: text(
      "KENNING_DKIM_SELECTOR",
      "The selector of the DKIM key: its public half is in the DNS record `<selector>._domainkey.<domain>`. Without it: `kenning`.",
    ),
    domains: list(
      "KENNING_MAIL_DOMAINS",
      domain,
      "domains such as `example.com`",
      "Domains that mails may go to, and their subdomains; recipients elsewhere are refused, also those that were set before. Without it: all.",
    ),
    slackApiUrl: baseUrl(
      "KENNING_SLACK_API_URL",
      () => "https://slack.com/api",
      "`https://slack.com/api`",
      "Where the methods of Slack are: behind a proxy, or those of another service that speaks its language.",
    ),
  },
} as const satisfies SettingTree;
