import { agentSlice } from "../domains/agent/index.ts";
import { assetsSlice } from "../domains/assets/index.ts";
import { automationSlice } from "../domains/automation/index.ts";
import { biSlice } from "../domains/bi/index.ts";
import { dataSlice } from "../domains/data/index.ts";
import { demoSlice } from "../domains/demo/index.ts";
import { identitySlice } from "../domains/identity/index.ts";
import { instructionsSlice } from "../domains/instructions/index.ts";
import { knowledgeSlice } from "../domains/knowledge/index.ts";
import { llmSlice } from "../domains/llm/index.ts";
import { memorySlice } from "../domains/memory/index.ts";
import { modelsSlice } from "../domains/models/index.ts";
import { Registry, type Slice } from "../registry/registry.ts";
import type { Engines, OpenSlice } from "../registry/slice.ts";
import type { Config } from "./config.ts";

/** All slices in their order: each stands only on those before it (`test/tidy.test.ts`). */
const SLICES = [
  identitySlice,
  llmSlice,
  dataSlice,
  modelsSlice,
  knowledgeSlice,
  memorySlice,
  agentSlice,
  biSlice,
  automationSlice,
  assetsSlice,
  instructionsSlice,
  demoSlice,
] as const;

type AnySlice = (typeof SLICES)[number];

/** What each slice offers to those after it and to commands, by its name. */
export type Services = {
  [S in AnySlice as S["name"]]: Awaited<ReturnType<S["open"]>>["services"];
};

/** All slices, open. */
export interface OpenSlices {
  services: Services;
  all: readonly OpenSlice<object>[];
}

/** Opens every slice on the engines; what closes it again is put onto the stack. */
export async function openSlices(
  engines: Engines,
  config: Config,
  opened: AsyncDisposableStack,
): Promise<OpenSlices> {
  // Complete for whoever looks only at the slices before it.
  const services = {} as Services;
  const all: OpenSlice<object>[] = [];
  for (const slice of SLICES) {
    const one = await slice.open(engines, services, config);
    opened.defer(async () => void (await one.close?.()));
    Object.assign(services, { [slice.name]: one.services });
    engines.registry.addKinds(ready(slice, services));
    all.push(one);
  }
  return { services, all };
}

/** Puts what can be called into the registry. */
export function register(registry: Registry, services: Services): void {
  for (const slice of SLICES) registry.add(ready(slice, services));
}

/** Everything that can be called, without anything behind it: for documentation. */
export function describeRegistry(): Registry {
  const registry = new Registry();
  const services = Object.fromEntries(SLICES.map(({ name }) => [name, {}])) as Services;
  for (const slice of SLICES) registry.addKinds(ready(slice, services));
  register(registry, services);
  return registry;
}

/** The types of a slice and of its own services go together, which the compiler cannot see in a list. */
function ready(slice: AnySlice, services: Services): Slice<object> {
  return { ...slice, services: services[slice.name] } as unknown as Slice<object>;
}
