import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";

/**
 * A connected socket for a client library. What the library throws while it reads (the other side may send it
 * anything) ends the connection instead of the process, and so does a message that does not end.
 */
export class DriverStream extends Duplex {
  readonly #socket: Socket;
  #unmarkedBytes = 0;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#unmarkedBytes += chunk.length;
      if (this.#unmarkedBytes > LIMITS.datasources.rowBytes) this.destroy(rowError());
      else if (!this.push(chunk)) socket.pause();
    });
    socket.once("end", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
  }

  /** A whole message has arrived: the next one is counted from here. */
  mark(): void {
    this.#unmarkedBytes = 0;
  }

  /** What the libraries call on a new socket; this one is connected already. */
  connect(): this {
    process.nextTick(() => this.emit("connect"));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the listener's type depends on the event, as in the base class
  override on(event: string | symbol, listener: (...args: any[]) => void): this {
    if (event !== "data") return super.on(event, listener);
    return super.on(event, (chunk: Buffer) => {
      try {
        listener(chunk);
      } catch {
        this.destroy(new GarbageError());
      }
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** The client library could make nothing of what came. */
export class GarbageError extends Error {}

export function rowError(): AppError {
  const mb = LIMITS.datasources.rowBytes / (1024 * 1024);
  return new AppError("too_large", `A row of the result is larger than ${mb} MB.`, {
    hint: "Leave out large columns, or cut them in the query.",
  });
}
