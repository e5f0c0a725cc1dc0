import { createHash } from "node:crypto";
import { AsyncLruCache } from "../../../kernel/async-lru-cache.ts";
import { AppError, isAppError, isNotFound } from "../../../kernel/errors.ts";
import { nearestFirst } from "../../../kernel/text.ts";
import { type Clock, timeLimit } from "../../../kernel/time.ts";
import { columnKind } from "../../../kernel/values.ts";
import type { RowPage } from "../../../registry/asset-kind.ts";
import type { Caller } from "../../../registry/caller.ts";
import {
  assertBoundsKnown,
  type Column,
  type Data,
  type Dataset,
  filtersToQuery,
  following,
  parametersOf,
  parse,
  print,
  type RowQuery,
  restrictionFor,
  resultColumns,
} from "../../data/index.ts";
import type { Dashboard } from "../boards.store.ts";
import { LIMITS } from "../limits.ts";
import type { DashboardFilter, Filter, WidgetSpec } from "../shapes.ts";
import { wordsIn } from "../words.ts";

/** Filters, parameters and time zone that a viewer has chosen on a dashboard. */
export interface FilterContext {
  filters: readonly Filter[];
  parameters: Readonly<Record<string, Filter["value"]>>;
  timeZone: string;
}

export const NO_FILTERS: FilterContext = { filters: [], parameters: {}, timeZone: "UTC" };

/** The rows that a widget shows, before they are put together for its chart. */
export interface Source {
  dataset: Dataset;
  /** What makes them of the dataset's. */
  query: RowQuery;
  columns: readonly Column[];
  /** Values of its parameters. */
  parameters: FilterContext["parameters"];
  /** Fields of filters of the dashboard that do not hold here, for the dataset has none of that name. */
  unfiltered: string[];
  /** True if some of its fields are hidden from the caller, who is then told of none by name. */
  hidesSome: boolean;
  /** A field by its name; a wrong one is refused with the right ones. */
  find(name: string): Column;
  /** Runs a query on these rows; nothing is worked out twice while data, rights and question are the same. */
  read(query: RowQuery, limit: number, isSample?: boolean): Promise<RowPage>;
}

/** A dataset, and with whose eyes it is looked at. */
export interface Seen {
  caller: Caller;
  datasetId: number;
}

/** Datasets that were found for one page: a hundred widgets on one of a thousand columns look it up once. */
export type KnownDatasets = Map<number, Promise<Dataset>>;

type Parts = { data: Data; clock: Clock };

