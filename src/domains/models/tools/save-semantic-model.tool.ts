import { z } from "zod";
import { LIMITS } from "../../../kernel/limits.ts";
import { assertReadable, examine, publishAll } from "../authoring.ts";
import { defineTool, problemShape } from "../define.ts";
import { boundProblems } from "../list-problems.ts";

/** Of each model, however many there are. */
const PROBLEMS_SHOWN = 10;

/** Makes or changes a model from its file, as a draft for those who write models, or at once for everyone. */
export const saveSemanticModel = defineTool({
  name: "save_semantic_model",
  toolset: "modeling",
  title: "Save semantic model",
  description:
    "Create or change semantic models from an Ossie/OSI file (YAML or JSON). It is checked against the data and kept as a draft; with publish: true it becomes visible to everyone, unless it has errors. Problems come back with line and hint.",
  permission: "ontologies:write",
  effect: "write",
  timeoutMs: 120_000,
  input: z.strictObject({
    content: z.string().min(1).max(LIMITS.models.modelBytes).describe("The whole file"),
    publish: z.boolean().default(false),
  }),
  output: z.object({
    models: z.array(
      z.object({
        name: z.string(),
        id: z.string(),
        asset_id: z.int().describe("For delete_asset and restore_asset, with asset_type semantic_model"),
        state: z.enum(["draft", "published"]),
        version: z.int().nullable().describe("The version that is published, if any"),
        problems: z.array(problemShape),
      }),
    ),
  }),

  async run({ content, publish }, { models, caller, signal }) {
    const examination = await examine(models, caller, [{ name: "model.yaml", text: content }], signal);
    assertReadable(examination);
    for (const { model } of examination.models) models.assertMayWrite(caller, model);
    const records = publish
      ? await publishAll(models, caller, examination)
      : await models.saveDrafts(
          caller,
          examination.models.map(({ model }) => model),
        );
    const shown = Math.max(PROBLEMS_SHOWN, Math.floor(LIMITS.models.problems / records.length));
    return {
      models: records.map(({ id, name, uuid, publishedVersion }, i) => ({
        name,
        id: uuid,
        asset_id: id,
        state: publish ? ("published" as const) : ("draft" as const),
        version: publishedVersion,
        problems: boundProblems(examination.models[i]?.problems ?? [], shown),
      })),
    };
  },
});
