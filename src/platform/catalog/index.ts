export { Broadcast } from "./broadcast.ts";
export { type Catalog, type CatalogDb, type CatalogTx, openCatalog } from "./catalog.ts";
export { databaseAccount } from "./embedded.ts";
export type { CatalogLog } from "./log.ts";
export {
  type DeliveredEvent,
  Events,
  type EventsOptions,
  insertEvent,
  notifyOfEvents,
  publishEvent,
} from "./outbox.ts";
export { contains, pageOf } from "./page.ts";
export { isDiskFull, isOutage, isReadOnly, isUniqueViolation, pgCodeOf } from "./pg-errors.ts";
export type { StorageClaim } from "./storage-claim.ts";
export { Store } from "./store.ts";
