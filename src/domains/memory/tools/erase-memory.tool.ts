import { z } from "zod";
import { defineTool, idArgument } from "../define.ts";

/** Removes a memory for good, where privacy asks for it. */
export const eraseMemory = defineTool({
  name: "erase_memory",
  toolset: "curation",
  title: "Erase memory",
  description:
    "Erases a memory for good, with all versions, relations, sections and what the search knows of it. Cannot be undone; what was only wrong is retracted instead. For admins.",
  permission: ["memory:write", "admin"],
  effect: "destroy",
  input: z.strictObject({ memory_id: idArgument }),
  output: z.object({ memory_id: z.string(), versions: z.int(), relations: z.int() }),

  async run({ memory_id }, { lifecycle, caller, note }) {
    const erased = await lifecycle.erase(caller, memory_id);
    note(erased);
    return { memory_id, ...erased };
  },
});
