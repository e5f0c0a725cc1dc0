import { AppError } from "../../kernel/errors.ts";
import type { AssetKind } from "../../registry/asset-kind.ts";
import type { ModelsStore } from "./models.store.ts";
import type { Models } from "./models.ts";

/** Semantic models, as tools that span slices see them. */
export function modelKind(models: Models, store: ModelsStore): AssetKind {
  return {
    name: "semantic_model",
    can: async (caller, id, verb) => {
      if (!caller.permissions.includes(`ontologies:${verb}`)) return false;
      const record = await store.findById(caller.workspace.id, id);
      if (record === undefined || !models.mayUse(caller, record.name)) return false;
      return record.publishedVersion !== null || caller.permissions.includes("ontologies:write");
    },

    async describe({ workspace }, id) {
      const record = await store.findById(workspace.id, id);
      if (record === undefined) throw new AppError("not_found", `There is no semantic model with id ${id}.`);
      const versions = await store.versions(record);
      return {
        id,
        name: record.name,
        uuid: record.uuid,
        published_version: record.publishedVersion,
        has_draft: record.hasDraft,
        versions: versions.map(({ version, publishedAt, warnings }) => ({
          version,
          published_at: publishedAt.toISOString(),
          warnings,
        })),
        created_at: record.createdAt.toISOString(),
      };
    },

    async delete({ workspace }, id) {
      await store.remove(workspace.id, id);
    },

    async restore(caller, id) {
      const { workspace, permissions } = caller;
      if (!permissions.includes("ontologies:write")) {
        throw new AppError("forbidden", "Restoring a semantic model takes ontologies:write.");
      }
      if (await store.restore(workspace.id, id, (name) => models.mayUse(caller, name))) return;
      throw new AppError("not_found", `There is no deleted semantic model with id ${id}.`);
    },
  };
}
