import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isInRanges, parseAddressRange } from "../../kernel/net-address.ts";
import {
  type Catalog,
  type CatalogLog,
  databaseAccount,
  openCatalog,
  pgCodeOf,
} from "../../platform/catalog/index.ts";
import { LIMITS as CATALOG } from "../../platform/catalog/limits.ts";
import type { Config } from "../config.ts";
import { homeStamp } from "../home/home.tables.ts";
import { hasEmbeddedDatabase } from "../home/home-folder.ts";
import { readOnlyDatabase } from "../home/home-stamp.ts";
import { type Finding, fail, ok, warn } from "./check.ts";
import { leaseHolders } from "./server.ts";

const JOURNAL = join(import.meta.dirname, "../../platform/catalog/migrations/meta/_journal.json");
const UNDEFINED_TABLE = "42P01";
const UNDEFINED_SCHEMA = "3F000";
const CLOCK_SKEW_MS = 5_000;

const silent: CatalogLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The database answers; one that is not running is started for the moment, as a command would. */
export async function checkDatabase(config: Config): Promise<Finding> {
  const early = beforeOpening(config);
  if (early !== null) return early;
  const { home, databaseUrl } = config.storage;
  const users = leaseHolders(home);
  return withCatalog(config, async (catalog) => {
    const { rows } = await catalog.pool.query<{ version: string; now: Date; reading: string }>(
      "SELECT current_setting('server_version') AS version, clock_timestamp() AS now, current_setting('transaction_read_only') AS reading",
    );
    const { version = "?", now = new Date(), reading } = rows[0] ?? {};
    if (reading === "on") throw readOnlyDatabase(undefined);
    const ms = (await catalog.ping()).toFixed(1);
    if (databaseUrl === null) {
      const life =
        users.length > 0 ? `running, used by ${users.length} other process(es)` : "starts and stops";
      const message = `Embedded PostgreSQL ${version} ${life}, and answers in ${ms} ms.`;
      return sharedAccount(home, message) ?? ok(message);
    }
    if (await isDeaf(catalog))
      return warn(
        `Your PostgreSQL ${version} answers in ${ms} ms, but its notifications do not arrive.`,
        "Nothing is lost, only later: what one server does, others look for every half a minute. With PgBouncer, use pool_mode = session for Kenning, or name the database itself in DATABASE_URL.",
      );
    const skewMs = Math.abs(now.getTime() - Date.now());
    const message = `Your PostgreSQL ${version} answers in ${ms} ms.`;
    if (skewMs < CLOCK_SKEW_MS) return ok(message);
    const skew = `${message} Its clock differs from this machine's by ${Math.round(skewMs / 1_000)} s.`;
    return warn(skew, "Switch NTP on, on both machines.");
  });
}

/** What is behind a pooler in transaction mode can NOTIFY and LISTEN, and never hears anything. */
async function isDeaf(catalog: Catalog): Promise<boolean> {
  const { promise: outcome, resolve } = Promise.withResolvers<boolean>();
  const stop = await catalog.listen("kenning_doctor", {
    onNotification: () => resolve(false),
    onReconnect: () => undefined,
  });
  await catalog.pool.query("SELECT pg_notify('kenning_doctor', '')");
  const timer = setTimeout(() => resolve(true), CATALOG.catalog.pulseTimeoutMs);
  const isWithout = await outcome;
  clearTimeout(timer);
  await stop();
  return isWithout;
}

/** A proxy that is not trusted hides from whom requests come: the limits count everybody behind it as one. */
export async function checkProxy(config: Config): Promise<Finding> {
  const { trustedProxies } = config.server;
  const early = beforeOpening(config);
  if (early !== null) return ok("No requests have come yet.");
  const seen = await withCatalog(config, async ({ db }) => {
    const [stamp] = await db.select({ proxy: homeStamp.untrustedProxy }).from(homeStamp);
    return stamp?.proxy ?? null;
  });
  const trusted = trustedProxies.map(parseAddressRange).filter((range) => range !== undefined);
  if (seen === null || isInRanges(seen, trusted))
    return ok("No request came through a proxy that is not trusted.");
  return warn(
    `Requests come through a proxy at ${seen} that is not trusted: all clients behind it count as one address.`,
    `If it is yours, name it in KENNING_TRUSTED_PROXIES: KENNING_TRUSTED_PROXIES=${seen}`,
  );
}

/** Everything that has no user of its own runs as nobody, and could read what belongs to nobody. */
export function sharedAccount(
  home: string,
  message: string,
  account = databaseAccount(home)?.name,
): Finding | null {
  if (account !== "nobody") return null;
  return warn(
    `${message} It runs as the user nobody, who may also run other programs.`,
    `Give it a user of its own: stop Kenning, make a user named kenning, and run: chown -R kenning ${join(home, "postgres")}`,
  );
}

/** The tables are those of this version. */
export async function checkMigrations(config: Config): Promise<Finding> {
  const early = beforeOpening(config);
  if (early !== null) return ok("The tables are made at the first start.");
  const { entries } = JSON.parse(readFileSync(JOURNAL, "utf8")) as { entries: unknown[] };
  const known = entries.length;
  const applied = await withCatalog(config, countMigrations);
  if (applied === known) return ok(`All ${known} migrations are applied.`);
  if (applied > known) {
    return fail(
      "The database was made by a newer version of Kenning.",
      "Start that version, or one newer still.",
    );
  }
  return warn(
    `${applied} of ${known} migrations are applied.`,
    "The rest is done at the next start of Kenning.",
  );
}

async function countMigrations(catalog: Catalog): Promise<number> {
  try {
    const { rows } = await catalog.pool.query<{ count: number }>(
      "SELECT count(*)::int FROM drizzle.__drizzle_migrations",
    );
    return rows[0]?.count ?? 0;
  } catch (error) {
    if ([UNDEFINED_TABLE, UNDEFINED_SCHEMA].includes(pgCodeOf(error) ?? "")) return 0;
    throw error;
  }
}

/** What can be said without touching the database: opening an embedded one that is not there would create it. */
export function beforeOpening({ storage: { home, databaseUrl } }: Config): Finding | null {
  if (databaseUrl !== null) return null;
  return hasEmbeddedDatabase(home) ? null : ok("The embedded database is made at the first start.");
}

export async function withCatalog<T>(config: Config, work: (catalog: Catalog) => Promise<T>): Promise<T> {
  const { home, databaseUrl } = config.storage;
  const catalog = await openCatalog({ home, log: silent, ...(databaseUrl !== null && { databaseUrl }) });
  try {
    return await work(catalog);
  } finally {
    await catalog.close();
  }
}
