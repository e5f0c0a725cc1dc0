import { z } from "zod";
import { defineTool } from "../define.ts";

/** Takes a channel away, and its secret with it. */
export const removeChannel = defineTool({
  name: "remove_channel",
  toolset: "notifications",
  title: "Remove a channel",
  description: "Removes a channel and its secret for good. What names it still is told as a dead delivery.",
  permission: "admin",
  effect: "destroy",
  input: z.strictObject({ name: z.string() }),
  output: z.object({ removed: z.string() }),

  async run({ name }, { deliveries, caller }) {
    await deliveries.channels.remove(caller.workspace.id, name);
    return { removed: name };
  },
});
