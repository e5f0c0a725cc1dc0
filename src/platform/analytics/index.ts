export { openAnalytics } from "./analytics.ts";
export type {
  Analytics,
  AnalyticsOptions,
  AnalyticsWalls,
  Column,
  ConvertOptions,
  ConvertRequest,
  ConvertResult,
  Detected,
  EngineLimits,
  FileFormat,
  JsonValue,
  MergeRequest,
  Part,
  QueryBatch,
  QueryLimits,
  QueryParam,
  QueryRequest,
  QueryResult,
  RejectedRow,
  Rows,
  RowsRequest,
  SerializedSql,
  TableView,
} from "./analytics-options.ts";
export { HIDDEN_SCHEMA } from "./analytics-options.ts";
export { lostDigitsSql, type RoundedColumn, roundedColumns } from "./types/digits.ts";
export { jsonInput } from "./types/json-input.ts";
export { inferColumns } from "./types/row-types.ts";
export { storableType } from "./types/storable.ts";
export { widenColumns } from "./types/widen.ts";
