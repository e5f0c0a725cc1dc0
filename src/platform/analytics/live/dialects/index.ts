import type { Dialect } from "./dialect.ts";
import { POSTGRESQL } from "./postgresql.ts";

export const DIALECTS = { postgresql: POSTGRESQL } as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof DIALECTS;
