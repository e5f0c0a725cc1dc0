import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import pg from "pg";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Connector, type Deadline, type Scalar, startDeadline, untilAborted } from "../connector.ts";
import {
  onlyReads,
  otherFailure,
  refusedQuery,
  shownMessage,
  stoppedQuery,
  unknownDatabase,
  unknownTable,
} from "../database-errors.ts";
import {
  connectionLost,
  DriverStream,
  type Network,
  networkError,
  protocolError,
  type ServerAddress,
  serverName,
  type TlsMode,
  type TlsSettings,
  tlsOptions,
} from "../guarded-socket.ts";
import { type RowLimits, RowQueue, textRows } from "../row-queue.ts";
import { POSTGRESQL } from "../sql/dialects.ts";
import type { ReadStatement } from "../sql/read-statement.ts";
import { rowsBySession, sqlConnector } from "../sql/sql-connector.ts";
import { columnReader } from "./pg-values.ts";

/** PostgreSQL and what speaks its protocol. Each call has a connection of its own. */
export function createPostgresqlConnector(target: PgTarget): Connector {
  return sqlConnector({
    dialect: POSTGRESQL,
    versionQuery: "SELECT version()",
    tablesQuery: tablesQuery(target.dialect.onlyTables),
    placeholder: (number) => `$${number}`,
    rowsOf: rowsBySession(
      (deadline) => PgSession.open(target, deadline),
      (error) => pgError(error, target),
    ),
  });
}

/** From pg_class because the information schema knows no materialised views; only what the user may read. */
function tablesQuery(onlyTables: string): string {
  return `SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${onlyTables}
      AND n.nspname NOT IN ('information_schema', 'crdb_internal') AND n.nspname !~ '^pg_'
      AND has_table_privilege(c.oid, 'SELECT')
    ORDER BY 1, 2`;
}

interface PgTarget extends PgLogin {
  tls: TlsMode;
  ca?: string | undefined;
  dialect: PgDialect;
  network: Network;
}

type TextRow = readonly (string | null)[];

/** Values stay as the server writes them: what they become is our own business (pg-values.ts). */
const RAW_TYPES = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** A message of its own protocol version, which asks to cancel: length, number, process, key. */
const CANCEL_CODE = 80_877_102;

/** One connection for one query, in one read-only transaction that is never committed. */
class PgSession {
  readonly #target: PgTarget;
  readonly #stream: DriverStream;
  readonly #client: pg.Client;
  /** Where it is really connected to: a request to cancel must not go elsewhere. */
  readonly #peer: ServerAddress;
  /** Resolves when the query that runs has ended on the server; undefined when none runs. */
  #running: Promise<void> | undefined;
  #onFailure: (error: unknown) => void = () => undefined;

