import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import { parametersOf, parse } from "./c9ql/index.ts";
import type { Parameters } from "./connectors/index.ts";
import { RUN_STATES } from "./data.tables.ts";
import { assertName, assertOwnDataset, type Dataset } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import type { Datasource } from "./datasources.store.ts";
import type { Datasources } from "./datasources.ts";
import { LIMITS } from "./limits.ts";
import { assertMayDestroy, restrictionFor } from "./policies.ts";
import { nameTaken, noQuery, type QueriesStore, type Query } from "./queries.store.ts";
import { isActive, type QueryRun } from "./runs/query-runs.store.ts";

interface QueryWish {
  name: string;
  datasourceId: number;
  queryText: string;
  c9ql?: string | undefined;
  parameters?: Parameters | undefined;
  /** Changes the query of that name if there is one. */
  replace: boolean;
}

interface QueriesParts {
  store: QueriesStore;
  datasources: Datasources;
  datasets: DatasetsStore;
}

/** Queries: what can be said against one without asking its datasource is said before it is stored. */
export class Queries {
  readonly #parts: QueriesParts;

  constructor(parts: QueriesParts) {
    this.#parts = parts;
  }

  async require({ workspace }: Caller, id: number): Promise<Query> {
    const query = await this.#parts.store.find(workspace.id, id);
    if (query === undefined) throw noQuery(id);
    return query;
  }

  /** Redacted view of a query for this caller, by the policies of the dataset that it fills. */
  async view(caller: Caller, query: Query): Promise<QueryView> {
    return (await this.views(caller, [query])).get(query.id) ?? viewFor(caller, undefined);
  }

  async views(caller: Caller, queries: readonly Query[]): Promise<Map<number, QueryView>> {
    const datasets = await this.#parts.store.datasetsOf(queries);
    return new Map(
      queries.map(({ id, datasetId }) => [id, viewFor(caller, datasets.get(datasetId ?? Number.NaN))]),
    );
  }

  async create(caller: Caller, wish: QueryWish): Promise<Query> {
    const { workspace, user } = caller;
    const { name, datasourceId, parameters = {} } = wish;
    assertName(name);
    checkSizes(parameters);
    const datasource = await this.#parts.datasources.require(caller, datasourceId);
    const { queryText, c9ql } = placed(wish, datasource);
    const asked = parametersOf(parse(c9ql)).map((parameter) => parameter.name);
    await this.#checkText(caller, datasource, queryText, parameters);
    checkUse(Object.keys(parameters), { queryText, asked, type: datasource.type });
    const text = { datasourceId, queryText, parameters, c9ql: c9ql.trim() === "" ? null : c9ql };
    const existing = await this.#parts.store.findByName(workspace.id, name);
    if (existing !== undefined && !wish.replace) throw nameTaken(name);
    if (existing !== undefined) {
      await this.#parts.store.checkDataset(existing);
      // Another text is other rows at the next run.
      const filled = await this.#parts.datasets.findByName(workspace.id, name);
      if (filled !== undefined) assertMayDestroy(caller, filled, "replace its rows");
      // It runs by itself with the rights of whoever wrote it last, not with those of whoever set when.
      const refresh = existing.refresh && { ...existing.refresh, ownerId: user.id };
      return this.#parts.store.change(existing, { ...text, refresh });
    }
    const dataset = await this.#parts.datasets.findByName(workspace.id, name);
    if (dataset !== undefined) assertOwnDataset({ id: 0, name }, dataset);
    const owner = { workspaceId: workspace.id, userId: user.id };
    return this.#parts.store.create(owner, name, text);
  }

  /** A connector says at once what is wrong at first sight; only whoever asks for rows connects. */
  async #checkText(
    caller: Caller,
    datasource: Datasource,
    queryText: string,
    parameters: Parameters,
  ): Promise<void> {
    await this.#parts.datasources.connect(caller, datasource, async (connector) => {
      connector.run(queryText, { parameters, maxRows: 1, maxBytes: 1, timeoutMs: 1 });
    });
  }
}

