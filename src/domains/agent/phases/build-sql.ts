import { LIMITS } from "../../../platform/analytics/limits.ts";
import type { Route } from "./navigate.ts";

/** A statement that is ready to be run. */
export interface Statement {
  route: Route;
  sql: string;
}

/** The SQL Builder: one statement for each way, bounded, and each text only once. */
export function buildSql(routes: readonly Route[]): Statement[] {
  const statements = new Map<string, Statement>();
  for (const route of routes) {
    const { sql } = route.compiled;
    if (sql.length > LIMITS.analytics.sqlCharacters || statements.has(sql)) continue;
    statements.set(sql, { route, sql });
  }
  return [...statements.values()];
}
