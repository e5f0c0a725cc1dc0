import { createHash } from "node:crypto";
import { AsyncLruCache } from "../../../kernel/async-lru-cache.ts";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { ModelTable, ModelTables, ModelWish } from "../../agent/index.ts";
import { assertBoundsKnown } from "../../data/index.ts";
import type { ModelsServices, PublishedModel } from "../../models/index.ts";
import { LIMITS } from "../limits.ts";
import type { WidgetSpec } from "../shapes.ts";
import { type FilterContext, NO_FILTERS, undefinedIfNotFound } from "./source.ts";

interface Parts {
  models: ModelsServices["models"];
  modelsStore: ModelsServices["modelsStore"];
  modelTables: ModelTables;
  clock: Clock;
}

/** How long an answer is kept: a model may say what depends on the time. */
const KEPT_MS = 60_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads what widgets on semantic models show, with the rights of whoever looks. */
export class ModelSources {
  readonly #parts: Parts;
  readonly #cache = new AsyncLruCache(LIMITS.bi.keptResults, LIMITS.bi.keptBytes);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async check(caller: Caller, spec: WidgetSpec): Promise<void> {
    if (spec.c9ql !== undefined)
      throw new AppError("bad_request", "A widget on a semantic model has no c9ql.", {
        hint: "Use filters, or a dataset.",
      });
    if (spec.y.length < (spec.chart === "scatter" ? 2 : 1))
      throw new AppError("bad_request", "A widget on a semantic model shows metrics: name them in y_axis.", {
        hint:
          spec.chart === "scatter" ? "A scatter chart needs two." : "{tool:get_semantic_model} lists them.",
      });
    await this.#parts.modelTables.check(caller, await this.#model(caller, spec), wishOf(spec, []));
    // Whether values fit their fields only the engine knows.
    if (spec.filters.length > 0) await this.read(caller, spec, NO_FILTERS);
  }

  async read(
    caller: Caller,
    spec: WidgetSpec,
    filterContext: FilterContext,
  ): Promise<{ table: ModelTable; isUnfiltered: boolean }> {
    const { modelTables, clock } = this.#parts;
    assertBoundsKnown(caller);
    const published = await this.#model(caller, spec);
    const fields = filterContext.filters.map(({ field }) => field);
    const unknown = await modelTables.unknown(caller, published, fields);
    const wish = wishOf(
      spec,
      filterContext.filters.filter(({ field }) => !unknown.includes(field)),
    );
    const minute = Math.floor(clock.now().getTime() / KEPT_MS);
    const question = [caller.workspace.id, await this.state(caller, spec), wish, minute];
    const key = createHash("sha256").update(JSON.stringify(question)).digest("base64");
    const limits = { rows: LIMITS.bi.chartRows, ms: LIMITS.bi.queryMs };
    const table = await this.#cache.get(key, () => modelTables.read(caller, published, wish, limits));
    // Not by which: it may be hidden from whoever looks.
    return { table, isUnfiltered: unknown.length > 0 };
  }

  /** Who published the model as it is now, and when; undefined where there is none. */
  async published(caller: Caller, spec: WidgetSpec): Promise<{ by: number | null; at: Date } | undefined> {
    const model = await this.#model(caller, spec).catch(undefinedIfNotFound);
    return model && this.#parts.modelsStore.publishing(model.record.id, model.version);
  }

  /** What the caller sees of a model as it is now. */
  async state(caller: Caller, spec: WidgetSpec): Promise<unknown> {
    const { model, rows } = await this.#parts.models.seeRows(caller, await this.#model(caller, spec));
    const seen = model.datasets.map((dataset) => dataset.fields.map(({ name }) => name));
    return [model.id, model.version, [...rows], seen];
  }

  async isWhole(caller: Caller, spec: WidgetSpec): Promise<boolean> {
    return this.#parts.models.seesAll(caller, await this.#model(caller, spec));
  }

  /** Names in a specification that are not for this caller to see, or not there. */
  async hiddenNames(caller: Caller, spec: WidgetSpec): Promise<ReadonlySet<string>> {
    const { x, group, y, filters } = spec;
    const names = [x, group, ...y, ...filters.map(({ field }) => field)].filter((name) => name !== undefined);
    const model = await this.#model(caller, spec).catch(undefinedIfNotFound);
    const hidden = model === undefined ? names : await this.#parts.modelTables.unknown(caller, model, names);
    return new Set(hidden.map((name) => name.toLowerCase()));
  }

  #model(caller: Caller, { model = "" }: WidgetSpec): Promise<PublishedModel> {
    return this.#parts.models.requirePublished(caller, UUID.test(model) ? { uuid: model } : { name: model });
  }
}

function wishOf({ x, group, y, grain, filters }: WidgetSpec, more: FilterContext["filters"]): ModelWish {
  const bucket = grain === "hour" ? "day" : grain;
  const by = [x, group].filter((field) => field !== undefined).map((field) => ({ field, grain: bucket }));
  return { metrics: y, by, filters: [...filters, ...more] };
}