  private constructor(target: PgTarget, socket: Socket, peer: ServerAddress) {
    const { host, port, user, database, password = "" } = target;
    this.#target = target;
    this.#peer = peer;
    this.#stream = new DriverStream(socket);
    this.#client = new pg.Client({
      host,
      port,
      user,
      database,
      // As a function: an empty password would be looked for in the environment and in a file.
      password: () => password,
      ssl: false,
      stream: () => this.#stream,
      application_name: "kenning",
      types: RAW_TYPES,
    });
    this.#client.on("error", (error) => this.#onFailure(error));
  }

  static async open(target: PgTarget, deadline: Deadline): Promise<PgSession> {
    const connecting = startDeadline(
      Math.min(LIMITS.datasources.connectMs, deadline.leftMs()),
      deadline.signal,
    );
    let socket: Socket | undefined;
    try {
      socket = await target.network.connect(target, connecting.signal);
      const peer = { host: socket.remoteAddress ?? target.host, port: target.port };
      const secured = await securePg(socket, target, connecting.signal);
      const session = new PgSession(target, secured, peer);
      await untilAborted(session.#client.connect(), connecting.signal);
      await session.#begin(deadline);
      return session;
    } catch (error) {
      socket?.destroy();
      throw deadline.signal.aborted ? deadline.signal.reason : pgError(error, target);
    } finally {
      connecting.clear();
    }
  }

  /** Goes to the server as one statement: the extended protocol takes no two. */
  stream({ text, values }: ReadStatement, limits: RowLimits, deadline: Deadline): RowQueue<TextRow> {
    const valve = { pause: () => void this.#stream.pause(), resume: () => void this.#stream.resume() };
    const queue = new RowQueue<TextRow>(valve, limits);
    const config = { text, values: values.map(asParameter), rowMode: "array", queryMode: "extended" };
    const query = new pg.Query<TextRow[]>(config);
    let isDescribed = false;
    const describe = (fields: pg.FieldDef[]): void => {
      isDescribed = true;
      queue.describe(textRows(fields.map((field) => ({ name: field.name, ...columnReader(field) }))));
    };
    const running = Promise.withResolvers<void>();
    const settle = (finish: () => void): void => {
      this.#running = undefined;
      running.resolve();
      deadline.signal.removeEventListener("abort", onAbort);
      finish();
    };
    const onAbort = (): void => queue.fail(deadline.signal.reason);
    const fail = (error: unknown): void => queue.fail(pgError(error, this.#target));

    query.on("row", (row, result) => {
      const texts = row as unknown as TextRow;
      this.#stream.mark();
      if (!isDescribed) attempt(() => describe(result?.fields ?? []), queue);
      queue.push(texts, sizeOf(texts));
    });
    query.on("end", (result) => {
      if (!isDescribed) attempt(() => describe(result.fields), queue);
      settle(() => queue.end());
    });
    query.on("error", (error) => settle(() => fail(error)));
    this.#onFailure = fail;
    this.#running = running.promise;
    this.#stream.mark();
    deadline.signal.addEventListener("abort", onAbort, { once: true });
    if (deadline.signal.aborted) onAbort();
    this.#client.query(query);
    return queue;
  }

  /** Ends what may still run on the server, then the connection. Never throws. */
  async close(): Promise<void> {
    this.#onFailure = () => undefined;
    if (this.#running !== undefined) await this.#cancel(this.#running);
    else if (!this.#stream.destroyed) await this.#leave();
    this.#stream.destroy();
  }

  /** All in the transaction, so that nothing of it stays where connections are pooled and go to others later. */
  async #begin(deadline: Deadline): Promise<void> {
    const settings = Object.entries(this.#target.dialect.settings).map(([name, value]) => {
      const text = value === ":timeout" ? String(deadline.leftMs()) : value;
      return `SET LOCAL ${name} = '${text}'`;
    });
    // After its first query a transaction cannot be made one that writes.
    const statements = ["BEGIN READ ONLY", ...settings, "SELECT 1"];
    await untilAborted(this.#client.query(statements.join("; ")), deadline.signal);
    this.#stream.mark();
  }

  async #leave(): Promise<void> {
    const goodbye = startDeadline(LIMITS.datasources.goodbyeMs, undefined);
    const leave = async (): Promise<void> => {
      await this.#client.query("ROLLBACK");
      await this.#client.end();
    };
    await untilAborted(leave(), goodbye.signal).catch(() => undefined);
    goodbye.clear();
  }

  async #cancel(running: Promise<void>): Promise<void> {
    const { processID, secretKey } = this.#client as unknown as { processID?: number; secretKey?: number };
    if (processID == null || secretKey == null) return;
    const deadline = startDeadline(LIMITS.datasources.cancelMs, undefined);
    // Drains what the server had sent before, or it would not get to stop.
    this.#stream.resume();
    const isOver = running.then(() => true);
    try {
      // A server that has not begun with the statement yet takes no notice, and begins: it has to be told again.
      for (let isEnded = false; !isEnded; isEnded = await soon(isOver, deadline.signal)) {
        await this.#sendCancel(cancelMessage(processID, secretKey), deadline);
      }
    } catch {
      // The connection is dropped all the same, and the time limit on the server holds.
    } finally {
      deadline.clear();
    }
  }

  async #sendCancel(message: Buffer, { signal }: Deadline): Promise<void> {
    const { network, host, port, tls, ca } = this.#target;
    // By the name it was allowed under if the operator named it, otherwise to the very same machine.
    const socket = await network
      .connect(this.#peer, signal)
      .catch(() => network.connect({ host, port }, signal));
    try {
      const secured = await securePg(socket, { host, tls, ca }, signal);
      secured.resume().end(message);
      // The server closes it when it has passed the wish on.
      await untilAborted(
        once(secured, "close").catch(() => undefined),
        signal,
      );
    } finally {
      socket.destroy();
    }
  }
}

const TELL_AGAIN_MS = 200;

async function soon(isOver: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return Promise.race([isOver, sleep(TELL_AGAIN_MS, false, { signal })]);
}

function attempt(work: () => void, queue: RowQueue<TextRow>): void {
  try {
    work();
  } catch (error) {
    queue.fail(error);
  }
}

function asParameter(value: Scalar): string | null {
  return value === null ? null : String(value);
}

function sizeOf(row: TextRow): number {
  let size = 0;
  for (const text of row) size += text === null ? 1 : text.length;
  return size;
}

function cancelMessage(processId: number, key: number): Buffer {
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(CANCEL_CODE, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(key, 12);
  return message;
}

/** Servers that speak PostgreSQL's protocol, and in what they differ. */
interface PgDialect {
  /** Of the transaction; `:timeout` is the time limit in milliseconds. */
  settings: Readonly<Record<string, string>>;
  /** A condition that leaves out what nobody looks for among the tables, over pg_class c. */
  onlyTables: string;
}

const ALWAYS = {
  client_encoding: "UTF8",
  statement_timeout: ":timeout",
  datestyle: "ISO, YMD",
  timezone: "UTC",
  // All digits of a floating-point number, on servers before PostgreSQL 12, too.
  extra_float_digits: "3",
};

const USUAL: PgDialect = {
  settings: {
    ...ALWAYS,
    default_transaction_read_only: "on",
    idle_in_transaction_session_timeout: ":timeout",
    intervalstyle: "postgres",
    bytea_output: "hex",
    // The scanner relies on it.
    standard_conforming_strings: "on",
  },
  onlyTables: "NOT c.relispartition",
};

export const PG_DIALECTS = {
  postgresql: USUAL,
  citus: USUAL,
  cockroachdb: { ...USUAL, onlyTables: "true" },
  /** Forked from PostgreSQL 8: it knows few settings, and extra_float_digits only up to 2. */
  redshift: { settings: { ...ALWAYS, extra_float_digits: "2" }, onlyTables: "true" },
} as const satisfies Record<string, PgDialect>;

/** The length of the message and the number that asks for TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Asks the server for TLS before anything else is said, as far as the setting wants it. The client library could
 * do this, too, but it knows no "prefer".
 */
async function securePg(socket: Socket, settings: TlsSettings, signal: AbortSignal): Promise<Socket> {
  if (settings.tls === "disable") return socket;
  socket.write(SSL_REQUEST);
  const answer = await untilAborted(firstByte(socket), signal);
  if (answer === "S") return startTls(socket, settings, signal);
  if (answer === "N" && settings.tls === "prefer") return socket;
  throw new AppError(
    "unavailable",
    answer === "N" ? "The server knows no TLS." : "The server does not speak PostgreSQL's protocol.",
    { hint: answer === "N" ? 'Set tls to "prefer" if that is acceptable.' : "Check host, port and type." },
  );
}

/** Exactly one byte: what came behind it unencrypted could have been put there by anybody. */
async function firstByte(socket: Socket): Promise<string> {
  const failed = new Promise<never>((_, reject) => {
    const onClose = (): void => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    socket.once("error", reject).once("close", onClose);
  });
  failed.catch(() => undefined);
  const [chunk] = (await Promise.race([once(socket, "data"), failed])) as [Buffer];
  socket.pause();
  return chunk.length === 1 ? chunk.toString("latin1") : "";
}

async function startTls(socket: Socket, settings: TlsSettings, signal: AbortSignal): Promise<Socket> {
  const secured = connectTls({ ...tlsOptions(settings), socket });
  secured.on("error", () => undefined);
  try {
    await untilAborted(once(secured, "secureConnect"), signal);
  } catch (error) {
    secured.destroy();
    throw error;
  }
  return secured;
}

interface PgLogin extends ServerAddress {
  user: string;
  database: string;
  password?: string | undefined;
}

interface ServerError {
  code: string;
  message: string;
  position?: string;
}

/** Whatever the client can throw, as an expected failure; nothing of the client itself gets into it. */
function pgError(error: unknown, login: PgLogin): AppError {
  const server = serverName(login);
  const fromNetwork = networkError(error, server);
  if (fromNetwork !== undefined) return fromNetwork;
  if (isServerError(error)) return serverError(error, login);
  const message = error instanceof Error ? error.message : "";
  if (/^(Connection terminated|timeout expired)/.test(message)) return connectionLost(server);
  if (/^SASL: .*password must be/.test(message)) return refusedLogin(login);
  // The client's own words for what it cannot make sense of; SASL also covers a server that is not who it claims to be.
  return protocolError(server);
}

function refusedLogin(login: PgLogin): AppError {
  return new AppError(
    "bad_request",
    `${serverName(login)} refused the user ${login.user} or ${login.password ? "the password" : "wants a password"}.`,
    { hint: "Check user and password of the datasource, and whether the server lets this machine in." },
  );
}

function isServerError(error: unknown): error is ServerError {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && typeof severity === "string";
}

function serverError({ code, message, position }: ServerError, login: PgLogin): AppError {
  const server = serverName(login);
  const shown = shownMessage(message, [login.password]);
  const data = { sqlState: code };
  if (code.startsWith("28")) return refusedLogin(login);
  if (code === "3D000") return unknownDatabase(server, login.database, data);
  if (code === "25006") return onlyReads(shown, data);
  if (code === "42P01" || code === "3F000") return unknownTable(shown, data);
  if (code === "57014") return stoppedQuery(shown);
  if (!/^(42|22|21|0A|2F|38|39|P0|44|23|24|25|26|34|54|08P01)/.test(code))
    return otherFailure(server, shown, data);
  return refusedQuery(position === undefined ? shown : `${shown} (at character ${position})`, data);
}
