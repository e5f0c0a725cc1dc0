import type { ValuesOf } from "../../platform/settings/index.ts";
import type { SliceSpec } from "../../registry/slice.ts";
import type { Identity } from "../identity/index.ts";
import type { IDENTITY_SETTINGS } from "../identity/settings.ts";
import type { LlmServices } from "../llm/index.ts";
import type { ModelsServices } from "../models/index.ts";
import { ChangesStore } from "./changes.store.ts";
import type { InstructionsServices } from "./define.ts";
import { PlanThreads } from "./plan-threads.ts";
import { carryOut } from "./tools/carry-out.tool.ts";

interface Before {
  identity: Pick<Identity, "authorizer" | "limiter" | "audit">;
  llm: LlmServices;
  models: Pick<ModelsServices, "models">;
}

/** Instructions in plain language: planned over the tools of all slices, and done through the one call path. */
export const instructionsSlice: SliceSpec<
  "instructions",
  InstructionsServices,
  Before,
  ValuesOf<typeof IDENTITY_SETTINGS>
> = {
  name: "instructions",
  open(
    { admission, catalog, registry, clock, log },
    { identity, llm: { llm }, models: { models } },
    { storage },
  ) {
    const { authorizer, limiter, audit } = identity;
    const auditsValues = storage.auditArguments === "values";
    const changes = new ChangesStore(catalog, clock);
    const services = {
      changes,
      planning: new PlanThreads(),
      registry,
      ports: { admission, authorizer, limiter, audit, log, auditsValues },
      llm,
      models,
    };
    return { services, sweep: () => changes.sweep() };
  },
  tools: [carryOut],
};
