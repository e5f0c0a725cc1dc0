import { clip } from "../../../kernel/clip.ts";
import { AppError, isNotFound } from "../../../kernel/errors.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { PublishedModel } from "../models.store.ts";
import type { Models } from "../models.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A model in an address: by its id, or by its name. */
function modelKey(id: string): { uuid: string } | { name: string } {
  return UUID.test(id) ? { uuid: id } : { name: id };
}

/** The published model of an address, or the contract's error. */
export async function requireModel(
  { models, caller }: { models: Models; caller: Caller },
  id: string,
): Promise<PublishedModel> {
  try {
    return await models.requirePublished(caller, modelKey(id));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError("not_found", "Ontology not found or not ready", {
      hint: error.hint ?? "The list of ontologies shows what there is.",
      data: { ontologyId: clip(id), knectaCode: "ONTOLOGY_NOT_FOUND" },
    });
  }
}

export function beginningWith(typed: string, values: readonly string[]): string[] {
  return values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
}
