import type { SQL } from "drizzle-orm";
import type { CatalogTx } from "./catalog.ts";

/** Whether the storage in which files lie is still the one that everybody reads. */
export interface StorageClaim {
  /** A condition that is true while it is; what it looked at stays so until the transaction ends. */
  holds(): SQL;
  /** Looks more closely, and throws when it is not. */
  require(tx: CatalogTx): Promise<void>;
}
