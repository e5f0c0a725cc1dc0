import { join } from "node:path";
import { openAnalytics } from "../platform/analytics/index.ts";
import { isReadOnly, openCatalog } from "../platform/catalog/index.ts";
import { createGuardedFetch } from "../platform/guarded-fetch/index.ts";
import { Jobs } from "../platform/jobs/index.ts";
import { createMemoryState } from "../platform/state/index.ts";
import { createVault } from "../platform/vault/index.ts";
import { Registry } from "../registry/registry.ts";
import type { Engines, Ground } from "../registry/slice.ts";
import type { Config } from "./config.ts";
import { openBlobs } from "./home/blobs.ts";
import type { HomeClaim } from "./home/home-claim.ts";
import { claimHome, readOnlyDatabase } from "./home/home-stamp.ts";
import { VERSION } from "./version.ts";

/** What app/ itself needs beside what slices see. */
export interface AppEngines extends Engines {
  /** The root secret, from which all keys are derived. */
  root: string;
  claim: HomeClaim;
}

/** The catalog with its tables, and shared state. What closes them again is put onto the stack. */
export async function openGround(
  config: Config,
  parts: Pick<Ground, "clock" | "log" | "onAuditLost">,
  opened: AsyncDisposableStack,
): Promise<Ground> {
  const { home, databaseUrl } = config.storage;
  const { log } = parts;
  const catalog = await openCatalog({ home, log, ...(databaseUrl !== null && { databaseUrl }) });
  opened.defer(() => catalog.close());
  await catalog.migrate().catch((error) => {
    throw isReadOnly(error) ? readOnlyDatabase(error) : error;
  });
  const state = createMemoryState();
  opened.defer(() => state.close());
  const { appUrl } = config.server;
  return { ...parts, catalog, state, registry: new Registry(), appUrl, version: VERSION };
}

/** Everything else that slices stand on, once it is sure that this home is the database's. */
export async function openEngines(
  config: Config,
  ground: Ground,
  opened: AsyncDisposableStack,
): Promise<AppEngines> {
  const { home } = config.storage;
  const { jwtSecret, allowPrivateUrls: allowPrivate } = config.security;
  const { catalog, log } = ground;
  const fetch = createGuardedFetch({ allow: allowPrivate });
  opened.defer(() => fetch.close());
  const { root, claim } = await claimHome({ catalog, home, jwtSecret });
  const blobs = await openBlobs(home);
  const analytics = await openAnalytics({ blobs, tempFolder: join(home, "engine"), log });
  opened.defer(() => analytics.close());
  const vault = createVault({ root });
  const jobs = new Jobs(catalog, log);
  return { ...ground, home, root, claim, blobs, analytics, vault, fetch, allowPrivate, jobs };
}
