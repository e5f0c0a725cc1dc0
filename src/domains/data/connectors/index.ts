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
  type Truncation,
} from "./connector.ts";
export {
  CONNECTOR_TYPES,
  type ConnectorType,
  connectorType,
  describeTypes,
  type PlainFields,
  type Secrets,
} from "./connector-types.ts";
export type { DescribeCsv } from "./http/csv-pieces.ts";
export { createNetwork } from "./network/guarded-socket.ts";
export { checkSettings, type OpenOptions, openConnector } from "./open-connector.ts";