/** What the web gives has no language of its own: a statement over its rows is C9QL, wherever it stands. */
function placed(
  { queryText, c9ql = "" }: QueryWish,
  { type }: Datasource,
): { queryText: string; c9ql: string } {
  const isStatement = (type === "restapi" || type === "csv") && /^\s*select[\s*(]/i.test(queryText);
  if (!isStatement) return { queryText, c9ql };
  return {
    queryText: "",
    c9ql: c9ql.trim() === "" ? queryText : `${queryText.replace(/;\s*$/, "")};\n${c9ql}`,
  };
}

function checkSizes(parameters: Parameters): void {
  const { parameters: most, parameterBytes } = LIMITS.queries;
  const { parameterValues } = LIMITS.datasources;
  if (Object.keys(parameters).length > most)
    throw new AppError("too_large", `A query has at most ${most} parameters.`);
  if (Object.values(parameters).flat().length > parameterValues)
    throw new AppError("too_large", `The parameters have more than ${parameterValues} values.`);
  if (Buffer.byteLength(JSON.stringify(parameters)) > parameterBytes)
    throw new AppError("too_large", `The parameters have more than ${parameterBytes / 1024} kB.`);
}

interface Uses {
  queryText: string;
  /** Parameters that the C9QL asks for. */
  asked: readonly string[];
  type: string;
}

/** A value that stands for nothing is most likely a slip in its name. */
function checkUse(names: readonly string[], { queryText, asked, type }: Uses): void {
  const isWeb = type === "restapi";
  const pattern = isWeb ? /\{([A-Za-z_]\w*)\}/g : /(?<![:\w]):([A-Za-z_]\w*)/g;
  const used = new Set([...queryText.matchAll(pattern)].map(([, name]) => name));
  const inC9ql = new Set(asked.map((name) => name.toLowerCase()));
  const unused = names.filter((name) => !used.has(name) && !inC9ql.has(name.toLowerCase()));
  if (unused.length === 0) return;
  const [first = ""] = unused;
  throw new AppError("bad_request", `The query does not use ${unused.slice(0, 10).join(", ")}.`, {
    hint: `Write ${isWeb ? `{${first}}` : `:${first}`} where the value belongs, or leave the parameter out.`,
  });
}

/** Redacted view of a query: what policies hide in its dataset, its runs and its text do not tell. */
interface QueryView {
  /** How many rows there are, and were. */
  rows: boolean;
  /** The text with its parameters, and errors: they name columns, and may hold secrets of the datasource. */
  texts: boolean;
}

function viewFor(caller: Caller, dataset: Dataset | undefined): QueryView {
  const rows = dataset === undefined || isWhole(caller, dataset);
  return { rows, texts: rows && caller.permissions.includes("bi:write") };
}

/** True if no policy restricts this caller on the dataset, also on columns that other runs gave it. */
export function isWhole(caller: Caller, dataset: Pick<Dataset, "columns" | "policies">): boolean {
  const hidden = dataset.policies.flatMap(({ hide }) => hide ?? []);
  const all = [...dataset.columns, ...hidden.map((name) => ({ name, type: "VARCHAR" }))];
  const { columns, condition } = restrictionFor(caller, { ...dataset, columns: all });
  return condition === null && columns.length === all.length;
}

const HIDDEN_ERROR = "The reason is told only to those who may change queries and see all of the dataset.";

/** A run without what this view leaves out. */
export function visibleRun(run: QueryRun, { rows, texts }: QueryView): QueryRun {
  return {
    ...run,
    rowCount: rows ? run.rowCount : null,
    truncated: rows ? run.truncated : null,
    rejectedRows: rows ? run.rejectedRows : null,
    error: texts || run.error === null ? run.error : HIDDEN_ERROR,
  };
}

/** Outcome of a run, as far as this view tells. It names tools as `{tool:…}`. */
export function visibleSentence(run: QueryRun, dataset: string, view: QueryView): string {
  if (view.rows || isActive(run) || run.status !== "succeeded")
    return sentenceOf(visibleRun(run, view), dataset);
  return `The dataset ${dataset} has new rows.`;
}

/** A run, as tools show it. */
export const runShape = z.object({
  run_id: z.int(),
  query_id: z.int(),
  status: z.enum(RUN_STATES),
  attempt: z.int(),
  rows: z.int().nullable(),
  truncated: z.string().nullable(),
  rejected_rows: z.int().nullable(),
  duration_ms: z.int().nullable(),
  error: z.string().nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});

export function runOf(run: QueryRun): z.output<typeof runShape> {
  const { startedAt, finishedAt } = run;
  return {
    run_id: run.id,
    query_id: run.queryId,
    status: run.status,
    attempt: run.attempt,
    rows: run.rowCount,
    truncated: run.truncated,
    rejected_rows: run.rejectedRows,
    duration_ms: startedAt && finishedAt ? finishedAt.getTime() - startedAt.getTime() : null,
    error: run.error,
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

/** Outcome of a run and the next step, in a sentence or two that name tools as `{tool:…}`. */
function sentenceOf(run: QueryRun, dataset: string): string {
  if (isActive(run)) {
    const last = run.error === null ? "" : ` The last try failed: ${run.error}`;
    return `The run is ${run.status}.${last} Ask for it with {tool:get_query_run}, or see {tool:get_details} of the query.`;
  }
  switch (run.status) {
    case "succeeded": {
      const cut = run.truncated === null ? "" : ` The limit on ${run.truncated} cut the result off.`;
      return `The dataset ${dataset} has ${run.rowCount} rows.${cut}${rejectedSentence(run)}`;
    }
    case "cancelled":
      return "The run was cancelled. The dataset stays as it was.";
    default:
      return `The run failed: ${run.error} The dataset, if there is one, stays as it was.`;
  }
}

/** With a space before it; empty when no rows were left out. */
function rejectedSentence({ rejectedRows }: Pick<QueryRun, "rejectedRows">): string {
  if (rejectedRows === null || rejectedRows === 0) return "";
  const rows = rejectedRows === 1 ? "1 row" : `${rejectedRows} rows`;
  return ` ${rows} could not be read and ${rejectedRows === 1 ? "is" : "are"} left out.`;
}
