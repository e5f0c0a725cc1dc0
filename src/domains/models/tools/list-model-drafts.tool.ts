import { z } from "zod";
import { isAppError } from "../../../kernel/errors.ts";
import { defineTool, draftFacts, draftShape } from "../define.ts";

/** So that what was proposed or saved and not published is found again. */
export const listModelDrafts = defineTool({
  name: "list_model_drafts",
  toolset: "modeling",
  title: "List drafts of semantic models",
  description: "Semantic models with a draft that waits to be published; read one with read_semantic_model.",
  permission: "ontologies:write",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    drafts: z.array(
      draftShape.extend({
        name: z.string(),
        asset_id: z.int(),
        version: z.int().nullable().describe("The version that is published, if any"),
      }),
    ),
  }),

  async run(_, { models, modelsStore, caller }) {
    const all = await modelsStore.list(caller.workspace.id);
    const waiting = all.filter(({ hasDraft, name }) => hasDraft && models.mayUse(caller, name));
    const drafts = await Promise.all(
      waiting.map(async (record) => {
        const isVisible = await models.assertSourceVisible(caller, record).then(() => true, refused);
        const draft = isVisible ? await modelsStore.draftInfo(record.id) : null;
        const { name, id, publishedVersion: version } = record;
        return draft === null ? [] : [{ name, asset_id: id, version, ...draftFacts(draft) }];
      }),
    );
    return { drafts: drafts.flat() };
  },
});

function refused(error: unknown): false {
  if (!isAppError(error) || error.code === "internal") throw error;
  return false;
}
