import { AsyncLruCache } from "../../../kernel/async-lru-cache.ts";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import type {
  Column,
  JsonValue,
  QueryBatch,
  QueryRequest,
  QueryResult,
  SerializedSql,
} from "../analytics-options.ts";
import { HIDDEN_SCHEMA } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { DIALECTS } from "./dialects/index.ts";
import { foldConstants } from "./fold-constants.ts";
import { type CopyParts, LiveCopies } from "./live-copies.ts";
import type { LiveBatch, LiveLimits, LiveSource, LiveTable } from "./live-source.ts";
import { liveConverter } from "./live-values.ts";
import { key } from "./print-expression.ts";
import { type PrintedView, printSelect } from "./print-select.ts";
import { child, holds, type Node, text } from "./tree.ts";

/** What it needs of DuckDB, which still parses each statement and says what comes of it. */
export interface LiveEngineParts extends Pick<CopyParts, "rowsToPart" | "newKey" | "remove"> {
  query(request: QueryRequest): Promise<QueryResult>;
  queryStream(request: QueryRequest): AsyncIterable<QueryBatch>;
  serialize(sql: string, signal?: AbortSignal): Promise<SerializedSql>;
  isAggregate(name: string): boolean;
}

interface Translated {
  source: LiveSource;
  dialect: Dialect;
  sql: string;
  columns: Column[];
  isComputed: boolean;
  freshMs: number;
  isRestricted: boolean;
}

const KEPT_ANSWERS = 500;
const KEPT_BYTES = 64 * 1024 * 1024;

export function isLive({ tableViews }: Pick<QueryRequest, "tableViews">): boolean {
  return tableViews.some(({ live }) => live !== undefined);
}

/**
 * Statements over tables of the workspace's databases. DuckDB binds each of them to empty tables with the same columns:
 * that says what is wrong with it, and of which types the answer is. Then the tree of its parser is written in the
 * dialect of the database, with the views and their policies as subqueries, and runs there.
 */
export class LiveQueries {
  readonly #parts: LiveEngineParts;
  readonly #answers = new AsyncLruCache(KEPT_ANSWERS, KEPT_BYTES);

  readonly #copies: LiveCopies;

  constructor(parts: LiveEngineParts) {
    this.#parts = parts;
    this.#copies = new LiveCopies({ ...parts, stream: (request) => this.#copied(request) });
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    const isSample = request.sampleRows !== undefined;
    if (isSample || !isOfOneSource(request))
      return this.#parts.query(await this.#copies.localise(request, { isSample }));
    const translated = await this.#orCopied(request);
    if ("copied" in translated) return this.#parts.query(translated.copied);
    const run = () => this.#run(request, translated);
    const { freshMs, source, sql } = translated;
    if (freshMs === 0) return run();
    // Whoever has the same statement, policies included, sees the same rows.
    const span = Math.floor(Date.now() / freshMs);
    return this.#answers.get(JSON.stringify([source.key, span, sql, request.limits, request.explain]), run);
  }

