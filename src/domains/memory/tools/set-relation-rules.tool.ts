import { z } from "zod";
import { defineTool } from "../define.ts";
import { NAMESPACE } from "../shapes/namespace.ts";

/** Says which relations a workspace allows beyond the vocabulary. */
export const setRelationRules = defineTool({
  name: "set_relation_rules",
  toolset: "curation",
  title: "Set relation rules",
  description: `Replaces the workspace's rules for relations: SHACL shapes in Turtle, and types of its own (k:SPONSORS owl:inverseOf k:SPONSORED_BY). k: is <${NAMESPACE}>: k:FOR_CLIENT a type, k:client the tag client. null removes them. For admins.`,
  permission: ["memory:write", "admin"],
  effect: "write",
  input: z.strictObject({ turtle: z.string().nullable() }),
  output: z.object({ shapes: z.int(), own_types: z.array(z.string()), removed: z.boolean() }),

  async run({ turtle }, { rules, caller }) {
    if (turtle === null) return { shapes: 0, own_types: [], removed: await rules.remove(caller) };
    const { shapes, ownTypes } = await rules.set(caller, turtle);
    return { shapes, own_types: ownTypes, removed: false };
  },
});
