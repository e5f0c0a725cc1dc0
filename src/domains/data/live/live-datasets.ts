import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import { MS } from "../../../kernel/time.ts";
import type { LiveBatch, LiveSource, LiveTable } from "../../../platform/analytics/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import {
  type Connector,
  liveDialect,
  type RowBatch,
  type SourceColumn,
  type SourceTable,
} from "../connectors/index.ts";
import { assertName, type Dataset, type LiveDetail } from "../dataset.ts";
import type { DatasetsStore } from "../datasets.store.ts";
import type { Datasource, DatasourcesStore } from "../datasources.store.ts";
import { assertMayQuery, type Datasources } from "../datasources.ts";
import { LIMITS } from "../limits.ts";
import { assertMayDestroy } from "../policies.ts";
import { storedType } from "../runs/spool.ts";

interface LiveParts {
  datasources: Datasources;
  store: DatasourcesStore;
  datasets: DatasetsStore;
}

/** What a live dataset shows: a table by its names, or one SELECT of the database's own. */
export type LiveFrom = { schema?: string | undefined; table: string } | { query: string };

/**
 * Datasets whose rows stay in the database that a datasource leads to: each statement over them runs there. They are
 * datasets in all other ways, so that policies, models, widgets and alerts need not know of it.
 */
export class LiveDatasets {
  readonly #parts: LiveParts;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** Where the rows of a live dataset are, for the engine. */
  async tableOf({ workspaceId, name, source }: Dataset): Promise<LiveTable> {
    const {
      datasource_id,
      schema,
      table,
      query,
      fresh_seconds = 0,
      types,
    } = source.detail as unknown as LiveDetail;
    const datasource = await this.#parts.store.find(workspaceId, datasource_id);
    if (datasource === undefined)
      throw new AppError("unavailable", `${name} is live, and its datasource is not there any more.`, {
        hint: "{tool:restore_asset} brings a deleted datasource back.",
      });
    const from = query === undefined ? { schema, table: table ?? "" } : { query };
    return {
      source: this.#sourceOf(datasource),
      from,
      freshMs: fresh_seconds * MS.second,
      ...(types && { types }),
    };
  }

