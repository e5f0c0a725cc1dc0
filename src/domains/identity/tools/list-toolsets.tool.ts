import { z } from "zod";
import { limitPassed } from "../../../registry/caller.ts";
import { defineTool } from "../define.ts";

/** About twenty tools are listed by default; this one tells how to get at the rest. */
export const listToolsets = defineTool({
  name: "list_toolsets",
  toolset: "system",
  title: "List toolsets",
  description:
    "The groups of tools this server has, which of them are listed by default, and the tools in each that you may use. enable_toolset adds one to your list; ?toolsets=+name in the endpoint's URL does so from the start.",
  permission: null,
  effect: "read",
  within: [],
  input: z.strictObject({}),
  output: z.object({
    toolsets: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        listed_by_default: z.boolean(),
        tools: z.array(z.string()),
      }),
    ),
  }),

  async run(_input, { caller, describeToolsets }) {
    const mayUse = (permissions: readonly string[]) =>
      permissions.every((permission) => caller.permissions.some((held) => held === permission));
    const toolsets = describeToolsets().map(({ name, description, byDefault, tools }) => ({
      name,
      description,
      listed_by_default: byDefault,
      tools: tools
        .filter(({ tool }) => mayUse(tool.permissions) && limitPassed(caller, tool) === undefined)
        .map((tool) => tool.name),
    }));
    return { toolsets: toolsets.filter(({ tools }) => tools.length > 0) };
  },
});
