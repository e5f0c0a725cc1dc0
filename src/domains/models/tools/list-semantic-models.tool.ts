import { z } from "zod";
import { defineTool } from "../define.ts";

/** Where work with a model begins: which ones there are for this token. */
export const listSemanticModels = defineTool({
  name: "list_semantic_models",
  toolset: "models",
  wire: { models: "list_semantic_models" },
  title: "List semantic models",
  description:
    "List the semantic models that you have access to. A model describes datasets, their fields, how they are related and which metrics there are; read one with get_semantic_model, then query it with execute_query.",
  permission: "ontologies:read",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    models: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        id: z.string(),
        version: z.int(),
        datasets: z.int(),
        metrics: z.int(),
      }),
    ),
  }),
  content: ({ models }) =>
    models.length === 0
      ? "There are no semantic models for you in this workspace."
      : models.map(line).join("\n"),

  async run(_, { models, caller }) {
    const published = await models.published(caller);
    return {
      models: published.map(({ record, version, document }) => ({
        name: document.name,
        description: document.description,
        id: record.uuid,
        version,
        datasets: document.datasets.length,
        metrics: document.metrics.length,
      })),
    };
  },
});

function line(model: {
  name: string;
  description: string | null;
  datasets: number;
  metrics: number;
}): string {
  const said = model.description?.replace(/\s+/g, " ").trim();
  const size = `${model.datasets} datasets, ${model.metrics} metrics`;
  return `- **${model.name}** (${size})${said ? ` — ${said}` : ""}`;
}