  #sourceOf(datasource: Datasource): LiveSource {
    const { id, name, type, settings } = datasource;
    return {
      key: createHash("sha256")
        .update(JSON.stringify([id, settings]))
        .digest("base64url"),
      name,
      dialect: liveDialect(type),
      run: (sql, limits) => this.#run(datasource, sql, limits),
    };
  }

  async *#run(
    datasource: Datasource,
    sql: string,
    limits: Parameters<LiveSource["run"]>[1],
  ): AsyncGenerator<LiveBatch> {
    const batches = await this.#parts.datasources.connectLive(datasource, async (connector) =>
      connector.run(sql, { ...limits, isTranslated: true }),
    );
    for await (const batch of batches) if ("rows" in batch) yield batch as RowBatch;
  }

  /** Makes datasets of tables, or brings their columns up to date where they are there already. */
  async register(
    caller: Caller,
    datasource: Datasource,
    wanted: readonly { name: string; from: LiveFrom; freshSeconds?: number | undefined }[],
    signal: AbortSignal,
  ): Promise<Dataset[]> {
    assertMayQuery(caller, datasource);
    if (liveDialect(datasource.type) === undefined)
      throw new AppError("unsupported", `Statements cannot be run live in a ${datasource.type} datasource.`, {
        hint: "Let {tool:create_query} fill datasets from it.",
      });
    return this.#parts.datasources.connect(caller, datasource, async (connector) => {
      const made: Dataset[] = [];
      for (const each of wanted) made.push(await this.#register(caller, datasource, each, connector, signal));
      return made;
    });
  }

  async #register(
    caller: Caller,
    datasource: Datasource,
    { name, from: given, freshSeconds }: { name: string; from: LiveFrom; freshSeconds?: number | undefined },
    connector: Connector,
    signal: AbortSignal,
  ): Promise<Dataset> {
    assertName(name);
    const from = "query" in given ? { query: given.query.replace(/;\s*$/, "") } : given;
    const found =
      "query" in from
        ? await columnsOfQuery(connector, from.query, signal)
        : await connector.columns(
            { name: from.table, ...(from.schema !== undefined && { schema: from.schema }) },
            signal,
          );
    if (found.length === 0) throw new AppError("bad_request", `${name} has no columns.`);
    const types = Object.fromEntries(
      found.flatMap(({ name: column, type }) => (storedType(type) === type ? [] : [[column, type]])),
    );
    const detail: LiveDetail = {
      datasource_id: datasource.id,
      datasource: datasource.name,
      ...("query" in from
        ? { query: from.query }
        : { ...(from.schema !== undefined && { schema: from.schema }), table: from.table }),
      ...(freshSeconds !== undefined && { fresh_seconds: freshSeconds }),
      ...(Object.keys(types).length > 0 && { types }),
    };
    const columns = found.map((column) => ({ name: column.name, type: storedType(column.type) }));
    const existing = await this.#parts.datasets.findByName(caller.workspace.id, name);
    // What has not changed asks for no right to change it.
    if (
      existing !== undefined &&
      isSamePlace(existing, detail) &&
      isDeepStrictEqual(
        [existing.columns, existing.source.detail],
        [columns, JSON.parse(JSON.stringify(detail))],
      )
    )
      return existing;
    return this.#parts.datasets.commit({
      workspaceId: caller.workspace.id,
      name,
      mode: "replace",
      columns,
      parts: [],
      source: { kind: "live", detail: { ...detail } },
      userId: caller.user.id,
      widen: (before) => [...before],
      mayChange: (existing) => {
        if (!isSamePlace(existing, detail)) throw taken(existing);
        assertMayDestroy(caller, existing, "replace its rows");
      },
    });
  }

  /** The tables that a model is to be made of, with the names that they have as datasets. */
  async tablesOf(
    caller: Caller,
    datasource: Datasource,
    names: readonly string[] | undefined,
    { most, signal }: { most: number; signal: AbortSignal },
  ): Promise<{ name: string; from: LiveFrom }[]> {
    const all = await this.#parts.datasources.connect(caller, datasource, (connector) =>
      connector.tables(signal),
    );
    const chosen = names === undefined ? all : names.map((name) => tableCalled(all, name, datasource));
    if (chosen.length === 0)
      throw new AppError("not_found", `${datasource.name} has no tables that its login may read.`);
    if (chosen.length > most)
      throw new AppError(
        "too_large",
        `${datasource.name} has ${chosen.length} tables; a model is made of at most ${most}.`,
        {
          hint: "Name those that belong together; {tool:browse_datasource} lists them.",
        },
      );
    const known = await this.#parts.datasets.findByNames(
      caller.workspace.id,
      chosen.map(({ name }) => name),
    );
    const byName = new Map(known.map((dataset) => [dataset.name.toLowerCase(), dataset]));
    const seen = new Set<string>();
    return chosen.map((table) => {
      const from = { schema: table.schema, table: table.name };
      const existing = byName.get(table.name.toLowerCase());
      const isFree =
        existing === undefined ||
        isSamePlace(existing, { datasource_id: datasource.id, datasource: "", ...from });
      const plain = isFree && !seen.has(table.name.toLowerCase());
      const name = plain
        ? table.name
        : `${datasource.name} ${table.schema === undefined ? "" : `${table.schema}.`}${table.name}`;
      seen.add(table.name.toLowerCase());
      return { name, from };
    });
  }
}

/** The text has to be a whole statement by itself: then nothing of it reaches out of the brackets that it stands in. */
async function columnsOfQuery(
  connector: Connector,
  query: string,
  signal: AbortSignal,
): Promise<SourceColumn[]> {
  const limits = {
    maxRows: 1,
    maxBytes: LIMITS.datasources.rowBytes,
    timeoutMs: LIMITS.datasources.metadataMs,
    signal,
  };
  const columnsOf = async (sql: string): Promise<SourceColumn[]> => {
    for await (const batch of connector.run(sql, limits)) if ("columns" in batch) return [...batch.columns];
    return [];
  };
  await columnsOf(query);
  return columnsOf(`SELECT * FROM (${query}\n) AS source LIMIT 1`);
}

function tableCalled(all: readonly SourceTable[], name: string, datasource: Datasource): SourceTable {
  const isCalled = (wanted: string) => (table: SourceTable) =>
    [table.name, `${table.schema}.${table.name}`].some((each) => each.toLowerCase() === wanted.toLowerCase());
  const found = all.filter(isCalled(name));
  if (found.length === 1) return found[0] as SourceTable;
  const what = found.length === 0 ? "has no table" : "has several tables";
  throw new AppError("not_found", `${datasource.name} ${what} ${JSON.stringify(clip(name))}.`, {
    hint: found.length === 0 ? "{tool:browse_datasource} lists them." : "Write it with its schema.",
  });
}

function isSamePlace({ source }: Pick<Dataset, "source">, detail: LiveDetail): boolean {
  if (source.kind !== "live") return false;
  const other = source.detail as unknown as LiveDetail;
  if (other.datasource_id !== detail.datasource_id) return false;
  return (
    detail.query !== undefined ||
    (other.table === detail.table && (other.schema ?? "") === (detail.schema ?? ""))
  );
}

function taken({ name }: Dataset): AppError {
  return new AppError("conflict", `There is already a dataset called ${name}, with other rows.`, {
    hint: "Give the live one another name, or delete that dataset.",
  });
}
