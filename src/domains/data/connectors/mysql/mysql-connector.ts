import type { Socket } from "node:net";
import mysql from "mysql2";
import { AppError, isAppError } from "../../../../kernel/errors.ts";
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
  type Network,
  networkError,
  ProtocolError,
  protocolError,
  rowError,
  type ServerAddress,
  serverName,
  type TlsMode,
} from "../guarded-socket.ts";
import { type RowLimits, RowQueue, textRows } from "../row-queue.ts";
import { MYSQL } from "../sql/dialects.ts";
import type { ReadStatement } from "../sql/read-statement.ts";
import { rowsBySession, sqlConnector } from "../sql/sql-connector.ts";
import { columnReader, type MysqlField } from "./mysql-values.ts";

/** MySQL and MariaDB. Each call has a connection of its own. */
export function createMysqlConnector(target: MysqlTarget): Connector {
  return sqlConnector({
    dialect: MYSQL,
    versionQuery: "SELECT VERSION()",
    tablesQuery: tablesQuery(target.database !== undefined),
    placeholder: literal,
    rowsOf: rowsBySession(
      (deadline) => MysqlSession.open(target, deadline),
      (error) => mysqlError(error, target),
    ),
  });
}

function tablesQuery(hasDatabase: boolean): string {
  const where = hasDatabase
    ? "table_schema = DATABASE()"
    : "table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";
  return `SELECT table_schema, table_name, table_type FROM information_schema.tables
    WHERE ${where} ORDER BY 1, 2`;
}

/**
 * The value itself, in a form in which no character can end it: the protocol that binds values sends rows in
 * another form, for which all types would have to be read a second way.
 */
function literal(_number: number, value: Scalar): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return value === "" ? "''" : `_utf8mb4 X'${Buffer.from(value, "utf8").toString("hex")}'`;
}

export interface MysqlTarget extends MysqlLogin {
  tls: TlsMode;
  ca?: string | undefined;
  network: Network;
}

/** Members of the client that its published types lack. */
type Client = mysql.Connection & {
  packetParser: { execute(chunk: Buffer): void };
  stream: Socket;
};

type BytesRow = readonly (Buffer | null)[];
type TextRow = readonly (string | null)[];

/** One connection for one query, in one read-only transaction that is never committed. */
class MysqlSession {
  readonly #target: MysqlTarget;
  readonly #client: Client;
  /** Where it is really connected to: a request to cancel must not go elsewhere. */
  readonly #peer: ServerAddress;
  #unmarkedBytes = 0;
  /** Resolves when the query that runs has ended on the server; undefined when none runs. */
  #running: Promise<void> | undefined;
  #onFailure: (error: unknown) => void = () => undefined;

  private constructor(target: MysqlTarget, socket: Socket, withTls: boolean) {
    this.#target = target;
    this.#peer = { host: socket.remoteAddress ?? target.host, port: target.port };
    this.#client = createClient(target, socket, withTls);
    this.#client.on("error", (error) => this.#onFailure(error));
    this.#guard();
  }

  static async open(target: MysqlTarget, deadline: Deadline): Promise<MysqlSession> {
    const session = await MysqlSession.#connect(target, deadline);
    try {
      await session.#begin(deadline);
      return session;
    } catch (error) {
      session.#drop();
      throw deadline.signal.aborted ? deadline.signal.reason : mysqlError(error, target);
    }
  }

