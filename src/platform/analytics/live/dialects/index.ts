import { CLICKHOUSE } from "./clickhouse.ts";
import type { Dialect } from "./dialect.ts";
import { MARIADB, MYSQL } from "./mysql.ts";
import { POSTGRESQL } from "./postgresql.ts";

export const DIALECTS = {
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mariadb: MARIADB,
  clickhouse: CLICKHOUSE,
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof DIALECTS;
