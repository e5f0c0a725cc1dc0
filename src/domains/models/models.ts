import { AppError, isAppError } from "../../kernel/errors.ts";
import { scopeOf } from "../../kernel/fair-queue.ts";
import { nearest } from "../../kernel/text.ts";
import type { Analytics, Column, JsonValue } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { asOf, type Data, isLiveDataset } from "../data/index.ts";
import { boundProblems, listProblems } from "./authoring.ts";
import type { Binder, BoundModel } from "./bind/binder.ts";
import {
  assertNoPolicies,
  assertSameData,
  assertSamePolicies,
  checkAgainstData,
  rowsKey,
  tableViewsOf,
} from "./check-model.ts";
import { guardRead, readSql, withColumnHelp } from "./guard/guard.ts";
import { unpublished } from "./infer/inference.ts";
import { LIMITS } from "./limits.ts";
import type { Problem, SemanticModel } from "./model.ts";
import type {
  MayReplace,
  ModelRecord,
  ModelSummary,
  ModelsStore,
  Publication,
  PublishedModel,
  SavedDraft,
} from "./models.store.ts";
import { type VisibleModel, visibleModel } from "./visible-model.ts";

export interface ModelsParts {
  store: ModelsStore;
  data: Data;
  binder: Binder;
  analytics: Analytics;
  callerFor: CallerFor;
}

/** Somebody with the power that they have now; throws `forbidden` when they are no member any more. */
export type CallerFor = (owner: { workspaceId: number; userId: number }) => Promise<Caller>;

export interface QueryAnswer {
  columns: Column[];
  rows: JsonValue[][];
  isTruncated: boolean;
  /** There would have been more rows in the answer, had they been smaller. */
  isTooLarge: boolean;
}

export interface SeenRows {
  model: VisibleModel;
  /** By dataset: whoever has the same key sees the same rows and columns of it, of the same version. */
  rows: ReadonlyMap<string, string>;
  /** By dataset: when the rows below it were changed last; of a live one, since when an answer has been true. */
  refreshedAt: ReadonlyMap<string, Date>;
  /** The datasets whose rows are where they are now. */
  live: ReadonlySet<string>;
}

/** Says what whoever makes something of models could not make of this one. */
export type Adviser = (caller: Caller, model: VisibleModel, signal: AbortSignal) => Promise<Problem[]>;

/** Semantic models: who sees what of them, and SQL over them. */
export class Models {
  readonly #parts: ModelsParts;
  readonly #advisers = new Map<string, Adviser>();

  constructor(parts: ModelsParts) {
    this.#parts = parts;
  }

  /** A token may be for some models only; the others do not exist for it. */
  mayUse({ token }: Caller, name: string): boolean {
    const { models } = token.limits;
    return models === null || models.some((each) => each.toLowerCase() === name.toLowerCase());
  }

  /** The published models that this caller's token may see. */
  async published(caller: Caller): Promise<PublishedModel[]> {
    const all = await this.#parts.store.published(caller.workspace.id);
    return all.filter(({ record }) => this.mayUse(caller, record.name));
  }

  async requirePublished(
    caller: Caller,
    key: { name: string } | { uuid: string } | { id: number },
  ): Promise<PublishedModel> {
    const found = await this.#parts.store.publishedBy(caller.workspace.id, key);
    if (found !== undefined && this.mayUse(caller, found.record.name)) return found;
    throw await this.#unknown(caller, "name" in key ? key.name : undefined, "published");
  }

  /** A model of whatever state, for those who work on it. */
  async require(caller: Caller, name: string): Promise<ModelRecord> {
    const record = await this.#parts.store.findByName(caller.workspace.id, name);
    if (record !== undefined && this.mayUse(caller, record.name)) return record;
    throw await this.#unknown(caller, name, "any");
  }

