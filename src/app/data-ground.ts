import type { Logger } from "pino";
import { type DataSlice, openData } from "../domains/data/index.ts";
import type { Identity } from "../domains/identity/index.ts";
import { type ModelsServices, openModels } from "../domains/models/index.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { Catalog } from "../platform/catalog/index.ts";
import { createGuardedFetch, type GuardedFetch } from "../platform/guarded-fetch/index.ts";
import { Jobs } from "../platform/jobs/index.ts";
import { createVault } from "../platform/vault/index.ts";
import type { Config } from "./config.ts";
import { closeOf, type Ground, openGround } from "./ground.ts";
import { type ClaimedHome, claimHome } from "./home/home-stamp.ts";
import { createLog } from "./log.ts";

/** What commands on data need: the same engines as the server's, whether that runs or not. */
export async function openIdentityAndData(config: Config): Promise<{
  identity: Identity;
  data: DataSlice;
  models: ModelsServices;
  close(): Promise<void>;
}> {
  await using opened = new AsyncDisposableStack();
  const log = createLog(config);
  const ground = await openGround(config, log, systemClock);
  opened.defer(() => ground.close());
  const { catalog, identity } = ground;
  const jobs = new Jobs(catalog, log);
  const fetch = createGuardedFetch({ allow: config.security.allowPrivateUrls });
  opened.defer(() => fetch.close());
  const { root, claim } = await claimHomeOf(config, catalog);
  const data = await openDataSlice(config, ground, { root, claim, fetch, jobs, clock: systemClock, log });
  opened.defer(() => data.close());
  opened.defer(() => jobs.stop());
  const { analytics, services } = data;
  const models = openModels({
    catalog,
    analytics,
    data: services,
    callerFor: (owner) => identity.callerFor(owner),
    clock: systemClock,
  });
  return { identity, data, models, close: closeOf(opened) };
}

export function claimHomeOf(
  { storage: { home }, security: { jwtSecret } }: Config,
  catalog: Catalog,
): Promise<ClaimedHome> {
  return claimHome({ catalog, home, jwtSecret });
}

export function openDataSlice(
  config: Config,
  { catalog, identity }: Ground,
  { root, ...engines }: ClaimedHome & { fetch: GuardedFetch; jobs: Jobs; clock: Clock; log: Logger },
): Promise<DataSlice> {
  const { home, fileFolders } = config.storage;
  return openData({
    ...engines,
    home,
    catalog,
    vault: createVault({ root }),
    callerFor: (owner) => identity.callerFor(owner),
    allowPrivate: config.security.allowPrivateUrls,
    fileFolders,
  });
}
