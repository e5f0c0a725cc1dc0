import { AppError } from "../../kernel/errors.ts";
import type { AssetKind } from "../../registry/asset-kind.ts";
import type { ModelsServices } from "./define.ts";

type Parts = Pick<ModelsServices, "models" | "modelsStore">;

/** Semantic models, as tools that span slices see them. */
export function modelKind({ models, modelsStore: store }: Parts): AssetKind {
  return {
    name: "semantic_model",
    can: async (caller, id, verb) => {
      if (!caller.permissions.includes(`ontologies:${verb}`)) return false;
      const record = await store.findById(caller.workspace.id, id);
      if (record === undefined || !models.mayUse(caller, record.name)) return false;
      return record.publishedVersion !== null || caller.permissions.includes("ontologies:write");
    },

    async describe({ workspace, permissions }, id) {
      const record = await store.findById(workspace.id, id);
      if (record === undefined) {
        throw new AppError("not_found", `There is no semantic model with id ${id}.`, {
          hint: "{tool:read_semantic_model} tells the asset_id of one.",
        });
      }
      const versions = await store.versions(record);
      return {
        id,
        name: record.name,
        uuid: record.uuid,
        published_version: record.publishedVersion,
        // Drafts are for those who write models.
        ...(permissions.includes("ontologies:write") && { has_draft: record.hasDraft }),
        versions: versions.map(({ version, publishedAt, warnings }) => ({
          version,
          published_at: publishedAt.toISOString(),
          warnings,
        })),
        created_at: record.createdAt.toISOString(),
      };
    },

    delete: (caller, id) => models.remove(caller, id),

    async restore(caller, id) {
      if (!caller.permissions.includes("ontologies:write")) {
        throw new AppError("forbidden", "Restoring a semantic model takes ontologies:write.");
      }
      if (await models.restore(caller, id)) return;
      throw new AppError("not_found", `There is no deleted semantic model with id ${id}.`, {
        hint: "Use the asset_id that {tool:delete_asset} was given.",
      });
    },
  };
}

/** A draft alone, so that it can be thrown away while what is published stays. It has the id of its model. */
export function draftKind({ models, modelsStore: store }: Parts): AssetKind {
  return {
    name: "semantic_model_draft",
    partOf: "semantic_model",
    can: async (caller, id) => {
      if (!caller.permissions.includes("ontologies:write")) return false;
      const record = await store.findById(caller.workspace.id, id);
      return record?.hasDraft === true && models.mayUse(caller, record.name);
    },

    async describe({ workspace }, id) {
      const record = await store.findById(workspace.id, id);
      const draft = await store.draftInfo(id);
      if (record === undefined || draft === null) {
        throw new AppError("not_found", `There is no draft of a semantic model with id ${id}.`, {
          hint: "{tool:read_semantic_model} tells whether one has a draft, and its asset_id.",
        });
      }
      return { id, name: record.name, saved_by: draft.savedBy, saved_at: draft.savedAt.toISOString() };
    },

    async delete({ workspace }, id) {
      await store.discardDraft(workspace.id, id);
    },
  };
}