  /** Goes to the server as it is: without the flag for several statements it takes only one. */
  stream({ text: sql }: ReadStatement, limits: RowLimits, deadline: Deadline): RowQueue<TextRow> {
    const valve = { pause: () => this.#client.pause(), resume: () => this.#client.resume() };
    const queue = new RowQueue<TextRow>(valve, limits);
    const running = Promise.withResolvers<void>();
    const settle = (): void => {
      this.#running = undefined;
      running.resolve();
      deadline.signal.removeEventListener("abort", onAbort);
    };
    const onAbort = (): void => queue.fail(deadline.signal.reason);
    const fail = (error: unknown): void => {
      settle();
      queue.fail(mysqlError(error, this.#target));
    };
    this.#onFailure = fail;
    this.#running = running.promise;
    this.#unmarkedBytes = 0;
    deadline.signal.addEventListener("abort", onAbort, { once: true });
    if (deadline.signal.aborted) onAbort();

    const command = this.#client.query({ sql, rowsAsArray: true, typeCast: false });
    let encodings: readonly BufferEncoding[] = [];
    command.on("fields", (fields: unknown) => {
      const columns = (fields as MysqlField[]).map((field) => ({ name: field.name, ...columnReader(field) }));
      encodings = columns.map(({ encoding }) => encoding);
      queue.describe(textRows(columns));
    });
    command.on("result", (row: unknown) => {
      this.#unmarkedBytes = 0;
      // A statement without rows has a summary in their place.
      if (Array.isArray(row)) queue.push(asTexts(row as BytesRow, encodings), sizeOf(row as BytesRow));
    });
    command.on("error", fail);
    command.on("end", () => {
      settle();
      queue.end();
    });
    return queue;
  }

  /** Ends what may still run on the server, then the connection. Never throws. */
  async close(): Promise<void> {
    this.#onFailure = () => undefined;
    if (this.#running !== undefined) await this.#cancel(this.#running);
    else await this.#leave();
    this.#drop();
  }

  static async #connect(target: MysqlTarget, deadline: Deadline): Promise<MysqlSession> {
    try {
      return await MysqlSession.#attempt(target, deadline, target.tls !== "disable").catch(
        (error: unknown) => {
          // The server has said so in its first message; nothing was sent to it yet.
          if (target.tls !== "prefer" || !isWithoutTls(error)) throw error;
          return MysqlSession.#attempt(target, deadline, false);
        },
      );
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : mysqlError(error, target);
    }
  }

  static async #attempt(target: MysqlTarget, deadline: Deadline, withTls: boolean): Promise<MysqlSession> {
    const connecting = startDeadline(
      Math.min(LIMITS.datasources.connectMs, deadline.leftMs()),
      deadline.signal,
    );
    let socket: Socket | undefined;
    try {
      socket = await target.network.connect(target, connecting.signal);
      const session = new MysqlSession(target, socket, withTls);
      await untilAborted(session.#signIn(), connecting.signal);
      return session;
    } catch (error) {
      socket?.destroy();
      throw error;
    } finally {
      connecting.clear();
    }
  }

  #signIn(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onFailure = reject;
      this.#client.connect((error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** The client's reader must neither throw (the other side may send it anything) nor wait for ever for an end. */
  #guard(): void {
    const parser = this.#client.packetParser;
    this.#client.packetParser = {
      execute: (chunk) => {
        this.#unmarkedBytes += chunk.length;
        try {
          if (this.#unmarkedBytes > LIMITS.datasources.rowBytes) throw rowError();
          parser.execute(chunk);
        } catch (error) {
          this.#client.stream.destroy();
          this.#onFailure(isAppError(error) ? error : new ProtocolError());
        }
      },
    };
  }

  async #begin(deadline: Deadline): Promise<void> {
    const [version] = await this.#ask("SELECT VERSION()", deadline);
    const limitMs = deadline.leftMs();
    const limit = /mariadb/i.test(String(version?.[0]))
      ? `max_statement_time = ${limitMs / 1_000}`
      : `max_execution_time = ${limitMs}`;
    // Without backslashes in texts the scanner would see other ends of them than the server.
    const mode = "sql_mode = REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')";
    await this.#ask(`SET SESSION time_zone = '+00:00', ${mode}, ${limit}`, deadline);
    await this.#ask("SET SESSION TRANSACTION READ ONLY", deadline);
    await this.#ask("START TRANSACTION READ ONLY", deadline);
  }

  /** A statement of our own; its few rows. */
  #ask(sql: string, deadline: Deadline): Promise<TextRow[]> {
    const answer = new Promise<TextRow[]>((resolve, reject) => {
      this.#onFailure = reject;
      this.#client.query({ sql, rowsAsArray: true, typeCast: false }, (error: unknown, rows: unknown) => {
        if (error !== null && error !== undefined) reject(error);
        else resolve(Array.isArray(rows) ? rows.map((row: BytesRow) => asTexts(row)) : []);
      });
    });
    return untilAborted(answer, deadline.signal);
  }

  async #leave(): Promise<void> {
    const goodbye = startDeadline(LIMITS.datasources.goodbyeMs, undefined);
    const ended = new Promise<void>((resolve) => this.#client.end(() => resolve()));
    await untilAborted(ended, goodbye.signal).catch(() => undefined);
    goodbye.clear();
  }

  /** Only another connection of the same user can stop a query. */
  async #cancel(running: Promise<void>): Promise<void> {
    const deadline = startDeadline(LIMITS.datasources.cancelMs, undefined);
    let helper: MysqlSession | undefined;
    try {
      const { network, host, port } = this.#target;
      const connect: Network["connect"] = (_server, signal) =>
        network.connect(this.#peer, signal).catch(() => network.connect({ host, port }, signal));
      helper = await MysqlSession.#connect({ ...this.#target, network: { ...network, connect } }, deadline);
      await helper.#ask(`KILL QUERY ${Number(this.#client.threadId)}`, deadline);
      // Drains what the server had sent before, or it would not get to stop.
      this.#client.resume();
      await untilAborted(running, deadline.signal);
    } catch {
      // The connection is dropped all the same, and the time limit on the server holds.
    } finally {
      if (helper !== undefined) helper.#drop();
      deadline.clear();
    }
  }

  #drop(): void {
    this.#onFailure = () => undefined;
    this.#client.stream.destroy();
  }
}

