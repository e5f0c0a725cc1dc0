import { clip } from "../../../kernel/clip.ts";
import { AppError, isNotFound } from "../../../kernel/errors.ts";
import type { Caller, CallMeta } from "../../../registry/caller.ts";
import type { PublishedModel } from "../models.store.ts";
import type { Models } from "../models.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A model in an address: by its id, or by its name. */
function modelKey(id: string): { uuid: string } | { name: string } {
  return UUID.test(id) ? { uuid: id } : { name: id };
}

/** What a semantic model is called on this surface. */
export function wordFor({ surface }: CallMeta): string {
  return surface === "agent" ? "ontology" : "semantic model";
}

/** The published model of an address, or the contract's error. */
export async function requireModel(
  { models, caller, meta }: { models: Models; caller: Caller; meta: CallMeta },
  id: string,
): Promise<PublishedModel> {
  try {
    return await models.requirePublished(caller, modelKey(id));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const isAgent = meta.surface === "agent";
    const message = isAgent ? "Ontology not found or not ready" : "Semantic model not found or not published";
    const list = `The list of ${isAgent ? "ontologies" : "semantic models"} shows what there is.`;
    throw new AppError("not_found", message, {
      // Other hints are about tools, which this surface may not have.
      hint: error.hint?.startsWith("Did you mean") ? error.hint : list,
      data: { ontologyId: clip(id), knectaCode: "ONTOLOGY_NOT_FOUND" },
    });
  }
}

export function beginningWith(typed: string, values: readonly string[]): string[] {
  return values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
}
