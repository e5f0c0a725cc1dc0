import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import type { Caller } from "../../../registry/caller.ts";
import { boundProblems } from "../authoring.ts";
import { defineTool, modelName, problemShape } from "../define.ts";
import type { SemanticModel } from "../model.ts";
import type { ModelRecord, ModelsStore } from "../models.store.ts";

/** Makes a draft, or an earlier version, what everyone sees. */
export const publishSemanticModel = defineTool({
  name: "publish_semantic_model",
  toolset: "modeling",
  title: "Publish semantic model",
  description:
    "Publish the draft of a semantic model; or roll back: give a version, and what it said is published again as the newest version.",
  permission: "ontologies:write",
  effect: "write",
  timeoutMs: 120_000,
  input: z.strictObject({
    modelName,
    version: z.int().min(1).optional().describe("An earlier version to go back to, from read_semantic_model"),
    draft: z
      .string()
      .max(40)
      .optional()
      .describe("saved_at of the draft that is meant: refused if another has been saved since"),
    replace: z
      .boolean()
      .default(false)
      .describe("Take the place of a published model of this name that is about other datasets"),
  }),
  output: z.object({
    name: z.string(),
    id: z.string(),
    version: z.int(),
    draft_saved_by: z.string().optional().describe("Who saved the draft, if somebody else did"),
    warnings: z.array(problemShape),
  }),

  async run({ modelName, version, draft: mark, replace }, { models, modelsStore, caller, signal }) {
    const record = await models.require(caller, modelName);
    const { document, savedBy } =
      version === undefined
        ? await draftOf(modelsStore, record, { mark, caller })
        : { document: await versionOf(modelsStore, record, version), savedBy: undefined };
    // What a check says quotes the source.
    await models.assertUnrestricted(caller, document);
    await models.assertMayReplace(caller, document);
    const warnings = await models.check(caller, document, signal);
    const publication = { document, warnings, modelId: record.id };
    const [published] = (await models.publishAll(caller, [publication], {
      isReplacing: replace || version !== undefined,
    })) as [ModelRecord];
    return {
      name: published.name,
      id: published.uuid,
      version: published.publishedVersion as number,
      ...(savedBy !== undefined && { draft_saved_by: savedBy }),
      warnings: boundProblems(warnings),
    };
  },
});

/** The draft, and whose it is if somebody else's. */
async function draftOf(
  store: ModelsStore,
  { id, name }: ModelRecord,
  { mark, caller }: { mark: string | undefined; caller: Caller },
): Promise<{ document: SemanticModel; savedBy: string | undefined }> {
  const draft = await store.draft(id);
  if (draft === null) {
    throw new AppError("conflict", `${name} has no draft to publish.`, {
      hint: "Change it with {tool:save_semantic_model} first, or give a version to go back to.",
    });
  }
  const { document, savedAt, savedById, savedBy } = draft;
  const author = savedBy ?? "somebody who has left";
  if (mark !== undefined && new Date(mark).getTime() !== savedAt.getTime()) {
    throw new AppError(
      "conflict",
      `The draft of ${name} is another one by now: ${author} saved it at ${savedAt.toISOString()}.`,
      { hint: "Read it with {tool:read_semantic_model}, then publish it with its own saved_at." },
    );
  }
  return { document, savedBy: savedById === caller.user.id ? undefined : author };
}

async function versionOf(
  store: ModelsStore,
  { id, name }: ModelRecord,
  version: number,
): Promise<SemanticModel> {
  const document = await store.version(id, version);
  if (document !== undefined) return document;
  throw new AppError("not_found", `${name} has no version ${version}.`, {
    hint: "{tool:read_semantic_model} lists the versions that there are.",
  });
}
