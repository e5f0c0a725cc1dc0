import type { Logger } from "pino";
import type { Clock } from "../kernel/time.ts";
import type { Analytics } from "../platform/analytics/index.ts";
import type { FolderBlobStore } from "../platform/blobs/index.ts";
import type { Catalog, StorageClaim } from "../platform/catalog/index.ts";
import type { Deliveries } from "../platform/delivery/index.ts";
import type { Drawings } from "../platform/drawing/index.ts";
import type { Embeddings } from "../platform/embeddings/index.ts";
import type { ReceivedFiles } from "../platform/files/index.ts";
import type { GuardedFetch } from "../platform/guarded-fetch/index.ts";
import type { Jobs } from "../platform/jobs/index.ts";
import type { Retrieval } from "../platform/retrieval/index.ts";
import type { Schedules } from "../platform/schedules/index.ts";
import type { SharedState } from "../platform/state/index.ts";
import type { Vault } from "../platform/vault/index.ts";
import type { Admission } from "./admission.ts";
import type { Registry, SliceContents } from "./registry.ts";

/** What is there before any slice. */
export interface CoreServices {
  catalog: Catalog;
  state: SharedState;
  /** Everything that can be called, once all slices are open. */
  registry: Registry;
  /** The address of this server. */
  appUrl: string;
  version: string;
  /** Admission control of requests and calls, which all surfaces share. */
  admission: Admission;
  /** Told how many audit events will never be written. */
  onAuditLost?: (count: number) => void;
  clock: Clock;
  log: Logger;
}

/** The engines that slices stand on; `app/` opens and closes them. */
export interface Engines extends CoreServices {
  home: string;
  blobs: FolderBlobStore;
  /** Files that people sent ahead of the call that uses them. */
  received: ReceivedFiles;
  /** Rows come from `Data.tableViews` all the same. */
  analytics: Analytics;
  /** Draws charts, for whoever shows one. */
  drawings: Drawings;
  /** Turns texts into vectors, which their owner keeps. */
  embeddings: Embeddings;
  /** Finds texts; a slice says where those of its kind come from when it opens. */
  retrieval: Retrieval;
  vault: Vault;
  fetch: GuardedFetch;
  /** Private addresses that others than `fetch` may connect to as well. */
  allowPrivate: readonly string[];
  /** A slice defines its jobs here when it opens; they are started when all slices are open, and stopped before any closes. */
  jobs: Jobs;
  /** What happens at its time; started and stopped with the jobs. */
  schedules: Schedules;
  /** Messages to people and to other programs. */
  deliveries: Deliveries;
  claim: StorageClaim;
}

/** A slice that is open. */
export interface OpenSlice<Services> {
  services: Services;
  /** What a server does at its start, while it answers already; commands open slices without it. A failure is logged. */
  start?(stopping: AbortSignal): Promise<unknown>;
  /** Whether a workspace has any of what this slice keeps, so that newcomers are led to one that is not empty. */
  hasContent?(workspaceId: number): Promise<boolean>;
  /** Housekeeping, now and then. */
  sweep?(): Promise<unknown>;
  close?(): Promise<unknown>;
}

/**
 * A part of what Kenning can do, as its folder in `domains/` offers it: what can be called, and how it is opened on the
 * engines, the services of slices before it (by their names) and the settings.
 */
export interface SliceSpec<Name extends string, Services, Before = unknown, Settings = unknown, On = Engines>
  extends SliceContents<Services> {
  name: Name;
  open(engines: On, before: Before, settings: Settings): OpenSlice<Services> | Promise<OpenSlice<Services>>;
}
