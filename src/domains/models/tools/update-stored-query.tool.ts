import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { assertVisible } from "../../../kernel/text.ts";
import { LIMITS } from "../../data/limits.ts";
import { defineTool } from "../define.ts";

/** Keeps a query under a name, or throws it away. */
export const updateStoredQuery = defineTool({
  name: "update_stored_query",
  toolset: "models",
  title: "Name or delete a stored query",
  description:
    "Give one of your stored queries a name (named ones are kept for good; null takes the name away), or delete it.",
  permission: "ontologies:write",
  effect: "write",
  within: ["models"],
  input: z.strictObject({
    storedQueryId: z.string().min(1).max(100),
    name: z.string().trim().min(1).max(LIMITS.data.nameCharacters).nullable().optional(),
    delete: z.boolean().default(false),
  }),
  output: z.object({ storedQueryId: z.string(), deleted: z.boolean() }),

  async run({ storedQueryId, name, delete: isDeleted }, { storedQueries, caller }) {
    if (isDeleted) await storedQueries.remove(caller, storedQueryId);
    else if (name !== undefined) {
      if (name !== null) assertVisible(name);
      await storedQueries.rename(caller, storedQueryId, name);
    } else throw new AppError("bad_request", "Say what to do: give a name, or set delete to true.");
    return { storedQueryId, deleted: isDeleted };
  },
});
