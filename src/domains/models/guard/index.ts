export { withColumnHelp } from "./column-help.ts";
export { type Guarded, type GuardOptions, guardSql, type Serialize } from "./guard.ts";
