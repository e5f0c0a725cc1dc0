import { z } from "zod";
import { defineTool, timeText } from "../define.ts";

/** Shows which relations a workspace allows. */
export const listRelationTypes = defineTool({
  name: "list_relation_types",
  toolset: "curation",
  title: "List relation types",
  description:
    "The types of relations between memories, each with its inverse and what it may be between (tags), and the workspace's own rules (SHACL in Turtle).",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    types: z.array(
      z.object({
        rel_type: z.string(),
        inverse: z.string(),
        from: z.array(z.string()).optional(),
        to: z.array(z.string()).optional(),
      }),
    ),
    rules: z
      .object({
        turtle: z.string(),
        shapes: z.int(),
        updated_at: z.string(),
        updated_by: z.string().nullable(),
      })
      .nullable(),
  }),

  async run(_input, { rules, caller }) {
    const { vocabulary, stored, shapes } = await rules.of(caller.workspace.id);
    return {
      types: Object.entries(vocabulary.said).map(([rel_type, { inverse, from, to }]) => ({
        rel_type,
        inverse,
        ...(from && { from: [...from] }),
        ...(to && { to: [...to] }),
      })),
      rules:
        stored === undefined
          ? null
          : {
              turtle: stored.turtle,
              shapes,
              updated_at: timeText(stored.updatedAt),
              updated_by: stored.updatedBy,
            },
    };
  },
});
