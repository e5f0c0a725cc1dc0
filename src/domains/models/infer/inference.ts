import { createHash } from "node:crypto";
import { AsyncLruCache } from "../../../kernel/async-lru-cache.ts";
import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError, type ErrorCode, isAppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import { timeLimit } from "../../../kernel/time.ts";
import type { Analytics } from "../../../platform/analytics/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import {
  type Data,
  type DataServices,
  type Dataset,
  type DatasetsStore,
  restrictionFor,
  rowsVersion,
} from "../../data/index.ts";
import { modelNameFault } from "../format/model-reader.ts";
import { LIMITS } from "../limits.ts";
import type { PublishedModel } from "../models.store.ts";
import { buildModel, type InferredModel } from "./build-model.ts";
import { spansOf } from "./durations.ts";
import { type Join, joinsOf, type Looked } from "./joins.ts";
import { keysOf } from "./keys.ts";
import { type Guess, type Looking, profileOf, unprofiled } from "./profile.ts";
import { totalRowsOf } from "./totals.ts";

/** Datasets that are looked at together, and what was found out about them. */
export interface Examined {
  looked: Looked[];
  joins: Join[];
}

/** A dataset that could not be looked at. */
export interface LeftOut {
  dataset: Dataset;
  error: unknown;
}

interface InferenceParts {
  data: Data;
  datasets: DatasetsStore;
  analytics: Analytics;
  datasources: DataServices["datasources"];
  live: DataServices["live"];
}

/**
 * Guesses a semantic model from datasets. Everything is read with the rights of whoever asks, and kept under a key
 * that names the version, the columns and the rows behind it: who sees something else gets another model.
 */
export class Inference {
  readonly #parts: InferenceParts;
  readonly #looked = new AsyncLruCache(LIMITS.models.keptLooks);
  readonly #examined = new AsyncLruCache(LIMITS.models.keptInferences);

  constructor(parts: InferenceParts) {
    this.#parts = parts;
  }

  /**
   * Keys of the datasets, and which of them belong together. Those without a column to see are left out; what cannot
   * be looked at is left out too and named, so that it spoils no question about the others. Those with the highest
   * rank are looked at first, in case there is no time for all.
   */
  async examine(
    caller: Caller,
    datasets: readonly Dataset[],
    rank: (dataset: Dataset) => number = () => 0,
  ): Promise<Examined & { leftOut: readonly LeftOut[] }> {
    const seen = datasets.filter((dataset) => restrictionFor(caller, dataset).columns.length > 0);
    const looking = this.#looking(caller);
    const leftOut: LeftOut[] = [];
    const found = new Map<Dataset, Looked>();
    const inTurn = seen.toSorted((a, b) => rank(b) - rank(a));
    await mapBounded(inTurn, LIMITS.models.lookedAtOnce, async (dataset) => {
      try {
        found.set(dataset, await this.#look(looking, dataset));
      } catch (error) {
        leftOut.push({ dataset, error });
      }
    });
    const looked = seen.flatMap((dataset) => found.get(dataset) ?? []);
    if (looked.length === 0 && leftOut[0] !== undefined) throw leftOut[0].error;
    const key = JSON.stringify(looked.map(({ profile }) => viewKey(caller, profile.dataset)));
    // Made of the same records of the datasets, since joins are told apart by them.
    const examine = async () => ({ looked, joins: await joinsOf(looking, looked) });
    const examined = await this.#examined.get(hash(key), examine).catch((error) => {
      // Without time to compare them, they are asked about one by one.
      if (looking.signal.aborted) return { looked, joins: [] };
      throw error;
    });
    return { ...examined, leftOut };
  }

  /** A model of the datasets of these names, or of all that the caller sees. */
  async infer(caller: Caller, name: string, names: readonly string[] | undefined): Promise<InferredModel> {
    // Before anything is looked at, which takes a while.
    const fault = modelNameFault(name);
    if (fault !== undefined)
      throw new AppError("bad_request", fault, { hint: "Give the model another name." });
    const { looked, joins, leftOut } = await this.examine(caller, await this.#wanted(caller, names));
    const bug = leftOut.find(({ error }) => !isAppError(error));
    if (bug !== undefined) throw bug.error;
    const { document, guesses } = buildModel(name, looked, joins);
    const missing = leftOut.map(
      ({ dataset, error }): Guess => ({
        about: `datasets.${dataset.name}`,
        guess: "left out of the model",
        sure: "sure",
        why: omissionReason(error),
      }),
    );
    return { document, guesses: [...missing, ...guesses] };
  }

  /** Makes live datasets of a datasource's tables, which a model can then be made of. */
  async register(
    caller: Caller,
    datasourceId: number,
    tables: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<string[]> {
    const { datasources, live } = this.#parts;
    if (!caller.permissions.includes("bi:write"))
      throw new AppError("forbidden", "Live datasets are made by those who may write data (bi:write).");
    const datasource = await datasources.require(caller, datasourceId);
    const most = LIMITS.models.inferredDatasets;
    const wanted = await live.tablesOf(caller, datasource, tables, { most, signal });
    return (await live.register(caller, datasource, wanted, signal)).map(({ name }) => name);
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
  async #look(looking: Looking, dataset: Dataset): Promise<Looked> {
    const names = (error: unknown) => lookedAtNames(looking, dataset, error);
    // Where the time for all of them was used up by others, the next who asks looks again.
    const own = (error: unknown) => (looking.signal.aborted ? Promise.reject(error) : names(error));
    const key = hash(viewKey(looking.caller, dataset));
    return this.#looked.get(key, () => lookAt(looking, dataset).catch(own)).catch(names);
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

async function lookAt(looking: Looking, dataset: Dataset): Promise<Looked> {
  const profile = await profileOf(looking, dataset);
  const keys = await keysOf(looking, profile);
  const totals = await totalRowsOf(looking, profile, keys.primary);
  return { profile, keys, totals, spans: await spansOf(looking, profile) };
}

/** What takes too long or too much memory to count is still there with its names. */
function lookedAtNames({ caller, signal }: Looking, dataset: Dataset, error: unknown): Looked {
  if (!signal.aborted && !(isAppError(error) && TOO_MUCH.includes(error.code))) throw error;
  const { columns } = restrictionFor(caller, dataset);
  return {
    profile: unprofiled(dataset, columns),
    keys: { primary: [], sure: "guess", unique: [] },
    totals: [],
    spans: [],
  };
}

const TOO_MUCH: readonly ErrorCode[] = ["timeout", "too_large"];
/** The first line of what the engine said; the rest is for whoever writes SQL. */
const REASON_CHARACTERS = 200;

/** Why a dataset was left out, in a sentence for whoever asked. */
export function omissionReason(error: unknown): string {
  const reason = isAppError(error) ? error.message.split("\n", 1)[0] : "Something went wrong on our side.";
  return `it could not be read: ${clip(reason ?? "", REASON_CHARACTERS)}`;
}

/** What a caller sees of a dataset, exactly. */
function viewKey(caller: Caller, dataset: Dataset): string {
  const { id, name, workspaceId } = dataset;
  return JSON.stringify([workspaceId, id, rowsVersion(dataset), name, restrictionFor(caller, dataset)]);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
