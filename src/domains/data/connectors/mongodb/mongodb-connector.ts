import type { LookupFunction } from "node:net";
import { type AbstractCursor, type Db, type Document, MongoClient, type MongoClientOptions } from "mongodb";
import { AppError, isAppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Connector,
  metadataOptions,
  type RowBatch,
  type RunOptions,
  type SourceColumn,
  startDeadline,
} from "../connector.ts";
import { shownMessage } from "../database-errors.ts";
import { type Network, networkError } from "../guarded-socket.ts";
import { inBatches, type RowSource } from "../http/rest-connector.ts";
import { InferredColumns } from "../http/rest-paging.ts";
import type { MongodbSettings } from "../settings.ts";
import { type MongoQuery, mongoQuery } from "./mongo-query.ts";

interface MongoTarget extends MongodbSettings {
  password: string | undefined;
  network: Network;
}

/** Rows that columns are found from. */
const SAMPLE_ROWS = 100;

/** MongoDB and what speaks its protocol. Each call has a connection of its own. */
export function createMongodbConnector(target: MongoTarget): Connector {
  const { database } = target;

  async function* reading(
    options: RunOptions,
    open: (db: Db, signal: AbortSignal, maxTimeMS: number) => Promise<RowSource>,
    columns: () => readonly SourceColumn[],
  ): AsyncGenerator<RowBatch> {
    const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
    let client: MongoClient | undefined;
    try {
      client = await connected(target, deadline.signal);
      const source = await open(client.db(database), deadline.signal, deadline.leftMs());
      yield* inBatches(source, columns, options);
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : explained(error, target);
    } finally {
      await client?.close().catch(() => undefined);
      deadline.clear();
    }
  }

  const rowsOf = (query: MongoQuery, options: RunOptions): AsyncGenerator<RowBatch> => {
    const growing = new InferredColumns();
    const open = async (db: Db, signal: AbortSignal, maxTimeMS: number) =>
      documents(
        await cursorOf(db, query, { signal, maxTimeMS, batchSize: LIMITS.datasources.batchRows }),
        growing,
      );
    return reading(options, open, () => growing.columns);
  };

  const metadata = async (read: (db: Db) => Promise<unknown[][]>, signal: AbortSignal | undefined) => {
    const rows: unknown[][] = [];
    const open = async (db: Db) => listed(await read(db));
    for await (const batch of reading(metadataOptions(signal), open, () => [])) rows.push(...batch.rows);
    return rows;
  };

  return {
    async test(signal) {
      const [[version] = []] = await metadata(
        async (db) => [[(await db.command({ buildInfo: 1 })).version]],
        signal,
      );
      return { ok: true, serverVersion: String(version).slice(0, 200) };
    },
    async tables(signal) {
      const list = async (db: Db) => {
        const found = await db.listCollections({}, { nameOnly: false }).toArray();
        return found.filter(({ name }) => !name.startsWith("system.")).map(({ name, type }) => [name, type]);
      };
      const found = await metadata(list, signal);
      return found
        .slice(0, LIMITS.datasources.tables)
        .map(([name, type]) => ({
          name: String(name),
          kind: type === "view" ? ("view" as const) : ("table" as const),
        }))
        .sort((a, b) => a.name.localeCompare(b.name));
    },
    async columns({ name }, signal) {
      const query: MongoQuery = {
        collection: name,
        kind: "find",
        filter: {},
        options: { limit: SAMPLE_ROWS },
      };
      let columns: readonly SourceColumn[] = [];
      for await (const batch of rowsOf(query, metadataOptions(signal))) columns = batch.columns;
      return [...columns];
    },
    run: (query, options) => rowsOf(mongoQuery(query, options.parameters), options),
  };
}

