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
export { storableType } from "./types/cast-sql.ts";
export { sqlType } from "./types/column-types.ts";
export { jsonInput } from "./types/json-input.ts";
export { lostDigitsSql, type RoundedColumn, roundedColumns } from "./types/row-json.ts";
export { inferColumns } from "./types/row-types.ts";
export { widenColumns } from "./types/widen.ts";
