import type { AssetKind } from "../../registry/asset-kind.ts";
import { shownSettings } from "./datasource-secrets.ts";
import type { DataServices } from "./define.ts";
import { LIMITS } from "./limits.ts";

/** Datasources, as tools that span slices see them: settings, never secrets. */
export function datasourceKind({
  datasources,
  datasourcesStore: store,
  queriesStore: queries,
}: Pick<DataServices, "datasources" | "datasourcesStore" | "queriesStore">): AssetKind {
  return {
    name: "datasource",
    can: async ({ workspace, permissions }, id, verb) =>
      permissions.includes(`bi:${verb}`) && (await store.find(workspace.id, id)) !== undefined,

    async describe(caller, id) {
      const { name, type, settings, hasSecrets, createdAt } = await datasources.require(caller, id);
      const filter = { limit: LIMITS.data.listed, offset: 0, datasourceId: id };
      const { items, total } = await queries.list(caller.workspace.id, filter);
      return {
        id,
        name,
        type,
        settings: shownSettings(settings),
        has_secrets: hasSecrets,
        queries: items.map((query) => ({ id: query.id, name: query.name })),
        query_count: total,
        created_at: createdAt.toISOString(),
      };
    },

    delete: ({ workspace }, id) => store.remove(workspace.id, id),
    restore: ({ workspace }, id) => store.restore(workspace.id, id),
  };
}
