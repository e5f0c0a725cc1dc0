export { Deliveries, type Delivery, type Posting } from "./deliveries.ts";
export { DELIVERY_STATES } from "./delivery.tables.ts";
export { MailChannel } from "./mail.ts";
export {
  type Attachment,
  type Message,
  mailAddresses,
  oneLine,
  type Recipient,
  webhookUrl,
} from "./message.ts";
export { WebhookChannel } from "./webhook.ts";
