import type { Logger } from "pino";
import { createIdentity, type Identity } from "../domains/identity/index.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { type Catalog, isReadOnly, openCatalog } from "../platform/catalog/index.ts";
import { createMemoryState, type SharedState } from "../platform/state/index.ts";
import type { Config } from "./config.ts";
import { readOnlyDatabase } from "./home/read-only-database.ts";
import { createLog } from "./log.ts";

/** What everything stands on; apart from the server, so that a command loads no more than it needs. */
export interface Ground {
  catalog: Catalog;
  state: SharedState;
  identity: Identity;
  close(): Promise<void>;
}

export async function openGround(
  config: Config,
  log: Logger,
  clock: Clock,
  onAuditLost?: (count: number) => void,
): Promise<Ground> {
  const { home, databaseUrl, auditRetentionDays } = config.storage;
  await using opened = new AsyncDisposableStack();
  const catalog = await openCatalog({ home, log, ...(databaseUrl !== null && { databaseUrl }) });
  opened.defer(() => catalog.close());
  await catalog.migrate().catch((error) => {
    throw isReadOnly(error) ? readOnlyDatabase(error) : error;
  });
  const state = createMemoryState();
  opened.defer(() => state.close());
  const identity = await createIdentity({
    catalog,
    state,
    clock,
    log,
    appUrl: config.server.appUrl,
    auditRetentionDays,
    rateLimits: {
      enabled: config.mcp.rateLimitEnabled,
      questions: { points: config.mcp.rateLimitMaxRequests, windowMs: config.mcp.rateLimitWindowMs },
    },
    ...(onAuditLost && { onAuditLost }),
  });
  opened.defer(() => identity.close());
  return { catalog, state, identity, close: closeOf(opened) };
}

/** What commands need: the catalog and who is in it. */
export async function openIdentity(config: Config): Promise<{ identity: Identity; close(): Promise<void> }> {
  const { identity, close } = await openGround(config, createLog(config), systemClock);
  return { identity, close };
}

/** Everything came up: from now on it stays open until somebody closes it. */
export function closeOf(opened: AsyncDisposableStack): () => Promise<void> {
  const kept = opened.move();
  return () => kept.disposeAsync();
}
