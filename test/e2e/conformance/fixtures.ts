import type { Slice } from "../../../src/registry/registry.ts";
import { askingTools } from "./asking-tools.ts";
import { contentTools } from "./content-tools.ts";
import { prompts } from "./prompts.ts";
import { resources } from "./resources.ts";

/** What the conformance suite expects to find on a server. Its names and texts are the suite's. */
export const conformanceFixtures: Slice<object> = {
  services: {},
  tools: [...contentTools, ...askingTools],
  resources,
  prompts,
};
