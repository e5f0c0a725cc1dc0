import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Caller } from "../../registry/caller.ts";
import { parse } from "./c9ql/index.ts";
import type { Parameters } from "./connectors/index.ts";
import { assertName } from "./data.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import type { Datasources } from "./datasources.ts";
import { nameTaken, type QueriesStore, type Query } from "./queries.store.ts";
import { assertOwnDataset } from "./runs/query-runs.ts";

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
    if (query !== undefined) return query;
    throw new AppError("not_found", `There is no query with id ${id}.`, {
      hint: "list_queries shows what there is.",
    });
  }

  async create(caller: Caller, wish: QueryWish): Promise<{ query: Query; isNew: boolean }> {
    const { workspace, user } = caller;
    const { name, datasourceId, queryText, c9ql = "", parameters = {} } = wish;
    assertName(name);
    parse(c9ql);
    checkParameters(parameters);
    await this.#checkText(caller, wish, parameters);
    const text = { datasourceId, queryText, parameters, c9ql: c9ql.trim() === "" ? null : c9ql };
    const existing = await this.#parts.store.findByName(workspace.id, name);
    if (existing !== undefined && !wish.replace) throw nameTaken(name);
    const dataset = await this.#parts.datasets.findByName(workspace.id, name);
    if (dataset !== undefined) assertOwnDataset(existing ?? { id: 0, name }, dataset);
    if (existing !== undefined)
      return { query: await this.#parts.store.change(existing, text), isNew: false };
    const owner = { workspaceId: workspace.id, userId: user.id };
    return { query: await this.#parts.store.create(owner, name, text), isNew: true };
  }

  /** A connector says at once what is wrong at first sight; only whoever asks for rows connects. */
  async #checkText(
    caller: Caller,
    { datasourceId, queryText }: QueryWish,
    parameters: Parameters,
  ): Promise<void> {
    const { datasources } = this.#parts;
    const datasource = await datasources.require(caller, datasourceId);
    await datasources.connect(datasource, async (connector) => {
      connector.run(queryText, { parameters, maxRows: 1, maxBytes: 1, timeoutMs: 1 });
    });
  }
}

function checkParameters(parameters: Parameters): void {
  if (Object.keys(parameters).length <= LIMITS.queries.parameters) return;
  throw new AppError("too_large", `A query has at most ${LIMITS.queries.parameters} parameters.`);
}
