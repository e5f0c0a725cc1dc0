export { AGGREGATES, isAggregate } from "./aggregates.ts";
export { openAnalytics } from "./analytics.ts";
export type {
  Analytics,
  AnalyticsOptions,
  Column,
  ConvertOptions,
  ConvertResult,
  Detected,
  FileFormat,
  JsonValue,
  Part,
  QueryBatch,
  QueryParam,
  QueryRequest,
  QueryResult,
  RejectedRow,
  Rows,
  SerializedSql,
  TableView,
} from "./analytics-options.ts";
export { HIDDEN_SCHEMA } from "./analytics-options.ts";
export type { DialectName } from "./live/dialects/index.ts";
export type { LiveBatch, LiveSource, LiveTable } from "./live/live-source.ts";
export { storableType } from "./types/cast-sql.ts";
export { sqlType } from "./types/column-types.ts";
export { jsonInput } from "./types/json-input.ts";
export { lostDigitsSql, type RoundedColumn, roundedColumns } from "./types/row-json.ts";
export { inferColumns } from "./types/row-types.ts";
export { widenColumns } from "./types/widen.ts";
