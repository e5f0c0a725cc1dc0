import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import { parametersOf, parse } from "./c9ql/index.ts";
import type { Parameters } from "./connectors/index.ts";
import { assertName, assertOwnDataset } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import type { Datasource } from "./datasources.store.ts";
import type { Datasources } from "./datasources.ts";
import { LIMITS } from "./limits.ts";
import { assertMayDestroy } from "./policies.ts";
import { nameTaken, noQuery, type QueriesStore, type Query } from "./queries.store.ts";
import { type QueryView, viewFor } from "./query-view.ts";

export interface QueryWish {
  name: string;
  datasourceId: number;
  queryText: string;
  c9ql?: string | undefined;
  parameters?: Parameters | undefined;
  /** Changes the query of that name if there is one. */
  replace: boolean;
}

export interface QueriesParts {
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

  /** What this caller may know of a query, by the policies of the dataset that it fills. */
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
      return this.#parts.store.change(existing, text);
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
  /** What C9QL asks for. */
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