  /** What the database has no words for is asked of a copy, where the rows are few enough for one. */
  async #orCopied(request: QueryRequest): Promise<Translated | { copied: QueryRequest }> {
    try {
      return await this.translate(request);
    } catch (error) {
      if (!isAppError(error) || error.code !== "unsupported" || request.explain === true) throw error;
      const copied = await this.#copies.localise(request, { isSample: false }).catch((failure: unknown) => {
        throw isAppError(failure) && failure.code === "too_large" ? error : failure;
      });
      return { copied };
    }
  }

  async #run(request: QueryRequest, translated: Translated): Promise<QueryResult> {
    const { resultRows, resultBytes, resultMaxBytes } = LIMITS.analytics;
    const { rows: most = resultRows, bytes = resultBytes } = request.limits ?? {};
    const rows: JsonValue[][] = [];
    let left = Math.min(bytes, resultMaxBytes);
    let columns: Column[] = [];
    let truncated: QueryResult["truncated"] = false;
    for await (const batch of this.#batches(request, translated, most + 1)) {
      columns = batch.columns;
      for (const row of batch.rows) {
        left -= JSON.stringify(row).length;
        if (rows.length >= most) truncated = "rows";
        else if (left < 0) truncated = "bytes";
        if (truncated !== false) return { columns, rows, truncated };
        rows.push(row);
      }
      if (batch.truncated !== undefined) truncated = "bytes";
    }
    return { columns, rows, truncated };
  }

  async *queryStream(request: QueryRequest): AsyncGenerator<QueryBatch, void, void> {
    const translated = isOfOneSource(request) ? await this.#orCopied(request) : undefined;
    if (translated !== undefined && "copied" in translated) yield* this.#parts.queryStream(translated.copied);
    else if (translated !== undefined) yield* this.#stream(request, translated);
    else yield* this.#parts.queryStream(await this.#copies.localise(request, { isSample: false }));
  }

  async *#stream(request: QueryRequest, translated: Translated): AsyncGenerator<QueryBatch, void, void> {
    for await (const { columns, rows } of this.#batches(request, translated, undefined))
      yield { columns, rows };
  }

  /** Of a copy no further copy is made. */
  async *#copied(request: QueryRequest): AsyncGenerator<QueryBatch, void, void> {
    yield* this.#stream(request, await this.translate(request));
  }

  async *#batches(
    { limits = {}, explain, signal }: QueryRequest,
    { source, dialect, sql, columns, isComputed, isRestricted }: Translated,
    maxRows: number | undefined,
  ): AsyncGenerator<QueryBatch & { truncated?: LiveBatch["truncated"] }, void, void> {
    const { queryMs, resultMaxBytes } = LIMITS.analytics;
    const bounds: LiveLimits = {
      maxRows: maxRows ?? Number.MAX_SAFE_INTEGER,
      maxBytes: maxRows === undefined ? Number.MAX_SAFE_INTEGER : resultMaxBytes,
      timeoutMs: limits.ms ?? queryMs,
      ...(signal !== undefined && { signal }),
    };
    if (explain === true) return yield* this.#plan(source, `${dialect.explain}${sql}`, bounds);
    const converters = columns.map(({ type }) => liveConverter(type, isComputed));
    let isFirst = true;
    try {
      for await (const { rows, truncated } of source.run(sql, bounds)) {
        if (rows.length === 0 && !isFirst && truncated === undefined) continue;
        isFirst = false;
        const shown = rows.map((row) =>
          columns.map((_, i) => (converters[i] as (value: unknown) => JsonValue)(row[i])),
        );
        yield { columns, rows: shown, ...(truncated !== undefined && truncated !== "rows" && { truncated }) };
      }
    } catch (error) {
      throw explained(error, { title: dialect.title, isRestricted });
    }
  }

  async *#plan(source: LiveSource, sql: string, limits: LiveLimits): AsyncGenerator<QueryBatch, void, void> {
    const lines: string[] = [];
    for await (const { rows } of source.run(sql, limits))
      for (const row of rows) lines.push(row.map(String).join(" "));
    const columns = ["explain_key", "explain_value"].map((name) => ({ name, type: "VARCHAR" }));
    yield { columns, rows: [[`plan of ${source.name}`, lines.join("\n")]] };
  }

  /** The statement in the dialect of the one database that all its rows are in. */
  async translate(request: QueryRequest): Promise<Translated> {
    const { tableViews, sql, params = [], signal } = request;
    const lives = tableViews.flatMap(({ live }) => live ?? []);
    const [{ source }] = lives as [LiveTable];
    const freshMs = Math.min(...lives.map((live) => live.freshMs));
    const dialect = source.dialect === undefined ? undefined : DIALECTS[source.dialect];
    if (dialect === undefined)
      throw new AppError("unsupported", `${source.name} is of a kind in which no statements can be run.`, {
        hint: "Let {tool:create_query} fill datasets from it.",
      });
    const texts = [...tableViews.map(({ select }) => select ?? ""), sql];
    const [{ columns }, ...parsed] = await Promise.all([
      this.#describe(request),
      ...texts.map((each) => (each === "" ? undefined : this.#parse(each, signal))),
    ]);
    const some = parsed.filter((tree) => tree !== undefined);
    const folded = await foldConstants(some, this.#folder(request));
    const trees = new Map(some.map((tree, i) => [tree, folded[i] as Node]));
    const treeOf = (i: number) => trees.get(parsed[i] as Node);
    const views = new Map<string, PrintedView>();
    const isAggregate = (name: string) => this.#parts.isAggregate(name);
    // Hidden ones first: the others are made of them.
    const order = tableViews
      .map((view, i) => ({ view, i }))
      .toSorted((a, b) => Number(b.view.isHidden ?? false) - Number(a.view.isHidden ?? false));
    for (const { view, i } of order) {
      const tree = treeOf(i);
      const raw = view.live && rawOf(view.live, view.columns, dialect);
      const known = raw === undefined ? views : new Map([...views, ["raw", raw]]);
      const printed =
        tree === undefined ? raw : printSelect(tree, { dialect, params: [], views: known, isAggregate });
      if (printed === undefined) continue;
      const name = view.isHidden === true ? `${HIDDEN_SCHEMA}.${view.name}` : view.name;
      views.set(key(name), {
        name,
        columns: printed.columns,
        sql: view.isRestricted ? behindBarrier(printed.sql, dialect) : printed.sql,
      });
    }
    const statement = treeOf(parsed.length - 1) as Node;
    const shown = new Map([...views].filter(([name]) => !name.startsWith(`${HIDDEN_SCHEMA}.`)));
    const printed = printSelect(statement, { dialect, params, views: shown, isAggregate });
    return {
      source,
      dialect,
      sql: printed.sql,
      columns,
      isComputed: isComputedIn(statement),
      freshMs,
      isRestricted: tableViews.some((view) => view.isRestricted === true),
    };
  }

  /** The columns of the answer, or what is wrong with the statement, by DuckDB over tables without rows. */
  #describe({ explain: _, ...request }: QueryRequest): Promise<QueryResult> {
    const tableViews = request.tableViews.map(({ live, ...view }) =>
      live === undefined ? view : { ...view, version: `${view.version} without rows` },
    );
    return this.#parts.query({ ...request, tableViews, limits: { ...request.limits, rows: 1 } });
  }

  async #parse(sql: string, signal: AbortSignal | undefined): Promise<Node> {
    const parsed = await this.#parts.serialize(sql, signal);
    if (parsed.ok && parsed.statements.length === 1) return parsed.statements[0] as Node;
    throw new AppError("bad_request", parsed.ok ? "Send one SELECT." : parsed.message);
  }

  #folder({ scope, signal }: QueryRequest) {
    return {
      serialize: (sql: string) => this.#parts.serialize(sql, signal),
      select: (sql: string, params: readonly string[] = []) =>
        this.#parts.query({
          scope,
          tableViews: [],
          sql,
          params,
          limits: { rows: 1, bytes: LIMITS.analytics.resultMaxBytes },
          signal,
        }),
      isAggregate: (name: string) => this.#parts.isAggregate(name),
    };
  }
}

