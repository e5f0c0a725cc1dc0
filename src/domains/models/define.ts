import { z } from "zod";
import { resourcesOf } from "../../registry/define-resource.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { DraftInfo } from "./drafts.ts";
import type { ImprovementsStore } from "./improvements.store.ts";
import type { Inference } from "./infer/index.ts";
import type { ModelsStore } from "./models.store.ts";
import type { Models } from "./models.ts";
import type { StoredQueriesStore } from "./stored-queries.store.ts";

/** What the tools and resources of this slice work with. */
export interface ModelsServices {
  models: Models;
  modelsStore: ModelsStore;
  storedQueries: StoredQueriesStore;
  improvements: ImprovementsStore;
  inference: Inference;
}

export const defineTool = toolsOf<ModelsServices>();
export const defineResource = resourcesOf<ModelsServices>();

export const modelName = z
  .string()
  .min(1)
  .max(200)
  .describe("The semantic model name (filename without .yaml)");

export const problemShape = z.object({
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  hint: z.string().optional(),
  path: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
});

/** What tools say of a draft. */
export const draftShape = z.object({
  saved_by: z.string().nullable(),
  saved_at: z.string().describe("Also its mark for publish_semantic_model"),
});

export function draftFacts({ savedBy, savedAt }: DraftInfo): z.output<typeof draftShape> {
  return { saved_by: savedBy, saved_at: savedAt.toISOString() };
}
