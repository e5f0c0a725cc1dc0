export type { CatalogLog } from "./catalog.ts";
export { type Catalog, type CatalogDb, type CatalogTx, openCatalog } from "./catalog.ts";
export { CatalogVectors } from "./catalog-vectors.ts";
export { databaseAccount } from "./embedded.ts";
export { Broadcast } from "./notifications.ts";
export {
  type DeliveredEvent,
  Events,
  type EventsOptions,
  insertEvent,
  notifyOfEvents,
  publishEvent,
} from "./outbox.ts";
export { isDiskFull, isOutage, isReadOnly, isUniqueViolation, pgCodeOf } from "./pg-errors.ts";
export type { StorageClaim } from "./store.ts";
export { contains, pageOf, Store } from "./store.ts";
