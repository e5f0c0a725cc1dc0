import { AppError } from "../../../kernel/errors.ts";
import type { GuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import { explainIssues } from "../../../registry/explain-issues.ts";
import type { Connector } from "./connector.ts";
import { type ConnectorLog, type ConnectorType, connectorType, type Secrets } from "./connector-types.ts";
import type { DescribeCsv } from "./http/csv-pieces.ts";
import type { Network } from "./network/guarded-socket.ts";

export interface OpenOptions {
  fetch: GuardedFetch;
  /** The way to databases. */
  network: Network;
  /** Where sandboxed processes have their private folders. */
  sandboxFolder: string;
  /** Folders below which SQLite and DuckDB files may lie; none unless the operator names some. */
  fileFolders?: readonly string[];
  /** Reads the beginning of a CSV file as an imported one is read. */
  describeCsv: DescribeCsv;
  log: ConnectorLog;
}

/** The connector of a datasource. Nothing is connected before it is used. */
export async function openConnector(
  type: string,
  settings: unknown,
  secrets: Secrets,
  { fileFolders = [], ...parts }: OpenOptions,
): Promise<Connector> {
  const found = connectorType(type);
  const checked = checkSettings(found, settings);
  const create = await found.load();
  return create(checked as never, secrets, { fileFolders, ...parts });
}

/** The settings with their defaults, as they are to be stored; the error names each field that is wrong, as the caller does. */
export function checkSettings(
  { type, settings: schema }: ConnectorType,
  settings: unknown,
  names: Readonly<Record<string, string>> = {},
): unknown {
  const { data, error } = schema.safeParse(settings, { reportInput: true });
  if (error === undefined) return data;
  const issues = error.issues.map((issue) => {
    const [first = "", ...rest] = issue.path;
    return { ...issue, path: issue.path.length === 0 ? [] : [names[String(first)] ?? first, ...rest] };
  });
  throw new AppError(
    "bad_request",
    `The settings of this ${type} datasource are wrong. ${explainIssues(issues, schema)}`,
  );
}
