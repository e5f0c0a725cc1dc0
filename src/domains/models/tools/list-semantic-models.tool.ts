import { z } from "zod";
import { defineTool } from "../define.ts";

/** Where work with a model begins: which ones there are for this token. */
export const listSemanticModels = defineTool({
  name: "list_semantic_models",
  toolset: "models",
  wire: {
    models: {
      name: "list_semantic_models",
      description:
        "List the semantic models that you have access to. A model describes datasets, their fields, how they are related and which metrics there are; read one with get_semantic_model, then query it with execute_query.",
    },
  },
  title: "List semantic models",
  description:
    "List the semantic models that you have access to. A model describes datasets, their fields, how they are related and which metrics there are; read one with get_semantic_model, then query it with query_metrics.",
  permission: "ontologies:read",
  effect: "read",
  within: ["models"],
  input: z.strictObject({}),
  output: z.object({
    models: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        id: z.string(),
        version: z.int(),
      }),
    ),
  }),
  content: ({ models }) =>
    models.length === 0
      ? "There are no semantic models for you in this workspace."
      : models.map(line).join("\n"),

  async run(_, { models, caller }) {
    // No numbers of datasets or metrics: to know what this caller sees of each, every model would have to be bound.
    const summaries = await models.summaries(caller);
    return { models: summaries.map(({ uuid, ...rest }) => ({ ...rest, id: uuid })) };
  },
});

function line({ name, description }: { name: string; description: string | null }): string {
  const said = description?.replace(/\s+/g, " ").trim();
  return `- **${name}**${said ? ` — ${said}` : ""}`;
}