/** Reads what widgets show, always through the policies of the dataset. */
export class Sources {
  readonly #parts: Parts;
  readonly #cache = new AsyncLruCache(LIMITS.bi.keptResults, LIMITS.bi.keptBytes);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async open(
    caller: Caller,
    datasetId: number,
    spec: WidgetSpec,
    filterContext: FilterContext,
    known: KnownDatasets = new Map(),
  ): Promise<Source> {
    assertBoundsKnown(caller);
    const dataset = await this.#require(caller, datasetId, known);
    const { columns: visible } = restrictionFor(caller, dataset);
    const hidesSome = visible.length < dataset.columns.length;
    const holds = filterContext.filters.filter(({ field }) => findField(visible, field) !== undefined);
    const unfiltered = filterContext.filters
      .filter((filter) => !holds.includes(filter))
      .map(({ field }) => field);
    for (const filter of holds) assertFits(filter, findField(visible, filter.field) as Column);
    for (const { field } of spec.filters) requireField(visible, field, dataset.name, hidesSome);
    const filters = [...holds, ...spec.filters];
    const filtered = filters.length === 0 ? undefined : filtersToQuery(filters);
    const untold = (error: unknown) => throwUntold(error, dataset, hidesSome);
    const own = ownQuery(spec, visible, untold);
    const query = following(filtered, own);
    const parameters = own === undefined ? {} : parametersIn(own, filterContext);
    const run = (asked: RowQuery, limit: number, isSample = false) =>
      this.#read(caller, dataset, { query: asked, limit, isSample, parameters, filterContext });
    const columns =
      own === undefined ? visible : resultColumns(own, visible, (await run(query, 1).catch(untold)).columns);
    const read: Source["read"] = (more, limit, isSample) => run(following(query, more), limit, isSample);
    const find = (name: string) => requireField(columns, name, dataset.name, hidesSome);
    return { dataset, query, columns, parameters, unfiltered, hidesSome, find, read };
  }

  /** What callers see of datasets as they are now: as long as it is the same, so is whatever is made of them. */
  async state(seen: readonly Seen[], known: KnownDatasets = new Map()): Promise<unknown[]> {
    const states: unknown[] = [Math.floor(this.#parts.clock.now().getTime() / 60_000)];
    for (const { caller, datasetId: id } of distinct(seen)) {
      const dataset = await this.#require(caller, id, known).catch(undefinedIfNotFound);
      if (dataset === undefined) continue;
      const { columns, condition } = restrictionFor(caller, dataset);
      states.push([id, dataset.version, dataset.refreshedAt, condition, someOf(dataset, columns)]);
    }
    return states;
  }

  /** Fields of some of these datasets that are seen in none: not even their names are told. */
  async hiddenFields(all: readonly Seen[]): Promise<ReadonlySet<string>> {
    const [hidden, seen] = [new Set<string>(), new Set<string>()];
    for (const { caller, datasetId: id } of distinct(all)) {
      const dataset = await this.#parts.data.require(caller, id).catch(undefinedIfNotFound);
      if (dataset === undefined) continue;
      const { columns } = restrictionFor(caller, dataset);
      for (const column of dataset.columns)
        (columns.includes(column) ? seen : hidden).add(column.name.toLowerCase());
    }
    return new Set([...hidden].filter((name) => !seen.has(name)));
  }

  #require(caller: Caller, id: number, known: KnownDatasets): Promise<Dataset> {
    const found = known.get(id) ?? this.#parts.data.require(caller, id);
    known.set(id, found);
    return found;
  }

  #read(
    caller: Caller,
    dataset: Dataset,
    {
      query,
      limit,
      isSample,
      parameters,
      filterContext,
    }: {
      query: RowQuery;
      limit: number;
      isSample: boolean;
      parameters: FilterContext["parameters"];
      filterContext: FilterContext;
    },
  ): Promise<RowPage> {
    const { data, clock } = this.#parts;
    const { columns, condition } = restrictionFor(caller, dataset);
    const text = print(query);
    // What depends on the time of day is asked again after a minute.
    const minute = /\$c9_|\bnow\s*\(/i.test(text) ? Math.floor(clock.now().getTime() / 60_000) : 0;
    const question = [
      caller.workspace.id,
      dataset.id,
      dataset.version,
      condition,
      someOf(dataset, columns),
      text,
      limit,
      isSample,
      parameters,
      filterContext.timeZone,
      minute,
    ];
    const key = createHash("sha256").update(JSON.stringify(question)).digest("base64");
    // Others may wait for the same answer, so it does not end with whoever asked first.
    const work = () =>
      data.read(caller, dataset, {
        query,
        limit,
        isSample,
        ...(Object.keys(parameters).length > 0 && { parameters }),
        timeZone: filterContext.timeZone,
        signal: timeLimit(LIMITS.bi.queryMs, "The query"),
      });
    return this.#cache.get(key, work);
  }
}

/** The names of those that are seen; nothing where all are, which are those of the dataset's version. */
function someOf(dataset: Dataset, columns: readonly Column[]): string[] | null {
  return columns.length === dataset.columns.length ? null : columns.map(({ name }) => name);
}

/** Nothing, for what is not there. */
export function undefinedIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** The query of the widget itself. */
function ownQuery(
  { c9ql = "" }: WidgetSpec,
  columns: readonly Column[],
  untold: (error: unknown) => never,
): RowQuery | undefined {
  if (c9ql.trim().replace(/;$/, "") === "") return undefined;
  try {
    return parse(c9ql, { columns });
  } catch (error) {
    return untold(error);
  }
}

/** Only those that the query asks for: others are refused. */
function parametersIn(query: RowQuery, { parameters }: FilterContext): FilterContext["parameters"] {
  const asked = new Set(parametersOf(query).map(({ name }) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => asked.has(name.toLowerCase())));
}

function findField(columns: readonly Column[], name: string): Column | undefined {
  return (
    columns.find((column) => column.name === name) ??
    columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
  );
}

