import { LanguageModels } from "../../platform/llm/index.ts";
import type { SliceSpec } from "../../registry/slice.ts";
import type { Identity } from "../identity/index.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { LlmServices } from "./define.ts";
import { Llm } from "./llm.ts";
import { ProvidersStore } from "./providers.store.ts";
import { listLlmProviders } from "./tools/list-llm-providers.tool.ts";
import { removeLlmProvider } from "./tools/remove-llm-provider.tool.ts";
import { setLlmProvider } from "./tools/set-llm-provider.tool.ts";
import { testLlmProvider } from "./tools/test-llm-provider.tool.ts";

export type { LlmServices } from "./define.ts";
export type { Llm } from "./llm.ts";
export type { Provider } from "./providers.store.ts";

/** The language models that workspaces may ask. Without one, everything works by rules. */
export const llmSlice: SliceSpec<"llm", LlmServices, { identity: Pick<Identity, "usage" | "audit"> }> = {
  name: "llm",
  open({ catalog, vault, clock, fetch }, { identity: { usage, audit } }) {
    const store = new ProvidersStore(catalog, vault, clock);
    const models = new LanguageModels(fetch);
    return {
      services: { llm: new Llm({ store, models, usage, audit, circuitBreaker: new CircuitBreaker(clock) }) },
    };
  },
  tools: [listLlmProviders, setLlmProvider, removeLlmProvider, testLlmProvider],
};
