import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { messageOf } from "../../../kernel/errors.ts";
import { MS } from "../../../kernel/time.ts";
import type { CatalogDb } from "../../../platform/catalog/index.ts";
import { tokens } from "../identity.tables.ts";
import { LIMITS } from "../limits.ts";

const WRITE_EVERY_MS = 10 * MS.second;
/** How exact "last used" is: one token is written at most this often. */
const PRECISION_MS = MS.minute;
/** A database that hangs must not hold up a stop. */
const CLOSE_TIMEOUT_MS = 2 * MS.second;
const CLIENT_CHARACTERS = 200;

interface Use {
  at: Date;
  client: string | null;
}

/** Notes when tokens were used, in batches, so that a request never waits for it. */
export class LastUsed {
  readonly #db: CatalogDb;
  readonly #log: { warn(fields: object, message: string): void };
  readonly #unwritten = new Map<number, Use>();
  readonly #writtenAtMs = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: CatalogDb, log: { warn(fields: object, message: string): void }) {
    this.#db = db;
    this.#log = log;
  }

  touch(tokenId: number, at: Date, client: string | undefined): void {
    const known = this.#unwritten.get(tokenId);
    if (known !== undefined) {
      known.at = at;
      if (client !== undefined) known.client = client;
      return;
    }
    if (this.#unwritten.size >= LIMITS.identity.cachedTokens) return;
    this.#unwritten.set(tokenId, { at, client: client ?? null });
    this.#timer ??= setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  /** Writes what is due (with `all`, everything). A failure is only logged: the next use says it again. */
  async flush({ all = false } = {}): Promise<void> {
    const due = [...this.#unwritten].filter(([id, { at }]) => {
      const writtenAtMs = this.#writtenAtMs.get(id);
      return all || writtenAtMs === undefined || at.getTime() - writtenAtMs >= PRECISION_MS;
    });
    if (due.length === 0) return;
    if (this.#writtenAtMs.size > LIMITS.identity.cachedTokens) this.#writtenAtMs.clear();
    for (const [id, { at }] of due) {
      this.#unwritten.delete(id);
      this.#writtenAtMs.set(id, at.getTime());
    }
    try {
      await this.#write(due);
    } catch (error) {
      this.#log.warn(
        { reason: messageOf(error), tokens: due.length },
        "the last use of tokens was not noted",
      );
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([this.flush({ all: true }), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #write(due: [number, Use][]): Promise<void> {
    const ids = due.map(([id]) => id);
    const times = due.map(([, { at }]) => at.toISOString());
    const clients = due.map(
      ([, { client }]) => client?.replaceAll("\u0000", "").toWellFormed().slice(0, CLIENT_CHARACTERS) ?? null,
    );
    // Sorted, and skipping rows that somebody holds: two servers that write the same tokens cannot block each other.
    await this.#db.execute(sql`
      with used as (
        select * from unnest(${sql.param(ids)}::bigint[], ${sql.param(times)}::timestamptz[], ${sql.param(clients)}::text[])
          as used (id, at, client)
      ), free as (
        select ${tokens.id} from ${tokens} where ${tokens.id} in (select id from used) order by 1 for update skip locked
      )
      update ${tokens} set last_used_at = greatest(${tokens.lastUsedAt}, used.at),
        last_used_client = coalesce(used.client, ${tokens.lastUsedClient})
      from used join free on free.id = used.id where ${tokens.id} = used.id`);
  }
}
