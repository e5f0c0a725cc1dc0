import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../../../kernel/errors.ts";
import type { Connector, Deadline, Scalar } from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import type { RowSource } from "../http/rest-connector.ts";
import { parseBase } from "../http/web-request.ts";
import type { SnowflakeSettings } from "../settings.ts";
import { SNOWFLAKE } from "../sql/dialects.ts";
import type { ReadStatement } from "../sql/read-statement.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { type ApiColumn, apiRows, BOOLEAN, DOUBLE, decimalOf, JSON_VALUE, VARCHAR } from "./api-values.ts";
import { DatabaseApi, rowsWithin } from "./database-api.ts";

interface RowType {
  name: string;
  type: string;
  precision: number | null;
  scale: number | null;
}

interface SnowflakeAnswer {
  message?: string;
  statementHandle?: string;
  resultSetMetaData?: { rowType: RowType[]; partitionInfo?: unknown[] };
  data?: (string | null)[][];
}

const STATEMENTS = "/api/v2/statements";
const POLL_MS = { first: 200, most: 3_000 };

/** Snowflake by its SQL API. The secret is a programmatic access token, an OAuth token, or a private key in PEM. */
export function createSnowflakeConnector(
  { url, database, schema, warehouse, role, auth, headers }: SnowflakeSettings,
  secrets: Secrets,
  { fetch }: Pick<ConnectorParts, "fetch">,
): Connector {
  const base = parseBase(url);
  const secret = secrets.token ?? secrets.password ?? "";
  const user = auth.kind === "basic" ? auth.user : undefined;
  const api = new DatabaseApi({
    product: "Snowflake",
    base,
    credentials: async () => ({ ...headers, ...(await credentialsOf(secret, user, base)) }),
    errorOf: (json) => (json as SnowflakeAnswer | undefined)?.message,
    secrets,
    fetch,
  });
  const context = { database, schema, warehouse, role };

  async function read({ text, values }: ReadStatement, deadline: Deadline) {
    const body = {
      statement: text,
      timeout: Math.ceil(deadline.leftMs() / 1_000),
      ...Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined)),
      bindings: Object.fromEntries(values.map((value, index) => [String(index + 1), bindingOf(value)])),
      parameters: { timezone: "UTC" },
    };
    const first = await whenReady(await api.json({ path: STATEMENTS, body }, deadline), deadline);
    const handle = first.statementHandle;
    const { rowType = [], partitionInfo = [] } = first.resultSetMetaData ?? {};
    const shape = apiRows(rowType.map((column) => ({ name: column.name, ...columnOf(column) })));
    async function* rows(): RowSource {
      for (const row of first.data ?? []) yield shape.rowOf(row);
      for (let partition = 1; partition < partitionInfo.length; partition += 1) {
        const query = { partition: String(partition) };
        const { json } = await api.json({ path: `${STATEMENTS}/${handle}`, method: "GET", query }, deadline);
        for (const row of (json as SnowflakeAnswer).data ?? []) yield shape.rowOf(row);
      }
      return undefined;
    }
    return { rows: rows(), columns: () => shape.columns };
  }

  /** A statement that takes longer answers 202 until it is done. */
  async function whenReady(
    { status, json }: { status: number; json: unknown },
    deadline: Deadline,
  ): Promise<SnowflakeAnswer> {
    let answer = { status, json: json as SnowflakeAnswer };
    const handle = answer.json.statementHandle;
    if (status === 202 && (handle === undefined || !/^[\w-]{1,100}$/.test(handle)))
      throw new AppError("unavailable", "Snowflake did not say which statement it runs.");
    try {
      for (let waitMs = POLL_MS.first; answer.status === 202; waitMs = Math.min(waitMs * 2, POLL_MS.most)) {
        await sleep(waitMs, undefined, { signal: deadline.signal });
        const next = await api.json({ path: `${STATEMENTS}/${handle}`, method: "GET" }, deadline);
        answer = { status: next.status, json: next.json as SnowflakeAnswer };
      }
      return answer.json;
    } catch (error) {
      if (deadline.signal.aborted) {
        await api.tryToTell({ path: `${STATEMENTS}/${handle}/cancel` });
        throw deadline.signal.reason;
      }
      throw error;
    }
  }

  return sqlConnector({
    dialect: SNOWFLAKE,
    versionQuery: "SELECT CURRENT_VERSION()",
    tablesQuery: tablesQuery(schema),
    placeholder: () => "?",
    rowsOf: (statement, options) => rowsWithin(options, (deadline) => read(statement, deadline)),
  });
}

