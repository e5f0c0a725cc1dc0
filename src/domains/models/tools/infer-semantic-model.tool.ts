import { z } from "zod";
import type { Caller } from "../../../registry/caller.ts";
import { assertReadable, boundProblems, examine, noteOn } from "../authoring.ts";
import { defineTool, draftFacts, draftShape, problemShape } from "../define.ts";
import { modelDigest } from "../digest.ts";
import { writeModel } from "../format/write-model.ts";
import { unpublished } from "../infer/inference.ts";
import { LIMITS } from "../limits.ts";
import type { Problem, SemanticModel } from "../model.ts";
import type { Models } from "../models.ts";

/** Items of each section that the digest shows. */
const SHOWN = 50;

/** A first model of data that nobody has described yet. */
export const inferSemanticModel = defineTool({
  name: "infer_semantic_model",
  toolset: "modeling",
  title: "Infer semantic model",
  description:
    "Make a draft of a semantic model from datasets, or from a database's tables, which stay there (live): keys, joins (by names and by values that occur in both), dates, synonyms and default metrics. Says what was guessed and how sure it is. Check the guesses, change the draft with save_semantic_model, then publish_semantic_model; or publish at once.",
  permission: ["ontologies:write", "bi:read"],
  effect: "write",
  timeoutMs: 120_000,
  input: z.strictObject({
    name: z.string().min(1).max(LIMITS.models.modelNameCharacters).describe("Name of the new model"),
    datasets: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(LIMITS.models.inferredDatasets)
      .optional()
      .describe("Names of datasets (or tables); all when left out"),
    datasource_id: z.int().optional().describe("Use its tables, live"),
    publish: z.boolean().default(false),
  }),
  output: z.object({
    name: z.string(),
    id: z.string(),
    asset_id: z.int().describe("For delete_asset and restore_asset, with asset_type semantic_model"),
    draft: draftShape.optional(),
    published_version: z.int().optional(),
    note: z.string().optional(),
    digest: z.string(),
    guesses: z.array(
      z.object({
        about: z.string(),
        guess: z.string(),
        sure: z.enum(["sure", "likely", "guess"]),
        why: z.string(),
      }),
    ),
    problems: z.array(problemShape),
  }),

  async run({ name, datasets, datasource_id, publish }, { models, inference, caller, signal }) {
    const names =
      datasource_id === undefined
        ? datasets
        : await inference.register(caller, datasource_id, datasets, signal);
    const inferred = await inference.infer(caller, name, names);
    // Read as a file is, so that a draft never says what no file could.
    const files = [{ name: "model.yaml", text: writeModel(inferred.document) }];
    const examination = await examine(models, caller, files, signal);
    assertReadable(examination);
    const documents = examination.models.map(({ model }) => model);
    const [saved] = await models.saveDrafts(caller, documents);
    if (saved === undefined) throw new Error("a draft was not saved");
    const { problems } = examination;
    const published = publish
      ? await publishFirst(models, caller, { saved, document: inferred.document, problems })
      : undefined;
    const visible = await models.see(caller, unpublished(caller, inferred));
    return {
      name: saved.name,
      id: saved.uuid,
      asset_id: saved.id,
      ...(published !== undefined && { published_version: published }),
      ...(published === undefined && saved.draft !== null && { draft: draftFacts(saved.draft) }),
      ...noteOn(saved.replaced, caller.user.id),
      digest: modelDigest(visible, { perPage: SHOWN }).markdown,
      guesses: inferred.guesses,
      problems: boundProblems(problems),
    };
  },
});

/** As publish_semantic_model does; a published model of the name about other data is not replaced. */
async function publishFirst(
  models: Models,
  caller: Caller,
  {
    saved,
    document,
    problems,
  }: { saved: { id: number }; document: SemanticModel; problems: readonly Problem[] },
): Promise<number> {
  const publication = { document, warnings: [...problems], modelId: saved.id };
  const [record] = await models.publishAll(caller, [publication], { isReplacing: false });
  return record?.publishedVersion as number;
}
