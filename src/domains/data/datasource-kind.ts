import type { AssetKind } from "../../registry/asset-kind.ts";
import { assertMayQuery, mayQuery, toldOf } from "./datasources.ts";
import { accessOf, type DataServices } from "./define.ts";
import { LIMITS } from "./limits.ts";

/** Datasources, as tools that span slices see them: settings, never secrets. */
export function datasourceKind({
  datasources,
  datasourcesStore: store,
  queriesStore: queries,
}: Pick<DataServices, "datasources" | "datasourcesStore" | "queriesStore">): AssetKind {
  return {
    name: "datasource",
    async can(caller, id, verb) {
      const found = await store.find(caller.workspace.id, id);
      if (found === undefined || !caller.permissions.includes(`bi:${verb}`)) return false;
      return verb === "read" || mayQuery(caller, found);
    },

    async describe(caller, id) {
      const datasource = await datasources.require(caller, id);
      const { name, type, hasSecrets, createdAt } = datasource;
      const filter = { limit: LIMITS.data.listed, offset: 0, datasourceId: id };
      const { items, total } = await queries.list(caller.workspace.id, filter);
      return {
        id,
        name,
        type,
        has_secrets: hasSecrets,
        ...accessOf(datasource),
        ...toldOf(caller, datasource),
        queries: items.map((query) => ({ id: query.id, name: query.name })),
        query_count: total,
        created_at: createdAt.toISOString(),
      };
    },

    delete: ({ workspace }, id) => store.remove(workspace.id, id),
    restore: (caller, id) => store.restore(caller.workspace.id, id, (found) => assertMayQuery(caller, found)),
  };
}
