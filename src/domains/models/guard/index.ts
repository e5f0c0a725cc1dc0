export { withColumnHelp } from "./column-help.ts";
export { type Guarded, type GuardOptions, guardRead, guardSql, readSql, type Serialize } from "./guard.ts";