/** Whether all rows that a statement needs are in one database. */
function isOfOneSource({ tableViews }: QueryRequest): boolean {
  const keys = tableViews.map(
    ({ live, columns }) => live?.source.key ?? (columns.length > 0 ? "" : undefined),
  );
  return new Set(keys.filter((key) => key !== undefined)).size === 1;
}

function rawOf({ from, types = {} }: LiveTable, columns: readonly Column[], dialect: Dialect): PrintedView {
  const items = columns.map(
    (column) =>
      `${dialect.column(column, types[column.name] ?? column.type)} AS ${dialect.quoteName(column.name)}`,
  );
  const names = "query" in from ? [] : [from.schema, from.table].filter((each) => each !== undefined);
  const table =
    "query" in from
      ? `(${from.query}\n) AS ${dialect.quoteName("source")}`
      : names.map(dialect.quoteName).join(".");
  return { name: "raw", sql: `SELECT ${items.join(", ")} FROM ${table}`, columns };
}

function behindBarrier(sql: string, { barrier, quoteName }: Dialect): string {
  return `SELECT * FROM (${sql}) AS ${quoteName("visible")}${barrier}`;
}

const COMPUTED = new Set(["FUNCTION", "OPERATOR", "CASE", "CAST", "WINDOW"]);

/** As `exact-sums.ts` tells it: whether the answer has anything but columns as they are. */
function isComputedIn(statement: Node): boolean {
  const isList = (node: Node) =>
    node.select_list !== undefined && holds(node.select_list, (each) => COMPUTED.has(text(each.class)));
  return holds(child(statement, "node"), isList);
}

/** What another database says may quote values of rows that a policy hides. */
function explained(
  error: unknown,
  { title, isRestricted }: { title: string; isRestricted: boolean },
): unknown {
  if (!isAppError(error) || error.code !== "bad_request") return error;
  const state = typeof error.data.sqlState === "string" ? ` (${error.data.sqlState})` : "";
  const said = isRestricted ? "" : ` ${error.message}`;
  return new AppError("bad_request", `${title} did not run the statement${state}.${said}`, {
    hint: "It was translated from DuckDB's SQL. Cast values to the types that are compared, or write it more simply.",
    data: error.data,
    cause: error,
  });
}
