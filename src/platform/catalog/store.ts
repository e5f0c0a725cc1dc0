import type { Clock } from "../../kernel/time.ts";
import type { Catalog } from "./catalog.ts";

/** What reads and writes one sort of thing in the catalog. */
export abstract class Store {
  protected readonly catalog: Catalog;
  protected readonly clock: Clock;

  constructor(catalog: Catalog, clock: Clock) {
    this.catalog = catalog;
    this.clock = clock;
  }
}