async function connected(target: MongoTarget, signal: AbortSignal): Promise<MongoClient> {
  const { host, port, user, password, srv, authSource, tls, ca, network } = target;
  const seed = srv ? await network.service(`_mongodb._tcp.${host}`, signal) : { host, port };
  const options: MongoClientOptions & { lookup: LookupFunction } = {
    // A member that the server named would be reached by another address than the one that was checked.
    directConnection: true,
    readPreference: "secondaryPreferred",
    lookup: network.lookup(seed),
    ...(user === undefined ? {} : { auth: { username: user, password: password ?? "" } }),
    ...(user === undefined ? {} : { authSource: authSource ?? "admin" }),
    ...(srv || tls === "require" || tls === "verify-full" ? { tls: true } : {}),
    ...(tls === "require" && !srv ? { tlsAllowInvalidCertificates: true } : {}),
    ...(ca === undefined ? {} : { ca }),
    appName: "kenning",
    maxPoolSize: 2,
    connectTimeoutMS: LIMITS.datasources.connectMs,
    serverSelectionTimeoutMS: LIMITS.datasources.connectMs,
    retryReads: false,
  };
  const name = seed.host.includes(":") ? `[${seed.host}]` : seed.host;
  const client = new MongoClient(`mongodb://${name}:${seed.port}`, options);
  const onAbort = (): void => void client.close().catch(() => undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  client.once("close", () => signal.removeEventListener("abort", onAbort));
  await client.connect();
  return client;
}

interface ReadOptions {
  signal: AbortSignal;
  maxTimeMS: number;
  batchSize: number;
}

async function cursorOf(
  db: Db,
  query: MongoQuery,
  options: ReadOptions,
): Promise<AsyncIterable<unknown> | unknown[]> {
  // Whole numbers of 64 bits and decimals keep their digits.
  const collection = db.collection(query.collection, { promoteLongs: false, promoteValues: true });
  switch (query.kind) {
    case "find":
      return collection.find(query.filter, { ...query.options, ...options });
    case "aggregate":
      return collection.aggregate(query.pipeline, { ...options, allowDiskUse: true });
    case "count":
      return [{ count: await collection.countDocuments(query.filter, options) }];
    case "distinct":
      return (await collection.distinct(query.field, query.filter, options)).map((value) => ({
        [query.field]: value,
      }));
  }
}

async function* documents(source: AsyncIterable<unknown> | unknown[], growing: InferredColumns): RowSource {
  try {
    for await (const document of source) yield growing.rowOf(plain(document));
    return undefined;
  } finally {
    if (!Array.isArray(source)) await (source as AbstractCursor<Document>).close().catch(() => undefined);
  }
}

async function* listed(rows: readonly unknown[][]): RowSource {
  yield* rows;
  return undefined;
}

/** Values of BSON as JSON: identifiers, long numbers and decimals as text, moments in ISO, binary as base64. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null)
    return typeof value === "bigint" ? String(value) : (value ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  const { _bsontype: type } = value as { _bsontype?: string };
  if (type === undefined)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
  if (type === "Long") return longOf(String(value));
  if (type === "Binary") return (value as { toString(encoding: string): string }).toString("base64");
  if (type === "Int32" || type === "Double") return Number(value);
  return String(value);
}

function longOf(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

function explained(error: unknown, { host, port, password }: MongoTarget): unknown {
  if (isAppError(error)) return error;
  const {
    code,
    message = "",
    cause,
    reason,
  } = error as { code?: number; message?: string; cause?: unknown; reason?: unknown };
  const server = `${host}:${port}`;
  if (
    code === 18 ||
    code === 13 ||
    /authentication failed|not authorized|requires authentication/i.test(message)
  ) {
    return new AppError("bad_request", "MongoDB does not accept the credentials.", {
      hint: "Check user, password and authSource of the datasource, and what that user may read.",
    });
  }
  const inner = innermost(cause) ?? innermost(reasonOf(reason));
  const known = networkError(inner ?? error, server);
  if (known !== undefined) return known;
  if (code === 50)
    return new AppError("timeout", "MongoDB needed more than the time limit.", { hint: "Ask for less." });
  if (/Server selection timed out|ECONN|closed/i.test(message)) {
    return new AppError("unavailable", `${server} did not answer in time.`, {
      hint: "Check host, port, TLS and firewall.",
    });
  }
  return new AppError("bad_request", `MongoDB: ${shownMessage(message, [password])}.`);
}

/** Why no server could be chosen stands in the description of the one that there is. */
function reasonOf(reason: unknown): unknown {
  const { servers } = (reason ?? {}) as { servers?: Map<string, { error?: unknown }> };
  return servers === undefined ? undefined : [...servers.values()][0]?.error;
}

function innermost(error: unknown): unknown {
  let found = error;
  for (let depth = 0; depth < 5; depth += 1) {
    const { cause } = (found ?? {}) as { cause?: unknown };
    if (isAppError(found) || cause === undefined) return found ?? undefined;
    found = cause;
  }
  return found;
}