function tablesQuery(schema: string | undefined): string {
  const where =
    schema === undefined
      ? "table_schema <> 'INFORMATION_SCHEMA'"
      : `table_schema = '${schema.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
  return `SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE ${where} ORDER BY 1, 2`;
}

function bindingOf(value: Scalar): { type: string; value: string | null } {
  if (typeof value === "number")
    return { type: Number.isInteger(value) ? "FIXED" : "REAL", value: String(value) };
  if (typeof value === "boolean") return { type: "BOOLEAN", value: String(value) };
  return { type: "TEXT", value };
}

async function credentialsOf(
  secret: string,
  user: string | undefined,
  base: URL,
): Promise<Record<string, string>> {
  if (secret === "") {
    throw new AppError("bad_request", "The datasource has no secret.", {
      hint: "Give a programmatic access token, an OAuth token, or a private key in PEM as password.",
    });
  }
  const isKey = secret.includes("PRIVATE KEY");
  const kind = isKey
    ? "KEYPAIR_JWT"
    : /^[\w-]+\.[\w-]+\.[\w-]+$/.test(secret)
      ? "OAUTH"
      : "PROGRAMMATIC_ACCESS_TOKEN";
  const token = isKey ? await signedByKey(secret, user, base) : secret;
  return { authorization: `Bearer ${token}`, "x-snowflake-authorization-token-type": kind };
}

const KEY_TOKEN_SECONDS = 55 * 60;

/** As Snowflake wants it: issued by account, user and the fingerprint of the public key. */
async function signedByKey(pem: string, user: string | undefined, base: URL): Promise<string> {
  if (user === undefined)
    throw new AppError("bad_request", "A private key needs the user that it belongs to.", {
      hint: "Give user.",
    });
  const { SignJWT } = await import("jose");
  const key = keyOf(pem);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const account = base.hostname.replace(/\.snowflakecomputing\.(com|cn)$/i, "").replace(/\..*$/, "");
  const subject = `${account}.${user}`.toUpperCase();
  const issuedAt = Math.floor(Date.now() / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: "RS256" })
    .setIssuer(`${subject}.SHA256:${createHash("sha256").update(publicKey).digest("base64")}`)
    .setSubject(subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + KEY_TOKEN_SECONDS)
    .sign(key);
}

function keyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new AppError("bad_request", "The private key cannot be read.", {
      hint: "Give it unencrypted in PEM, as PKCS #8.",
    });
  }
}

const DAY_MS = 86_400_000;

/** All values are text: numbers as digits, dates as days and times as seconds since 1970. */
const COLUMNS: Readonly<Record<string, ApiColumn>> = {
  real: DOUBLE,
  boolean: BOOLEAN,
  date: {
    type: "DATE",
    read: (days) => new Date(Number(days) * DAY_MS).toISOString().slice(0, 10),
  },
  time: { type: "TIME", read: (seconds) => momentOf(String(seconds)).slice(11) },
  timestamp_ntz: { type: "TIMESTAMP", read: (seconds) => momentOf(String(seconds)) },
  timestamp_ltz: { type: "TIMESTAMP WITH TIME ZONE", read: (seconds) => `${momentOf(String(seconds))}Z` },
  // The offset behind the moment is the zone that it was written in.
  timestamp_tz: {
    type: "TIMESTAMP WITH TIME ZONE",
    read: (seconds) => `${momentOf(String(seconds).split(" ")[0]!)}Z`,
  },
  variant: JSON_VALUE,
  object: JSON_VALUE,
  array: JSON_VALUE,
  binary: { type: "BLOB", read: (hex) => Buffer.from(String(hex), "hex").toString("base64") },
};

function columnOf({ type, precision, scale }: RowType): ApiColumn {
  if (type.toLowerCase() === "fixed") return decimalOf(precision ?? 38, scale ?? 0);
  return COLUMNS[type.toLowerCase()] ?? VARCHAR;
}

/** Seconds with their fraction since 1970, also before it, as a moment without a zone. */
function momentOf(seconds: string): string {
  const [, whole = "0", fraction = ""] = /^(-?\d+)(?:\.(\d+))?$/.exec(seconds) ?? [];
  const digits = fraction.padEnd(9, "0").slice(0, 9);
  const isBefore = whole.startsWith("-") && Number(digits) > 0;
  const nanos = isBefore ? String(1_000_000_000 - Number(digits)).padStart(9, "0") : digits;
  const at = new Date((Number(whole) - (isBefore ? 1 : 0)) * 1_000);
  return `${at.toISOString().slice(0, 19)}.${nanos.slice(0, 6)}`;
}
