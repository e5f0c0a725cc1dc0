import { AppError } from "../../../kernel/errors.ts";
import type { GuardedFetch, Resolve } from "../../../platform/guarded-fetch/index.ts";
import { explainIssues } from "../../../registry/explain-issues.ts";
import type { Connector } from "./connector.ts";
import { type ConnectorLog, type ConnectorType, connectorType, type Secrets } from "./connector-types.ts";
import { createNetwork } from "./network/guarded-socket.ts";

export interface OpenOptions {
  fetch: GuardedFetch;
  /** Addresses, blocks and `host:port` that databases may have although they are not public. */
  allow: readonly string[];
  /** Where sandboxed processes have their private folders. */
  sandboxFolder: string;
  /** Folders below which SQLite and DuckDB files may lie; none unless the operator names some. */
  fileFolders?: readonly string[];
  /** Looks up a host name; tests put their own here. */
  resolve?: Resolve;
  log: ConnectorLog;
}

/** The connector of a datasource. Nothing is connected before it is used. */
export async function openConnector(
  type: string,
  settings: unknown,
  secrets: Secrets,
  { fetch, allow, sandboxFolder, fileFolders = [], resolve, log }: OpenOptions,
): Promise<Connector> {
  const found = connectorType(type);
  const checked = checkSettings(found, settings);
  const network = createNetwork({ allow, ...(resolve === undefined ? {} : { resolve }) });
  const create = await found.load();
  return create(checked as never, secrets, { fetch, network, sandboxFolder, fileFolders, log });
}

/** The settings with their defaults, as they are to be stored; the error names each field that is wrong. */
export function checkSettings({ type, settings: schema }: ConnectorType, settings: unknown): unknown {
  const { data, error } = schema.safeParse(settings);
  if (error === undefined) return data;
  throw new AppError(
    "bad_request",
    `The settings of this ${type} datasource are wrong. ${explainIssues(error.issues, schema)}`,
  );
}
