import type { Logger } from "pino";
import { type Identity, identitySlice } from "../domains/identity/index.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { Config } from "./config.ts";
import { type AppEngines, openEngines, openGround } from "./engines.ts";
import { createLog } from "./log.ts";
import { type OpenSlices, openSlices } from "./slices.ts";

export interface OpenOptions {
  clock?: Clock;
  log?: Logger;
  onAuditLost?: (count: number) => void;
}

export interface Opened extends OpenSlices {
  engines: AppEngines;
  close(): Promise<void>;
}

/** Engines and slices, whether for a server or for a command, and whether a server runs beside it or not. */
export async function open(config: Config, options: OpenOptions = {}): Promise<Opened> {
  // What is opened is put onto the stack, so that it is closed again whatever happens after it.
  await using opened = new AsyncDisposableStack();
  const ground = await openGround(config, withDefaults(config, options), opened);
  const engines = await openEngines(config, ground, opened);
  const slices = await openSlices(engines, config, opened);
  opened.defer(() => engines.jobs.stop());
  return { ...slices, engines, close: closeOf(opened) };
}

/** For commands about people: the catalog and who is in it. */
export async function openIdentity(config: Config): Promise<{ identity: Identity; close(): Promise<void> }> {
  await using opened = new AsyncDisposableStack();
  const ground = await openGround(config, withDefaults(config, {}), opened);
  const { services: identity, close } = await identitySlice.open(ground, {}, config);
  opened.defer(async () => void (await close?.()));
  return { identity, close: closeOf(opened) };
}

function withDefaults(
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
