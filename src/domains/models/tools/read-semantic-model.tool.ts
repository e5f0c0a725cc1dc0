import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, draftFacts, draftShape, modelName } from "../define.ts";
import { diffModels, printDiff } from "../format/diff-models.ts";
import { writeModel } from "../format/write-model.ts";
import type { SemanticModel } from "../model.ts";
import type { ModelRecord, ModelsStore } from "../models.store.ts";

const which = z.union([z.int().min(1), z.enum(["published", "draft"])]);

/** The file behind a model, for those who work on it. */
export const readSemanticModel = defineTool({
  name: "read_semantic_model",
  toolset: "modeling",
  title: "Read source of semantic model",
  description:
    "The source of a semantic model as an Ossie/OSI file, to change and save again; its versions; and what differs from another version.",
  permission: "ontologies:write",
  effect: "read",
  within: ["models"],
  input: z.strictObject({
    modelName,
    version: which
      .optional()
      .describe("A version, 'published' or 'draft'; default: the draft if there is one"),
    compare_with: which.optional().describe("Show only what differs from this one"),
  }),
  output: z.object({
    name: z.string(),
    asset_id: z.int().describe("For delete_asset and restore_asset, with asset_type semantic_model"),
    source: z.string().optional().describe("YAML"),
    diff: z.string().optional(),
    has_draft: z.boolean(),
    draft: draftShape.optional(),
    versions: z.array(z.object({ version: z.int(), published_at: z.string(), published: z.boolean() })),
  }),

  async run({ modelName, version, compare_with }, { models, modelsStore, caller }) {
    const record = await models.require(caller, modelName);
    await models.assertSourceVisible(caller, record);
    const wanted = version ?? (record.hasDraft ? "draft" : "published");
    const document = await documentOf(modelsStore, record, wanted);
    const other =
      compare_with === undefined ? undefined : await documentOf(modelsStore, record, compare_with);
    for (const each of [document, other]) if (each) await models.assertUnrestricted(caller, each);
    const versions = await modelsStore.versions(record);
    const draft = await modelsStore.draftInfo(record.id);
    return {
      name: record.name,
      asset_id: record.id,
      ...(other === undefined
        ? { source: writeModel(document) }
        : { diff: printDiff(diffModels(other, document)) }),
      has_draft: draft !== null,
      ...(draft !== null && { draft: draftFacts(draft) }),
      versions: versions.map((each) => ({
        version: each.version,
        published_at: each.publishedAt.toISOString(),
        published: each.isPublished,
      })),
    };
  },
});

async function documentOf(
  store: ModelsStore,
  record: ModelRecord,
  which: number | "published" | "draft",
): Promise<SemanticModel> {
  const number = which === "published" ? record.publishedVersion : which;
  const document =
    number === "draft"
      ? (await store.draft(record.id))?.document
      : number === null
        ? undefined
        : await store.version(record.id, number);
  if (document !== undefined) return document;
  const what = typeof which === "number" ? `version ${which}` : `${which} version`;
  throw new AppError("not_found", `${record.name} has no ${what}.`, {
    hint: "{tool:read_semantic_model} without a version shows what there is.",
  });
}
