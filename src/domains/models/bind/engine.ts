import { quoteName } from "../../../kernel/sql-text.ts";
import { type Analytics, type Column, sqlType } from "../../../platform/analytics/index.ts";
import type { Serialize } from "../guard/index.ts";
import { LIMITS } from "../limits.ts";

/** What binding asks of the engine: how a text parses, and which columns a SELECT would have. */
export interface Engine {
  serialize: Serialize;
  /** The columns of a SELECT over sources that have these columns and no rows. */
  describe(select: string, sources: ReadonlyMap<string, readonly Column[]>): Promise<Column[]>;
}

/** Not to be cancelled: what one caller waits for is kept for others. It takes milliseconds. */
export function bindingEngine(analytics: Analytics, scope: string): Engine {
  return {
    serialize: (sql) => analytics.serializeSql(sql),
    async describe(select, sources) {
      // The sources stand in the statement itself, so that one engine serves for all. Nothing is computed.
      const tables = [...sources].map(([name, columns]) => `${quoteName(name)} AS (${withoutRows(columns)})`);
      const before = tables.length === 0 ? "" : `WITH ${tables.join(", ")} `;
      const sql = `${before}SELECT * FROM (${select}\n) LIMIT 0`;
      const limits = { rows: 1, ms: LIMITS.models.bindMs };
      return (await analytics.query({ scope, tableViews: [], sql, limits })).columns;
    },
  };
}

function withoutRows(columns: readonly Column[]): string {
  const items = columns.map(({ name, type }) => `CAST(NULL AS ${sqlType(type)}) AS ${quoteName(name)}`);
  return `SELECT ${items.join(", ")} WHERE false`;
}
