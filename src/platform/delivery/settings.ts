import { type SettingTree, serviceUrl, text } from "../settings/index.ts";

export const DELIVERY_SETTINGS = {
  mail: {
    smtpUrl: serviceUrl(
      "KENNING_SMTP_URL",
      ["smtp", "smtps"],
      "The mail server that sends mails: `smtp://user:password@host:587` (TLS as soon as the server offers it) or `smtps://…:465`. Without it mails are written as `.eml` files to the folder `outbox` in the data folder.",
    ),
    from: text(
      "KENNING_MAIL_FROM",
      "The sender of mails, such as `Kenning <kenning@example.com>`. Without it: `kenning@` and the host of `APP_URL`.",
    ),
  },
} as const satisfies SettingTree;
