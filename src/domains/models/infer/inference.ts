import { createHash } from "node:crypto";
import { timeLimit } from "../../../kernel/aborted.ts";
import { clip } from "../../../kernel/clip.ts";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { KeptPromises } from "../../../kernel/kept-promises.ts";
import { mapBounded } from "../../../kernel/map-bounded.ts";
import type { Analytics } from "../../../platform/analytics/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { type Data, type Dataset, type DatasetsStore, restrictionFor } from "../../data/index.ts";
import { modelNameFault } from "../format/index.ts";
import { LIMITS } from "../limits.ts";
import type { PublishedModel } from "../models.store.ts";
import { buildModel, type InferredModel } from "./build-model.ts";
import { spansOf } from "./durations.ts";
import { type Join, joinsOf, type Looked } from "./joins.ts";
import { keysOf } from "./keys.ts";
import { type Looking, profileOf, unlooked } from "./profile.ts";
import { totalRowsOf } from "./totals.ts";

/** Datasets that are looked at together, and what was found out about them. */
export interface Examined {
  looked: Looked[];
  joins: Join[];
}

interface InferenceParts {
  data: Data;
  datasets: DatasetsStore;
  analytics: Analytics;
}

/**
 * Guesses a semantic model from datasets. Everything is read with the rights of whoever asks, and kept under a key
 * that names the version, the columns and the rows behind it: who sees something else gets another model.
 */
export class Inference {
  readonly #parts: InferenceParts;
  readonly #looked = new KeptPromises(LIMITS.models.keptLooks);
  readonly #examined = new KeptPromises(LIMITS.models.keptInferences);

  constructor(parts: InferenceParts) {
    this.#parts = parts;
  }

  /** Keys of the datasets, and which of them belong together. Those without a column to see are left out. */
  async examine(caller: Caller, datasets: readonly Dataset[]): Promise<Examined> {
    const seen = datasets.filter((dataset) => restrictionFor(caller, dataset).columns.length > 0);
    const key = JSON.stringify(seen.map((dataset) => viewKey(caller, dataset)));
    return this.#examined.get(hash(key), async () => {
      const looking = this.#looking(caller);
      const looked = await mapBounded(seen, LIMITS.models.lookedAtOnce, (dataset) =>
        this.#look(looking, dataset).catch((error) => lookedAtNames(caller, dataset, error)),
      );
      return { looked, joins: await joinsOf(looking, looked) };
    });
  }

  /** A model of the datasets of these names, or of all that the caller sees. */
  async infer(caller: Caller, name: string, names: readonly string[] | undefined): Promise<InferredModel> {
    // Before anything is looked at, which takes a while.
    const fault = modelNameFault(name);
    if (fault !== undefined)
      throw new AppError("bad_request", fault, { hint: "Give the model another name." });
    const { looked, joins } = await this.examine(caller, await this.#wanted(caller, names));
    return buildModel(name, looked, joins);
  }

  async #wanted(caller: Caller, names: readonly string[] | undefined): Promise<Dataset[]> {
    const { datasets } = this.#parts;
    const most = LIMITS.models.inferredDatasets;
    const { id } = caller.workspace;
    const found =
      names === undefined
        ? (await datasets.list(id, { limit: most + 1, offset: 0 })).items
        : await datasets.findByNames(id, names);
    const known = new Set(found.map((dataset) => dataset.name.toLowerCase()));
    const missing = names?.find((each) => !known.has(each.toLowerCase()));
    const list = "{tool:list_datasets} shows what there is.";
    if (missing !== undefined) {
      throw new AppError("not_found", `There is no dataset ${JSON.stringify(clip(missing))}.`, {
        hint: list,
      });
    }
    if (found.length > most) {
      throw new AppError("too_large", `A model is inferred from at most ${most} datasets.`, {
        hint: "Name those that belong together.",
      });
    }
    const seen = found.filter((dataset) => restrictionFor(caller, dataset).columns.length > 0);
    if (seen.length > 0) return seen;
    throw new AppError("not_found", "There are no datasets to infer a model from.", { hint: list });
  }

  /** A dataset that has not changed is not looked at again because another one has. */
  #look(looking: Looking, dataset: Dataset): Promise<Looked> {
    return this.#looked.get(hash(viewKey(looking.caller, dataset)), async () => {
      const profile = await profileOf(looking, dataset);
      const keys = await keysOf(looking, profile);
      const [totals, spans] = [
        await totalRowsOf(looking, profile, keys.primary),
        await spansOf(looking, profile),
      ];
      return { profile, keys, totals, spans };
    });
  }

  #looking(caller: Caller): Looking {
    return {
      ...this.#parts,
      caller,
      signal: timeLimit(LIMITS.models.inferenceTotalMs, "Looking at the data"),
    };
  }
}

/** A model that nobody has published, for one question: its id says what is in it, so that it can be remembered. */
export function unpublished(
  { workspace }: Caller,
  { document }: Pick<InferredModel, "document">,
): PublishedModel {
  const uuid = hash(JSON.stringify([workspace.id, document]));
  const record = {
    id: 0,
    workspaceId: workspace.id,
    uuid,
    name: document.name,
    publishedVersion: 1,
    createdAt: new Date(0),
    hasDraft: false,
  };
  return { record: record as PublishedModel["record"], version: 1, document };
}

/** What takes too long to count is still there with its names. */
function lookedAtNames(caller: Caller, dataset: Dataset, error: unknown): Looked {
  if (!isAppError(error) || error.code !== "timeout") throw error;
  const { columns } = restrictionFor(caller, dataset);
  return {
    profile: unlooked(dataset, columns),
    keys: { primary: [], sure: "guess", unique: [] },
    totals: [],
    spans: [],
  };
}

/** What a caller sees of a dataset, exactly. */
function viewKey(caller: Caller, dataset: Dataset): string {
  const { id, version, name, workspaceId } = dataset;
  return JSON.stringify([workspaceId, id, version, name, restrictionFor(caller, dataset)]);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
