export { Broadcast } from "./broadcast.ts";
export { type Catalog, type CatalogDb, type CatalogOptions, type CatalogTx, openCatalog } from "./catalog.ts";
export { databaseAccount } from "./embedded.ts";
export type { Subscription } from "./listener.ts";
export type { CatalogLog } from "./log.ts";
export {
  type DeliveredEvent,
  type EventHandler,
  Events,
  type EventsOptions,
  insertEvent,
  notifyOfEvents,
  type OutboxEvent,
  publishEvent,
} from "./outbox.ts";
export { contains, pageOf } from "./page.ts";
export { isDiskFull, isOutage, isReadOnly, isUniqueViolation, pgCodeOf } from "./pg-errors.ts";
export type { StorageClaim } from "./storage-claim.ts";
export { Store } from "./store.ts";
