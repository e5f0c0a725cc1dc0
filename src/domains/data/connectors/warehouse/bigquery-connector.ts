import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "../../../../kernel/errors.ts";
import { type Connector, type Deadline, metadataOptions, type Scalar } from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import type { RowSource } from "../http/rest-connector.ts";
import { parseBase } from "../http/web-request.ts";
import type { BigquerySettings } from "../settings.ts";
import { BIGQUERY } from "../sql/dialects.ts";
import type { ReadStatement } from "../sql/read-statement.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import {
  type ApiColumn,
  apiRows,
  BIGINT,
  BOOLEAN,
  DATE,
  DOUBLE,
  decimalOf,
  JSON_TREE,
  JSON_VALUE,
  TIME,
  TIMESTAMP,
  VARCHAR,
} from "./api-values.ts";
import { DatabaseApi, rowsWithin } from "./database-api.ts";

interface Field {
  name: string;
  type: string;
  mode?: string;
  fields?: Field[];
}

interface Cell {
  v: unknown;
}

interface QueryAnswer {
  jobComplete?: boolean;
  jobReference?: { jobId: string; location?: string };
  schema?: { fields: Field[] };
  rows?: { f: Cell[] }[];
  pageToken?: string;
  error?: { message?: string };
}

const PAGE_ROWS = 10_000;
/** How long one request waits for a query to end. */
const WAIT_MS = 10_000;

/** BigQuery by its REST API. The secret is the JSON of a service account, or an access token. */
export function createBigqueryConnector(
  { url, database, dataset, location, headers }: BigquerySettings,
  secrets: Secrets,
  { fetch }: Pick<ConnectorParts, "fetch">,
): Connector {
  const token = tokenSource(secrets.token ?? secrets.password ?? "", fetch);
  const api = new DatabaseApi({
    product: "BigQuery",
    base: parseBase(url),
    credentials: async (deadline) => ({ ...headers, authorization: `Bearer ${await token(deadline)}` }),
    errorOf: (json) => (json as QueryAnswer | undefined)?.error?.message,
    secrets,
    fetch,
  });
  const place: Record<string, string> = location === undefined ? {} : { location };

  async function read({ text, values }: ReadStatement, deadline: Deadline) {
    const body = {
      query: text,
      useLegacySql: false,
      maxResults: PAGE_ROWS,
      timeoutMs: Math.min(WAIT_MS, deadline.leftMs()),
      jobTimeoutMs: String(deadline.leftMs()),
      formatOptions: { useInt64Timestamp: true },
      parameterMode: "POSITIONAL",
      queryParameters: values.map(parameterOf),
      ...place,
      ...(dataset === undefined ? {} : { defaultDataset: { datasetId: dataset, projectId: database } }),
    };
    const first = (await api.json({ path: "/queries", body }, deadline)).json as QueryAnswer;
    const job = first.jobReference?.jobId ?? "";
    const from = first.jobReference?.location ?? location;
    const query = from === undefined ? {} : { location: from };
    const page = async (pageToken?: string): Promise<QueryAnswer> => {
      const options = {
        ...query,
        maxResults: String(PAGE_ROWS),
        "formatOptions.useInt64Timestamp": "true",
        timeoutMs: String(Math.min(WAIT_MS, deadline.leftMs())),
        ...(pageToken === undefined ? {} : { pageToken }),
      };
      const path = `/queries/${encodeURIComponent(job)}`;
      return (await api.json({ path, method: "GET", query: options }, deadline)).json as QueryAnswer;
    };
    let answer = first;
    try {
      while (answer.jobComplete === false) {
        await sleep(100, undefined, { signal: deadline.signal });
        answer = await page();
      }
    } catch (error) {
      await api.tryToTell({ path: `/jobs/${encodeURIComponent(job)}/cancel`, query });
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    }
    const fields = answer.schema?.fields ?? [];
    const shape = apiRows(fields.map((field) => ({ name: field.name, ...columnOf(field) })));
    async function* rows(): RowSource {
      for (;;) {
        for (const { f } of answer.rows ?? [])
          yield shape.rowOf(f.map(({ v }, index) => plain(v, fields[index])));
        if (answer.pageToken === undefined) return undefined;
        answer = await page(answer.pageToken);
      }
    }
    return { rows: rows(), columns: () => shape.columns };
  }

  const connector = sqlConnector({
    dialect: BIGQUERY,
    versionQuery: "SELECT 'BigQuery'",
    tablesQuery: dataset === undefined ? "" : tablesQuery(dataset),
    placeholder: () => "?",
    rowsOf: (statement, options) => rowsWithin(options, (deadline) => read(statement, deadline)),
  });
  if (dataset !== undefined) return connector;
  return {
    ...connector,
    /** Without a dataset there is no table to list in one statement: the datasets are asked one after the other. */
    async tables(signal) {
      const names = connector.run(
        "SELECT schema_name FROM INFORMATION_SCHEMA.SCHEMATA LIMIT 100",
        metadataOptions(signal),
      );
      const found = [];
      for await (const batch of names) {
        if ("csv" in batch) continue;
        for (const [name] of batch.rows) {
          const tables = connector.run(tablesQuery(String(name)), metadataOptions(signal));
          for await (const part of tables) if (!("csv" in part)) found.push(...part.rows);
        }
      }
      return found.map(([schema, name, kind]) => ({
        schema: String(schema),
        name: String(name),
        kind: /view/i.test(String(kind)) ? ("view" as const) : ("table" as const),
      }));
    },
  };
}

