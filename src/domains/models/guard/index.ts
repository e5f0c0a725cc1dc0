export { withColumnHelp } from "./column-help.ts";
export { type Guarded, guardRead, guardSql, readSql, type Serialize } from "./guard.ts";
