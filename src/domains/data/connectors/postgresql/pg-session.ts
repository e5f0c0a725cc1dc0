import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { LIMITS } from "../../limits.ts";
import type { Scalar } from "../connector.ts";
import { type Deadline, startDeadline, untilAborted } from "../deadline.ts";
import { DriverStream } from "../network/driver-stream.ts";
import type { Network, ServerAddress } from "../network/guarded-socket.ts";
import type { TlsMode } from "../network/tls-options.ts";
import { type RowLimits, RowQueue } from "../row-queue.ts";
import type { ReadStatement } from "../sql/read-statement.ts";
import { textRows } from "../text-rows.ts";
import type { PgDialect } from "./pg-dialects.ts";
import { type PgLogin, pgError } from "./pg-errors.ts";
import { securePg } from "./pg-tls.ts";
import { columnReader } from "./pg-values.ts";

export interface PgTarget extends PgLogin {
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
export class PgSession {
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
    // What the server had sent before must be read away, or it would not get to stop.
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