  /** A published model under this caller's policies. */
  async see(caller: Caller, model: PublishedModel): Promise<VisibleModel> {
    return visibleModel(model, await this.#bind(caller, model), caller);
  }

  /** True if policies keep nothing of a published model from this caller. */
  async seesAll(caller: Caller, model: PublishedModel): Promise<boolean> {
    return (await this.#bind(caller, model)).restricted.length === 0;
  }

  /** A published model under this caller's policies, with the visible rows of each dataset. */
  async seeRows(caller: Caller, model: PublishedModel): Promise<SeenRows> {
    const bound = await this.#bind(caller, model);
    const rows = new Map(bound.datasets.map((seen) => [seen.dataset.name, rowsKey(caller, seen)]));
    const refreshedAt = new Map(
      bound.datasets.map(({ dataset, bases }) => {
        const times = bases.map((base) => asOf(base.dataset).getTime());
        return [dataset.name, new Date(Math.max(0, ...times))] as const;
      }),
    );
    const isLive = ({ bases }: (typeof bound.datasets)[number]) =>
      bases.some((base) => isLiveDataset(base.dataset));
    const live = new Set(bound.datasets.filter(isLive).map(({ dataset }) => dataset.name));
    return { model: visibleModel(model, bound, caller), rows, refreshedAt, live };
  }

  /** Runs one SELECT over the views of a model, under the caller's rights. */
  async query(
    caller: Caller,
    model: PublishedModel,
    {
      sql,
      params = [],
      signal,
      rows = LIMITS.models.queryRows,
      ms = LIMITS.models.queryMs,
      isSampled = false,
    }: {
      sql: string;
      params?: readonly string[];
      signal: AbortSignal;
      rows?: number;
      ms?: number;
      /** Of live datasets, some rows stand for all. */
      isSampled?: boolean;
    },
  ): Promise<QueryAnswer> {
    const { analytics, data } = this.#parts;
    // The text is parsed while the catalog is asked for what this caller sees.
    const reading = readSql(sql, { serialize: (text) => analytics.serializeSql(text, signal) });
    const [bound, read] = await bothInOrder(this.#bind(caller, model), reading);
    const columns = new Map(
      bound.datasets.map((seen) => [seen.dataset.name, seen.bound.columns.map(({ name }) => name)]),
    );
    const guarded = guardRead(read, { datasets: [...columns.keys()], columns, params });
    const used = new Set(guarded.datasets);
    const datasets = bound.datasets.filter(({ dataset }) => used.has(dataset.name));
    if (guarded.isExplain && datasets.some(({ isRowRestricted }) => isRowRestricted)) {
      throw new AppError(
        "forbidden",
        "EXPLAIN is not allowed over datasets of which you see only some rows.",
        {
          hint: "A plan tells how many rows there are and why some are hidden. Run the SELECT itself.",
        },
      );
    }
    const request = {
      scope: scopeOf(caller),
      tableViews: await tableViewsOf(data, caller, datasets),
      sql: guarded.sql,
      params: params.map((value) => ({ fit: value })),
      limits: { rows, ms },
      engine: {
        threads: LIMITS.models.queryThreads,
        memoryMb: LIMITS.models.queryMemoryMb,
        spillMb: LIMITS.models.querySpillMb,
      },
      explain: guarded.isExplain,
      ...(isSampled && { sampleRows: LIMITS.models.liveSampleRows }),
      signal,
    };
    const result = await analytics.query(request).catch((error) => {
      const own = [...columns].filter(([name]) => used.has(name));
      throw withColumnHelp(error, { columns: new Map(own), metrics: bound.metrics.map(metricFormula) });
    });
    const { truncated, ...answer } = result;
    return { ...answer, isTruncated: truncated !== false, isTooLarge: truncated === "bytes" };
  }

  /** Lets a later slice have its say when a model is checked. */
  adviseBy(slice: string, adviser: Adviser): void {
    this.#advisers.set(slice, adviser);
  }

  /** Everything that its author should know about a model, given the data that there are. */
  async check(caller: Caller, document: SemanticModel, signal: AbortSignal): Promise<Problem[]> {
    const { binder, data, analytics } = this.#parts;
    const bound = await binder.bind(caller, document);
    const problems = [
      ...bound.problems,
      ...(await checkAgainstData(document, bound, { data, analytics, caller, signal })),
    ];
    // What is missing from a model would be missed a second time.
    if (problems.some(({ severity }) => severity === "error")) return problems;
    const seen = visibleModel(unpublished(caller, { document }), bound, caller);
    for (const advise of this.#advisers.values()) problems.push(...(await advise(caller, seen, signal)));
    return problems;
  }

  /** The source of a model tells what its policies hide, so only those see it from whom nothing is hidden. */
  async assertUnrestricted(caller: Caller, document: SemanticModel): Promise<void> {
    const restricted = await this.#restricted(caller, document);
    if (restricted.length === 0) return;
    throw new AppError(
      "forbidden",
      `Policies hide a part of ${restricted.join(", ")} from you, and so the source of this model.`,
      {
        hint: "{tool:get_semantic_model} shows what you may see of it.",
      },
    );
  }

  /** True if no policy hides anything of it from this caller. */
  async isUnrestricted(caller: Caller, document: SemanticModel): Promise<boolean> {
    return (await this.#restricted(caller, document)).length === 0;
  }

  async #restricted(caller: Caller, document: SemanticModel): Promise<readonly string[]> {
    return (await this.#parts.binder.bind(caller, document)).restricted;
  }

  /** An earlier version, or a draft, may say what the published one hides. */
  async assertSourceVisible(caller: Caller, { id, workspaceId }: ModelRecord): Promise<void> {
    const published = await this.#parts.store.publishedBy(workspaceId, { id });
    if (published !== undefined) await this.assertUnrestricted(caller, published.document);
  }

  /** Summaries of the published models that this caller's token may see. */
  async summaries(caller: Caller): Promise<ModelSummary[]> {
    const all = await this.#parts.store.summaries(caller.workspace.id);
    return all.filter(({ name }) => this.mayUse(caller, name));
  }

  /** Keeps drafts, which may have any number of problems. */
  async saveDrafts(caller: Caller, documents: readonly SemanticModel[]): Promise<SavedDraft[]> {
    return this.#parts.store.saveDrafts(caller.workspace.id, caller.user.id, documents);
  }

  /** Publishes documents under their names, all or none: with warnings, not with errors. */
  async publishAll(
    caller: Caller,
    publications: readonly Publication[],
    /** True if one that is about other data may be taken the place of. */
    { isReplacing }: { isReplacing: boolean },
  ): Promise<ModelRecord[]> {
    for (const { document, warnings } of publications) {
      this.assertPublishable(document, warnings);
      await this.assertMayReplace(caller, document);
    }
    const { workspace, user } = caller;
    const mayReplace: MayReplace = (published, next) => {
      assertSamePolicies(caller, published, next);
      if (!isReplacing) assertSameData(published, next);
    };
    const bounded = publications.map((each) => ({ ...each, warnings: boundProblems(each.warnings) }));
    return this.#parts.store.publishAll(workspace.id, user.id, bounded, mayReplace);
  }

  /** Nobody takes the place of a model of which something is hidden from them, or changes what it hides. */
  async assertMayReplace(caller: Caller, document: SemanticModel): Promise<void> {
    const published = await this.#parts.store.publishedBy(caller.workspace.id, { name: document.name });
    if (published === undefined) return;
    await this.assertUnrestricted(caller, published.document);
    assertSamePolicies(caller, published.document, document);
  }

  /** Deletes a model, by the same rules as for publishing another one in its place. */
  async remove(caller: Caller, id: number): Promise<void> {
    const { store } = this.#parts;
    const published = await store.publishedBy(caller.workspace.id, { id });
    // An admin from whom its own policies hide something could not get rid of it otherwise.
    if (published !== undefined && !caller.permissions.includes("admin")) {
      await this.assertUnrestricted(caller, published.document);
    }
    await store.remove(caller.workspace.id, id, (document) => assertNoPolicies(caller, document, "delete"));
  }

  /** Brings a deleted model back, by the same rules as for deleting it; false when there is none for this caller. */
  async restore(caller: Caller, id: number): Promise<boolean> {
    const { store } = this.#parts;
    const deleted = await store.deleted(caller.workspace.id, id);
    if (deleted === undefined || !this.mayUse(caller, deleted.name)) return false;
    if (deleted.document !== null && !caller.permissions.includes("admin")) {
      await this.assertUnrestricted(caller, deleted.document);
    }
    return store.restore(caller.workspace.id, id, ({ document }) => {
      if (document !== null) assertNoPolicies(caller, document, "restore");
    });
  }

  assertPublishable({ name }: SemanticModel, problems: readonly Problem[]): void {
    const errors = problems.filter(({ severity }) => severity === "error");
    if (errors.length === 0) return;
    throw new AppError(
      "bad_request",
      `The model ${name} was not published, because of ${errors.length === 1 ? "an error" : `${errors.length} errors`}: ${listProblems(errors)}`,
      {
        hint: "\nCorrect that and publish again. What was published before is unchanged.",
        data: { problems: boundProblems(errors) },
      },
    );
  }

  async #bind(caller: Caller, { record, version, document, only }: PublishedModel): Promise<BoundModel> {
    const { binder, store, callerFor } = this.#parts;
    const author = async (): Promise<Caller | undefined> => {
      const userId = (await store.publishing(record.id, version))?.by;
      if (userId == null) return undefined;
      return callerFor({ workspaceId: record.workspaceId, userId }).catch((error) => {
        // A former member has no rights in the workspace.
        if (isAppError(error) && error.code === "forbidden") return undefined;
        throw error;
      });
    };
    const bound = await binder.bind(caller, document, { key: `${record.uuid}:${version}`, author });
    return only === undefined ? bound : onlyDatasets(bound, only);
  }

  /** Drafts are suggested only to those who work on models. */
  async #unknown(caller: Caller, name: string | undefined, state: "published" | "any"): Promise<AppError> {
    const list = "{tool:list_semantic_models} shows what there is.";
    if (name === undefined)
      return new AppError("not_found", "There is no such semantic model.", { hint: list });
    const all = (await this.#parts.store.list(caller.workspace.id)).filter((record) =>
      this.mayUse(caller, record.name),
    );
    const draft = all.find((record) => record.publishedVersion === null && record.name === name);
    if (draft !== undefined && caller.permissions.includes("ontologies:write"))
      return new AppError("not_found", `The semantic model ${shorten(name)} is a draft.`, {
        hint: "{tool:publish_semantic_model} makes it ready for questions.",
      });
    const known = all.filter(({ publishedVersion }) => state === "any" || publishedVersion !== null);
    const match = nearest(
      name,
      known.map((record) => record.name),
    );
    const hint = match === undefined ? list : `Did you mean ${match}?`;
    return new AppError("not_found", `There is no semantic model ${shorten(name)}.`, { hint });
  }
}

/** When both fail, the first one's failure is told, whichever came earlier. */
async function bothInOrder<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  second.catch(() => undefined);
  return [await first, await second];
}

function metricFormula({ metric, sql }: BoundModel["metrics"][number]): { name: string; sql: string } {
  return { name: metric.name, sql };
}

function shorten(name: string): string {
  return JSON.stringify(name.slice(0, 100).toWellFormed());
}

/** What is left of a model where only some datasets of the workspace may be read: nothing of it comes from others. */
function onlyDatasets(bound: BoundModel, only: ReadonlySet<number>): BoundModel {
  const datasets = bound.datasets.filter(({ bases }) => bases.every(({ dataset }) => only.has(dataset.id)));
  const left = new Set(datasets.map(({ dataset }) => dataset.name.toLowerCase()));
  const metrics = bound.metrics.filter((metric) =>
    metric.datasets.every((name) => left.has(name.toLowerCase())),
  );
  return { ...bound, datasets, metrics };
}
