import { type AgentServices, agentSlice } from "../domains/agent/index.ts";
import { type DataServices, dataSlice } from "../domains/data/index.ts";
import { type AuditLog, identitySlice } from "../domains/identity/index.ts";
import { memorySlice } from "../domains/memory/index.ts";
import { type ModelsServices, modelsSlice } from "../domains/models/index.ts";
import type { Catalog } from "../platform/catalog/index.ts";
import { Registry } from "../registry/registry.ts";
import { TOOLSETS } from "../registry/toolsets.ts";

export interface RegistryParts {
  catalog: Catalog;
  audit: AuditLog;
  data: DataServices;
  models: ModelsServices;
  agent: AgentServices;
  version: string;
}

/** Every slice, with its tools. Nothing is called here, so documentation can build it without an engine. */
export function composeRegistry({ catalog, audit, data, models, agent, version }: RegistryParts): Registry {
  const registry = new Registry();
  const describeToolsets = () =>
    Object.entries(TOOLSETS).map(([name, toolset]) => ({
      name,
      ...toolset,
      tools: registry.tools("all").filter(({ tool }) => tool.toolset === name),
    }));
  return registry
    .add(identitySlice({ audit, describeToolsets }))
    .add(memorySlice({ catalog, version }))
    .add(dataSlice(data))
    .add(modelsSlice(models))
    .add(agentSlice(agent));
}