function createClient(target: MysqlTarget, socket: Socket, withTls: boolean): Client {
  const { host, port, user, database, password, tls, ca } = target;
  const isVerified = tls === "verify-full";
  const ssl = {
    rejectUnauthorized: isVerified,
    verifyIdentity: isVerified,
    ...(ca === undefined ? {} : { ca }),
  };
  return mysql.createConnection({
    stream: socket,
    host,
    port,
    user,
    ...(database === undefined ? {} : { database }),
    ...(password === undefined ? {} : { password }),
    ...(withTls ? { ssl } : {}),
    charset: "UTF8MB4_UNICODE_CI",
    // The server must not be able to ask for files of this machine.
    flags: ["-LOCAL_FILES"],
    // Names of columns, which the server chooses, would otherwise become part of generated code.
    disableEval: true,
    multipleStatements: false,
    connectTimeout: LIMITS.datasources.connectMs,
    enableKeepAlive: false,
  }) as Client;
}

function asTexts(row: BytesRow, encodings: readonly BufferEncoding[] = []): TextRow {
  return row.map((value, index) => (value === null ? null : value.toString(encodings[index] ?? "latin1")));
}

function sizeOf(row: BytesRow): number {
  let size = 0;
  for (const value of row) size += value === null ? 1 : value.length;
  return size;
}

export interface MysqlLogin extends ServerAddress {
  user: string;
  database?: string | undefined;
  password?: string | undefined;
}

interface ServerError {
  errno: number;
  sqlState: string;
  sqlMessage: string;
}

const REFUSED_LOGIN = new Set([1044, 1045, 1130, 1251, 1396, 1698, 1862, 3118, 4151]);
const UNKNOWN_TABLE = new Set([1051, 1109, 1146]);
const READ_ONLY = new Set([1792, 1290, 1836]);
/** Interrupted by KILL QUERY, max_execution_time (MySQL) and max_statement_time (MariaDB). */
const STOPPED = new Set([1317, 3024, 1969]);

/** Whatever the client can throw, as an expected failure; nothing of the client itself gets into it. */
function mysqlError(error: unknown, login: MysqlLogin): AppError {
  const server = serverName(login);
  const fromNetwork = networkError(error, server);
  if (fromNetwork !== undefined) return fromNetwork;
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === "PROTOCOL_CONNECTION_LOST") return connectionLost(server);
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") return noTls();
  if (code === "MYSQL_CLEAR_PASSWORD_NOT_ENABLED") return clearPassword(server);
  return isServerError(error) ? serverError(error, login) : protocolError(server);
}

function isWithoutTls(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "HANDSHAKE_NO_SSL_SUPPORT";
}

function noTls(): AppError {
  return new AppError("unavailable", "The server knows no TLS.", {
    hint: 'Set tls to "prefer" if that is acceptable.',
  });
}

function clearPassword(server: string): AppError {
  return new AppError("unavailable", `${server} wants the password unencrypted, and does not get it.`, {
    hint: "Use another authentication plugin for this user.",
  });
}

function isServerError(error: unknown): error is ServerError {
  const { errno, sqlState, sqlMessage } = (error ?? {}) as Partial<Record<keyof ServerError, unknown>>;
  return typeof errno === "number" && typeof sqlState === "string" && typeof sqlMessage === "string";
}

function serverError({ errno, sqlState, sqlMessage }: ServerError, login: MysqlLogin): AppError {
  const server = serverName(login);
  const shown = shownMessage(sqlMessage, [login.password]);
  const data = { sqlState, errno };
  if (REFUSED_LOGIN.has(errno)) {
    return new AppError("bad_request", `${server} refused the user ${login.user} or the password.`, {
      hint: "Check user and password of the datasource, its rights on the database, and whether the server lets this machine in.",
      data,
    });
  }
  if (errno === 1049) return unknownDatabase(server, login.database, data);
  if (READ_ONLY.has(errno)) return onlyReads(shown, data);
  if (STOPPED.has(errno)) return stoppedQuery(shown);
  if (UNKNOWN_TABLE.has(errno)) return unknownTable(shown, data);
  const isOfQuery = /^(42|22|21|23|44|0A|HY000$)/.test(sqlState) && errno !== 1040 && errno !== 1203;
  return isOfQuery ? refusedQuery(shown, data) : otherFailure(server, shown, data);
}
