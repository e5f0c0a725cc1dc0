import { z } from "zod";
import { defineTool, idArgument, typeArgument } from "../define.ts";

/** Says how one memory is related to another. */
export const linkMemories = defineTool({
  name: "link_memories",
  toolset: "memory",
  wire: { memory: "knowmind.link" },
  title: "Link memories",
  description:
    "A typed relation from one memory to another, with its inverse. Types such as OWNS, FOR_CLIENT, REFERENCES, SUPERSEDES; a wrong one is answered with those that are allowed.",
  permission: "memory:write",
  effect: "write",
  input: z.strictObject({
    from_id: idArgument,
    to_id: idArgument,
    rel_type: typeArgument.describe("In UPPER_SNAKE_CASE"),
  }),
  output: z.object({ edge_id: z.string(), inverse_edge_id: z.string() }),

  async run({ from_id, to_id, rel_type }, { relations, caller }) {
    const { edge, inverse } = await relations.link(caller, { from: from_id, to: to_id, type: rel_type });
    return { edge_id: edge, inverse_edge_id: inverse };
  },
});
