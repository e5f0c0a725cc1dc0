import { z } from "zod";
import { CONNECTOR_TYPES } from "../connectors/index.ts";
import { toldOf } from "../datasources.ts";
import { defineTool } from "../define.ts";

/** What queries can be asked of; never a secret. */
export const listDatasources = defineTool({
  name: "list_datasources",
  toolset: "datasources",
  title: "List datasources",
  description:
    "The datasources of this workspace with their settings; with types: also all types there can be.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Part of a name"),
    types: z.boolean().default(false).describe("Also list the known types"),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    total: z.int(),
    datasources: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        type: z.string(),
        settings: z.record(z.string(), z.unknown()),
        has_secrets: z.boolean(),
        may_query: z.boolean(),
      }),
    ),
    types: z
      .array(z.object({ type: z.string(), title: z.string(), aliases: z.array(z.string()) }))
      .optional(),
  }),

  async run({ query, types, limit, offset }, { datasourcesStore, caller }) {
    const { total, items } = await datasourcesStore.list(caller.workspace.id, { query, limit, offset });
    return {
      total,
      datasources: items.map((item) => ({
        id: item.id,
        name: item.name,
        type: item.type,
        has_secrets: item.hasSecrets,
        ...toldOf(caller, item),
      })),
      ...(types && {
        types: CONNECTOR_TYPES.map(({ type, title, aliases }) => ({ type, title, aliases: [...aliases] })),
      }),
    };
  },
});
