import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, modelName, problemShape } from "../define.ts";
import { boundProblems } from "../list-problems.ts";
import type { ModelRecord } from "../models.store.ts";

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
  }),
  output: z.object({
    name: z.string(),
    id: z.string(),
    version: z.int(),
    warnings: z.array(problemShape),
  }),

  async run({ modelName, version }, { models, modelsStore, caller, signal }) {
    const record = await models.require(caller, modelName);
    const document =
      version === undefined
        ? await modelsStore.draft(record.id)
        : await modelsStore.version(record.id, version);
    if (document === null) {
      throw new AppError("conflict", `${record.name} has no draft to publish.`, {
        hint: "Change it with save_semantic_model first, or give a version to go back to.",
      });
    }
    if (document === undefined) throw new AppError("not_found", `${record.name} has no version ${version}.`);
    // What a check says quotes the source.
    await models.assertUnrestricted(caller, document);
    await models.assertMayReplace(caller, document);
    const warnings = await models.check(caller, document, signal);
    const publication = { document, warnings, modelId: record.id };
    const [published] = (await models.publishAll(caller, [publication])) as [ModelRecord];
    return {
      name: published.name,
      id: published.uuid,
      version: published.publishedVersion as number,
      warnings: boundProblems(warnings),
    };
  },
});