/** What is said of filters of the dashboard that do not hold here. */
export function unfilteredNotes(
  { unfiltered, hidesSome, dataset }: Pick<Source, "unfiltered" | "hidesSome" | "dataset">,
  locale: string,
): string[] {
  const t = wordsIn(locale);
  if (hidesSome && unfiltered.length > 0) return [notAllFilters(locale)];
  return unfiltered.map((field) => t`Not filtered by ${field}: ${dataset.name} has no such field.`);
}

export function notAllFilters(locale: string): string {
  const t = wordsIn(locale);
  return t`Not all filters of the dashboard hold here.`;
}

/** A query may name what is hidden from whoever looks at its widget, so they are told no more than that it failed. */
function throwUntold(error: unknown, { name }: Dataset, hidesSome: boolean): never {
  if (!hidesSome || !isAppError(error) || error.code !== "bad_request") throw error;
  throw new AppError(
    "bad_request",
    `The query of this widget does not work with what you may see of ${name}.`,
    { hint: "{tool:get_data} with the same query says why.", cause: error },
  );
}

/**
 * A wrong name is told with the right ones, the most likely first. Where columns are hidden it is not told: whether it
 * is one of these must not show.
 */
function requireField(columns: readonly Column[], name: string, where: string, hidesSome: boolean): Column {
  const found = findField(columns, name);
  if (found !== undefined) return found;
  const all = columns.map((column) => column.name);
  // The order would tell what was looked for.
  const names = hidesSome ? all : nearestFirst(name, all);
  const listed = names.slice(0, 30).join(", ");
  const what = hidesSome
    ? `This widget needs a field that is not in ${where}, or not for you to see.`
    : `There is no field "${name}" in ${where}.`;
  throw new AppError("bad_request", what, {
    hint: `Its fields are ${listed}${names.length > 30 ? " and others" : ""}.`,
  });
}

export function isNumber({ type }: Column): boolean {
  return columnKind(type) === "number";
}

/** Whoever types into a filter of a dashboard has never heard of the query that is made of it. */
function assertFits({ field, value }: Filter, column: Column): void {
  const isOdd = (one: unknown) => typeof one === "string" && !Number.isFinite(Number(one));
  if (!isNumber(column) || ![value].flat().some(isOdd)) return;
  throw new AppError("bad_request", `The filter on ${field} takes a number.`);
}

/** Each dataset once for each that looks at it. */
function distinct(all: readonly Seen[]): Seen[] {
  const byCaller = Map.groupBy(all, ({ caller }) => caller);
  return [...byCaller].flatMap(([caller, theirs]) =>
    [...new Set(theirs.map(({ datasetId }) => datasetId))].map((datasetId) => ({ caller, datasetId })),
  );
}

/** What a viewer chose, by the name of the filter: nothing for one that is to filter nothing. */
export type Chosen = Readonly<Record<string, string | string[]>>;

export function nameOfFilter({ parameter, field }: DashboardFilter): string {
  return parameter ?? field ?? "";
}

/** The values of a dashboard's filters: those that were chosen, else those that they begin with. */
export function filterContextOf(
  dashboard: Pick<Dashboard, "filters" | "settings"> | null,
  chosen: Chosen = {},
): FilterContext {
  const filters: Filter[] = [];
  const parameters: Record<string, Filter["value"]> = {};
  for (const filter of dashboard?.filters ?? []) {
    const value = chosenValue(filter, chosen);
    if (value === undefined) continue;
    if (filter.parameter !== undefined) parameters[filter.parameter] = value;
    else if (filter.field !== undefined)
      filters.push({ field: filter.field, operator: filter.operator, value });
  }
  return { filters, parameters, timeZone: dashboard?.settings.time_zone ?? "UTC" };
}

export function chosenValue(filter: DashboardFilter, chosen: Chosen): Filter["value"] | undefined {
  const name = nameOfFilter(filter);
  const own = Object.hasOwn(chosen, name) ? chosen[name] : undefined;
  if (own === undefined) return filter.value;
  const values = [own]
    .flat()
    .map((value) => value.trim())
    .filter((value) => value !== "");
  if (values.length === 0) return undefined;
  if (filter.operator === "between") return values.length === 2 ? values : undefined;
  const several = values.slice(0, LIMITS.bi.filterValues);
  return filter.operator === "in" ? several : several[0];
}
