import type { Logger } from "pino";
import { type Identity, identitySlice } from "../domains/identity/index.ts";
import { type Clock, systemClock } from "../kernel/time.ts";
import { isReadOnly, openCatalog } from "../platform/catalog/index.ts";
import { createMemoryState, createRedisState } from "../platform/state/index.ts";
import { Admission, type Gate } from "../registry/admission.ts";
import { Registry } from "../registry/registry.ts";
import type { CoreServices } from "../registry/slice.ts";
import type { Config } from "./config.ts";
import { readOnlyDatabase } from "./home/home-stamp.ts";
import { createLog } from "./log.ts";
import { VERSION } from "./version.ts";

// Apart from the engines, so that a command about people loads no more than it needs.

export interface OpenOptions {
  clock?: Clock;
  log?: Logger;
  onAuditLost?: (count: number) => void;
  onRefused?: (gate: Gate) => void;
}

/** The catalog with its tables, and shared state. What closes them again is put onto the stack. */
export async function openCoreServices(
  config: Config,
  {
    onRefused,
    ...parts
  }: Pick<CoreServices, "clock" | "log" | "onAuditLost"> & Pick<OpenOptions, "onRefused">,
  opened: AsyncDisposableStack,
): Promise<CoreServices> {
  const { home, databaseUrl, redisUrl } = config.storage;
  const { log } = parts;
  const catalog = await openCatalog({ home, log, ...(databaseUrl !== null && { databaseUrl }) });
  opened.defer(() => catalog.close());
  await catalog.migrate().catch((error) => {
    throw isReadOnly(error) ? readOnlyDatabase(error) : error;
  });
  const state = redisUrl === null ? createMemoryState() : createRedisState({ url: redisUrl, log });
  opened.defer(() => state.close());
  const { appUrl } = config.server;
  const admission = new Admission({ log, ...(onRefused !== undefined && { onRefused }) });
  return { ...parts, catalog, state, admission, registry: new Registry(), appUrl, version: VERSION };
}

/** For commands about people: the catalog and who is in it. */
export async function openIdentity(config: Config): Promise<{ identity: Identity; close(): Promise<void> }> {
  await using opened = new AsyncDisposableStack();
  const core = await openCoreServices(config, withDefaults(config, {}), opened);
  const { services: identity, close } = await identitySlice.open(core, {}, config);
  opened.defer(async () => void (await close?.()));
  return { identity, close: closeOf(opened) };
}

export function withDefaults(
  config: Config,
  { clock = systemClock, log = createLog(config), ...rest }: OpenOptions,
) {
  return { ...rest, clock, log };
}

/** Everything came up: from now on it stays open until somebody closes it. */
export function closeOf(opened: AsyncDisposableStack): () => Promise<void> {
  const kept = opened.move();
  return () => kept.disposeAsync();
}
