export {
  ANY_TYPE,
  type Connector,
  type Parameters,
  type RowBatch,
  type RunOptions,
  type Scalar,
  type SourceColumn,
  type SourceTable,
  type TableName,
  type Truncation,
  UNTYPED,
} from "./connector.ts";
export {
  CONNECTOR_TYPES,
  type ConnectorType,
  connectorType,
  describeTypes,
  type PlainFields,
  type SecretField,
  type Secrets,
} from "./connector-types.ts";
export { checkSettings, type OpenOptions, openConnector } from "./open-connector.ts";
