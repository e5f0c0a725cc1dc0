import { z } from "zod";
import { defineTool } from "../define.ts";

/** Lets a model, or a person who debugs a token, see on whose behalf it acts and how far it may go. */
export const whoami = defineTool({
  name: "whoami",
  toolset: "system",
  title: "Who am I",
  description: "The user, workspace, role and permissions that this connection acts with.",
  permission: null,
  effect: "read",
  within: [],
  input: z.strictObject({}),
  output: z.object({
    user: z.object({ id: z.number(), email: z.string(), name: z.string() }),
    workspace: z.object({ id: z.number(), slug: z.string() }),
    role: z.string(),
    permissions: z.array(z.string()),
    token: z.object({
      kind: z.string(),
      read_only: z.boolean(),
      toolsets: z.array(z.string()).nullable(),
      models: z.array(z.string()).nullable(),
      knowledge_bases: z.array(z.int()).optional(),
    }),
    client: z.object({ name: z.string(), version: z.string() }),
  }),

  async run(_input, { caller, meta }) {
    const { kind, limits } = caller.token;
    return {
      user: caller.user,
      workspace: caller.workspace,
      role: caller.role,
      permissions: [...caller.permissions],
      token: {
        kind,
        read_only: limits.readOnly,
        toolsets: limits.toolsets && [...limits.toolsets],
        models: limits.models && [...limits.models],
        ...(limits.knowledgeBases !== null && { knowledge_bases: [...limits.knowledgeBases] }),
      },
      client: meta.client,
    };
  },
});
