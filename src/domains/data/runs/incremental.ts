import { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { Analytics, QueryRequest, TableView } from "../../../platform/analytics/index.ts";
import { type Parameters, sqlQuote } from "../connectors/index.ts";
import type { Datasource } from "../datasources.store.ts";
import type { Query } from "../queries.store.ts";
import type { Incremental } from "./query-refresh.ts";

/** The parameter that stands for the highest value that there is. */
const SINCE = "since";
const MENTIONED = /(?<![:\w]):since\b|\{since\}|":since"/;

/** Refuses where new rows could not be told from others. */
export function assertIncremental(
  { c9ql, queryText }: Pick<Query, "c9ql" | "queryText">,
  { type }: Pick<Datasource, "type">,
): void {
  if (c9ql !== null)
    throw new AppError("bad_request", "A query with C9QL cannot be refreshed by its new rows alone.", {
      hint: "Leave C9QL out here, and use it where the dataset is read.",
    });
  if (sqlQuote(type) !== undefined || MENTIONED.test(queryText)) return;
  throw new AppError("bad_request", `A ${type} query has to say itself where new rows begin.`, {
    hint: 'Write {since} in the path of a restapi, or ":since" in a search.',
  });
}

/** The query for rows from `since` on: by its own parameter, or as a condition around it. */
export function queryFrom(
  { queryText, parameters }: Pick<Query, "queryText" | "parameters">,
  { column, key }: Incremental,
  { since, type }: { since: string; type: string },
): { queryText: string; parameters: Parameters } {
  const given = { ...parameters, [SINCE]: since };
  if (MENTIONED.test(queryText)) return { queryText, parameters: given };
  const sign = sqlQuote(type) ?? '"';
  const name = `${sign}${column.replaceAll(sign, sign + sign)}${sign}`;
  // With a key rows of the same moment may come again; without one they would be there twice.
  const text = `SELECT * FROM (${queryText.replace(/;\s*$/, "")}\n) AS new_rows WHERE ${name} ${key === undefined ? ">" : ">="} :${SINCE}`;
  return { queryText: text, parameters: given };
}

/** The highest value of a column, as text that databases read; undefined where there is none. */
export async function highestOf(
  analytics: Pick<Analytics, "query">,
  request: Pick<QueryRequest, "scope" | "signal">,
  rows: TableView,
  column: string,
): Promise<string | undefined> {
  const known = rows.columns.find(({ name }) => name.toLowerCase() === column.toLowerCase());
  if (known === undefined)
    throw new AppError("bad_request", `The dataset has no column ${column}, by which new rows are known.`);
  const sql = `SELECT CAST(max(${quoteName(known.name)}) AS VARCHAR) FROM "rows"`;
  const { rows: found } = await analytics.query({ ...request, tableViews: [rows], sql, limits: { rows: 1 } });
  const value = found[0]?.[0];
  return typeof value === "string" ? value : undefined;
}

/** Rows of the same key are taken from the new ones. */
export function mergedSql(key: readonly string[]): string {
  const same = key.map((name) => `added.${quoteName(name)} IS NOT DISTINCT FROM kept.${quoteName(name)}`);
  return `SELECT * FROM kept WHERE NOT EXISTS (SELECT 1 FROM added WHERE ${same.join(" AND ")}) UNION ALL BY NAME SELECT * FROM added`;
}
