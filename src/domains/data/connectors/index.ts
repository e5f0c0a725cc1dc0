export {
  ANY_TYPE,
  type Connector,
  type CsvFormat,
  type CsvPiece,
  type Parameters,
  type Reached,
  type RowBatch,
  type RunOptions,
  type SourceColumn,
  type SourceTable,
  type Truncation,
} from "./connector.ts";
export {
  CONNECTOR_TYPES,
  type ConnectorType,
  checkSettings,
  connectorType,
  describeMainTypes,
  describeTypes,
  liveDialect,
  type OpenOptions,
  openConnector,
  type PlainFields,
  type Secrets,
  sqlQuote,
} from "./connector-types.ts";
export { createNetwork } from "./guarded-socket.ts";
export type { SniffCsv } from "./http/csv-connector.ts";