function tablesQuery(dataset: string): string {
  const quoted = `\`${dataset.replaceAll("`", "")}\``;
  return `SELECT table_schema, table_name, table_type FROM ${quoted}.INFORMATION_SCHEMA.TABLES ORDER BY 1, 2`;
}

function parameterOf(value: Scalar): object {
  const type =
    typeof value === "boolean"
      ? "BOOL"
      : typeof value !== "number"
        ? "STRING"
        : Number.isSafeInteger(value)
          ? "INT64"
          : "FLOAT64";
  return { parameterType: { type }, parameterValue: { value: value === null ? null : String(value) } };
}

const serviceAccount = z.object({
  client_email: z.string().max(500),
  private_key: z.string().max(20_000),
  token_uri: z.url().default("https://oauth2.googleapis.com/token"),
});

const TOKEN_SECONDS = 3_600;
/** A token is used no longer than this before its end. */
const TOKEN_SPARE_MS = 60_000;

/** An access token, asked for anew when it is about to end. */
function tokenSource(
  secret: string,
  fetch: ConnectorParts["fetch"],
): (deadline: Deadline) => Promise<string> {
  if (secret === "") {
    throw new AppError("bad_request", "The datasource has no secret.", {
      hint: "Give the JSON key of a service account, or an access token, as password.",
    });
  }
  if (!secret.trimStart().startsWith("{")) return async () => secret;
  const account = serviceAccount.safeParse(jsonOf(secret)).data;
  if (account === undefined)
    throw new AppError(
      "bad_request",
      "The secret is no key of a service account: it lacks client_email or private_key.",
    );
  let kept: { token: string; until: number } | undefined;
  return async (deadline) => {
    if (kept !== undefined && kept.until > Date.now()) return kept.token;
    const { SignJWT, importPKCS8 } = await import("jose");
    const issuedAt = Math.floor(Date.now() / 1_000);
    const assertion = await new SignJWT({ scope: "https://www.googleapis.com/auth/bigquery.readonly" })
      .setProtectedHeader({ alg: "RS256" })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + TOKEN_SECONDS)
      .sign(await importPKCS8(account.private_key, "RS256"));
    const form = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion,
    });
    const answer = await fetch.request(account.token_uri, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
      totalMs: deadline.leftMs(),
      maxRedirects: 0,
      signal: deadline.signal,
    });
    const { access_token: token, expires_in: seconds = TOKEN_SECONDS } = (jsonOf(
      answer.body.toString("utf8"),
    ) ?? {}) as {
      access_token?: string;
      expires_in?: number;
    };
    if (token === undefined) {
      throw new AppError(
        "bad_request",
        `The service account gets no access token: status ${answer.status}.`,
        {
          hint: "Check that the key is of an account that exists and was not revoked.",
        },
      );
    }
    kept = { token, until: Date.now() + seconds * 1_000 - TOKEN_SPARE_MS };
    return token;
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const COLUMNS: Readonly<Record<string, ApiColumn>> = {
  ...{ INTEGER: BIGINT, INT64: BIGINT, FLOAT: DOUBLE, FLOAT64: DOUBLE, BOOLEAN, BOOL: BOOLEAN, DATE, TIME },
  DATETIME: TIMESTAMP,
  NUMERIC: decimalOf(38, 9),
  BYTES: { type: "BLOB", read: String },
  JSON: JSON_VALUE,
  TIMESTAMP: { type: "TIMESTAMP WITH TIME ZONE", read: (micros) => instantOf(BigInt(String(micros))) },
};

/** Microseconds since 1970. */
function instantOf(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const at = new Date(Number((micros - rest) / 1_000n));
  return `${at.toISOString().slice(0, 19)}.${String(rest).padStart(6, "0")}Z`;
}

function columnOf({ type, mode }: Field): ApiColumn {
  if (mode === "REPEATED" || type === "RECORD" || type === "STRUCT") return JSON_TREE;
  return COLUMNS[type] ?? VARCHAR;
}

/** Lists come as `[{v}]` and records as `{f: [{v}]}`. */
function plain(value: unknown, field: Field | undefined): unknown {
  if (value === null || value === undefined || field === undefined) return value;
  if (field.mode === "REPEATED" && Array.isArray(value))
    return value.map((item: Cell) => plain(item.v, { ...field, mode: "NULLABLE" }));
  const { f } = value as { f?: Cell[] };
  if (!Array.isArray(f)) return value;
  return Object.fromEntries(
    f.map(({ v }, index) => [field.fields?.[index]?.name ?? String(index), plain(v, field.fields?.[index])]),
  );
}
