export { type Guarded, type GuardOptions, guardSql, type Serialize } from "./guard.ts";
