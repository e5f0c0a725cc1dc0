import { sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import type { Catalog } from "./catalog.ts";

/** PostgreSQL refuses a notification of 8,000 bytes. */
const MESSAGE_BYTES = 7_999;

/** Short messages to every process on this database. Whoever is not connected just then misses them. */
export class Broadcast {
  readonly #catalog: Catalog;
  readonly #channel: string;

  constructor(catalog: Catalog, channel: string) {
    this.#catalog = catalog;
    this.#channel = channel;
  }

  async send(message: unknown): Promise<void> {
    const text = JSON.stringify(message);
    if (Buffer.byteLength(text) > MESSAGE_BYTES)
      throw new AppError("too_large", `A message on ${this.#channel} is larger than ${MESSAGE_BYTES} bytes.`);
    await this.#catalog.db.execute(sql`SELECT pg_notify(${this.#channel}, ${text})`);
  }

  /** `onMissed` is called when there may have been messages that this process did not get. */
  listen(onMessage: (message: unknown) => void, onMissed: () => void): Promise<() => Promise<void>> {
    return this.#catalog.listen(this.#channel, {
      onNotification: (payload) => onMessage(JSON.parse(payload)),
      onReconnect: onMissed,
    });
  }
}
