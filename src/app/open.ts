import type { Config } from "./config.ts";
import { closeOf, type OpenOptions, openCoreServices, withDefaults } from "./core-services.ts";
import { type AppEngines, openEngines } from "./engines.ts";
import { type OpenSlices, openSlices } from "./slices.ts";

export interface Opened extends OpenSlices {
  engines: AppEngines;
  close(): Promise<void>;
}

/** Engines and slices, whether for a server or for a command, and whether a server runs beside it or not. */
export async function open(config: Config, options: OpenOptions = {}): Promise<Opened> {
  // What is opened is put onto the stack, so that it is closed again whatever happens after it.
  await using opened = new AsyncDisposableStack();
  const core = await openCoreServices(config, withDefaults(config, options), opened);
  const engines = await openEngines(config, core, opened);
  const slices = await openSlices(engines, config, opened);
  opened.defer(() => engines.jobs.stop());
  return { ...slices, engines, close: closeOf(opened) };
}
