import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openAnalytics } from "../platform/analytics/index.ts";
import { Broadcast } from "../platform/catalog/index.ts";
import {
  Channels,
  Deliveries,
  MailChannel,
  SlackChannel,
  TeamsChannel,
  Unsubscribing,
  WebhookChannel,
} from "../platform/delivery/index.ts";
import { Drawings } from "../platform/drawing/index.ts";
import { openEmbeddings } from "../platform/embeddings/index.ts";
import { ReceivedFiles } from "../platform/files/index.ts";
import { createGuardedFetch } from "../platform/guarded-fetch/index.ts";
import { Jobs } from "../platform/jobs/index.ts";
import { Retrieval } from "../platform/retrieval/index.ts";
import { Schedules } from "../platform/schedules/index.ts";
import { createVault, deriveKey } from "../platform/vault/index.ts";
import type { CoreServices, Engines } from "../registry/slice.ts";
import type { Config } from "./config.ts";
import type { HomeClaim } from "./home/home-claim.ts";
import { claimHome } from "./home/home-stamp.ts";
import { openBlobs } from "./home/storage.ts";

/** What app/ itself needs beside what slices see. */
export interface AppEngines extends Engines {
  /** The root secret, from which all keys are derived. */
  root: string;
  claim: HomeClaim;
}

/** Everything else that slices stand on, once it is sure that this home is the database's. */
export async function openEngines(
  config: Config,
  core: CoreServices,
  opened: AsyncDisposableStack,
): Promise<AppEngines> {
  const { home } = config.storage;
  const { jwtSecret, allowPrivateUrls: allowPrivate } = config.security;
  const { catalog, log } = core;
  const fetch = createGuardedFetch({ allow: allowPrivate });
  opened.defer(() => fetch.close());
  const { root, claim } = await claimHome({ catalog, home, jwtSecret });
  const blobs = await openBlobs(home);
  const analytics = await openAnalytics({ blobs, tempFolder: join(home, "engine"), log });
  opened.defer(() => analytics.close());
  const embeddings = await openEmbeddings({ folder: join(home, "models"), log, ...config.embeddings });
  opened.defer(() => embeddings.close());
  const broadcast = new Broadcast(catalog, "kenning_retrieval");
  const retrieval = new Retrieval({ catalog, broadcast, embeddings, folder: join(home, "retrieval"), log });
  opened.defer(() => retrieval.close());
  const vault = createVault({ root });
  const jobs = new Jobs(catalog, log);
  const { fontFolders } = config.exports;
  const drawings = new Drawings({ fontFolders, tempFolder: join(home, "drawings"), log });
  opened.defer(() => drawings.close());
  const schedules = new Schedules(catalog, log);
  const deliveries = openDeliveries(config, { catalog, blobs, jobs, fetch, vault, root, home, log });
  opened.defer(() => deliveries.close());
  return {
    ...core,
    home,
    root,
    claim,
    blobs,
    received: new ReceivedFiles(blobs, core.clock),
    analytics,
    drawings,
    embeddings,
    retrieval,
    vault,
    fetch,
    allowPrivate,
    jobs,
    schedules,
    deliveries,
  };
}

function openDeliveries(
  { mail, server: { appUrl } }: Config,
  parts: Pick<AppEngines, "catalog" | "blobs" | "jobs" | "fetch" | "vault" | "root" | "home" | "log">,
): Deliveries {
  const { catalog, fetch, vault, root, home } = parts;
  const { smtpUrl, domains, dkimKeyFile, dkimSelector, slackApiUrl } = mail;
  const from = mail.from ?? `kenning@${new URL(appUrl).hostname}`;
  const channels = new Channels(catalog, vault, fetch, deriveKey(root, "webhooks"));
  const dkim =
    dkimKeyFile === null
      ? undefined
      : {
          domain: from.replace(/^.*@|>?\s*$/g, ""),
          selector: dkimSelector ?? "kenning",
          privateKey: readFileSync(dkimKeyFile, "utf8"),
        };
  return new Deliveries({
    ...parts,
    mail: new MailChannel({ smtpUrl, from, outbox: join(home, "outbox"), domains, dkim }),
    webhooks: new WebhookChannel({ fetch, channels }),
    slack: new SlackChannel({ fetch, apiUrl: slackApiUrl }),
    teams: new TeamsChannel(fetch),
    channels,
    unsubscribing: new Unsubscribing(catalog, vault, appUrl),
  });
}
