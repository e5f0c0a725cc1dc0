import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Catalog } from "../../platform/catalog/index.ts";
import { LIMITS } from "./limits.ts";

/** How often memories were recalled. Counted here and written now and then: a crash loses a few counts. */
export class MemoryUsage {
  readonly #catalog: Catalog;
  readonly #log: Pick<Logger, "warn">;
  #counts = new Map<number, { recalls: number; last: Date }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(catalog: Catalog, log: Pick<Logger, "warn">) {
    this.#catalog = catalog;
    this.#log = log;
  }

  count(memoryIds: readonly number[], now: Date): void {
    for (const id of memoryIds)
      this.#counts.set(id, { recalls: (this.#counts.get(id)?.recalls ?? 0) + 1, last: now });
    if (this.#counts.size === 0) return;
    this.#timer ??= setTimeout(() => void this.write(), LIMITS.memory.usageWriteMs).unref();
  }

  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts].sort(([a], [b]) => a - b);
    this.#counts = new Map();
    if (counts.length === 0) return;
    const ids = counts.map(([id]) => id);
    const recalls = counts.map(([, { recalls }]) => recalls);
    const lasts = counts.map(([, { last }]) => last.toISOString());
    try {
      // Those that were erased meanwhile have no row to refer to.
      await this.#catalog.db.execute(sql`
        insert into memory_usage (memory_id, recalls, last_recalled_at)
        select seen.id, seen.recalls, seen.last from unnest(
          ${sql.param(ids)}::bigint[], ${sql.param(recalls)}::int[], ${sql.param(lasts)}::timestamptz[]
        ) as seen(id, recalls, last)
        join memories on memories.id = seen.id
        order by seen.id
        on conflict (memory_id) do update set
          recalls = memory_usage.recalls + excluded.recalls,
          last_recalled_at = greatest(memory_usage.last_recalled_at, excluded.last_recalled_at)`);
    } catch (err) {
      this.#log.warn({ err }, "how often memories were recalled was not written");
    }
  }
}
