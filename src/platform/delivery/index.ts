export { type Channel, type ChannelKind, Channels } from "./channels.ts";
export { type DeadDelivery, Deliveries, type Delivery, type Only } from "./deliveries.ts";
export { CHANNEL_KINDS, DELIVERY_STATES, webhookEndpoints } from "./delivery.tables.ts";
export { htmlOf, type Letter, MailChannel, textOf } from "./mail.ts";
export {
  type Attachment,
  type Message,
  oneLine,
  type Recipient,
} from "./message.ts";
export { SlackChannel } from "./slack.ts";
export { TeamsChannel } from "./teams.ts";
export { Unsubscribing } from "./unsubscribing.ts";
export { WebhookChannel } from "./webhook.ts";
