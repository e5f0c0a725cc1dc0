import { z } from "zod";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** How much of a model its digests show at once, for everyone in the workspace. */
export const setModelPageSize = defineTool({
  name: "set_model_page_size",
  toolset: "admin",
  title: "Set page size of digests",
  description:
    "How many datasets, relationships, metrics or fields get_semantic_model and get_datasets show on a page in this workspace (default 50).",
  permission: "admin",
  effect: "write",
  input: z.strictObject({ items_per_page: z.int().min(1).max(LIMITS.models.itemsPerPage) }),
  output: z.object({ items_per_page: z.int() }),

  async run({ items_per_page }, { modelsStore, caller }) {
    await modelsStore.setItemsPerPage(caller.workspace.id, items_per_page);
    return { items_per_page };
  },
});
