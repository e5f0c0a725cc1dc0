import { z } from "zod";
import { assertReadable, boundProblems, examine, noteOn, publishAll } from "../authoring.ts";
import { defineTool, draftFacts, draftShape, problemShape } from "../define.ts";
import { LIMITS } from "../limits.ts";
import type { ModelRecord, ModelsStore, SavedDraft } from "../models.store.ts";

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
        draft: draftShape.optional().describe("The draft that there is now"),
        note: z.string().optional(),
        problems: z.array(problemShape),
      }),
    ),
  }),

  async run({ content, publish }, { models, modelsStore, caller, signal }) {
    const examination = await examine(models, caller, [{ name: "model.yaml", text: content }], signal);
    assertReadable(examination);
    const documents = examination.models.map(({ model }) => model);
    const records = publish
      ? await withDrafts(modelsStore, await publishAll(models, caller, examination, { isReplacing: true }))
      : await models.saveDrafts(caller, documents);
    const shown = Math.max(PROBLEMS_SHOWN, Math.floor(LIMITS.models.problems / records.length));
    return {
      models: records.map((record, i) => ({
        name: record.name,
        id: record.uuid,
        asset_id: record.id,
        state: publish ? ("published" as const) : ("draft" as const),
        version: record.publishedVersion,
        ...(record.draft !== null && { draft: draftFacts(record.draft) }),
        ...noteOn(record.replaced, caller.user.id),
        problems: boundProblems(examination.models[i]?.problems ?? [], shown),
      })),
    };
  },
});

/** Another draft stays beside what was published. */
function withDrafts(store: ModelsStore, published: readonly ModelRecord[]): Promise<SavedDraft[]> {
  return Promise.all(
    published.map(async (record) => {
      const draft = record.hasDraft ? await store.draftInfo(record.id) : null;
      return { ...record, draft, replaced: null };
    }),
  );
}
