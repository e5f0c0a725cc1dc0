import { Socket } from "node:net";
import { isAppError, messageOf } from "../../kernel/errors.ts";
import {
  CHANNEL_FD,
  ENVELOPE_BYTES,
  encodeMessage,
  type FromWorker,
  MessageReader,
  type ToWorker,
  type WorkerError,
} from "./protocol.ts";
import { detailOf } from "./sandbox-errors.ts";

/** The inside of a sandbox: a module calls `serve` once, at its top level. */
export interface WorkerContext {
  /** Aborts when the caller has gone or time is up; whoever does not stop soon is killed with the process. */
  signal: AbortSignal;
  progress(value: unknown): void;
}

type WorkerMethod = (params: unknown, context: WorkerContext) => unknown;
type WorkerMethods = Readonly<Record<string, WorkerMethod>>;

let served: WorkerMethods | undefined;

/**
 * Offers methods to the server. Everything that the methods need must be imported when the module is loaded:
 * afterwards the process may have given up the right to read its own code.
 */
export function serve(methods: WorkerMethods): void {
  if (served !== undefined) throw new TypeError("a sandboxed module serves once");
  served = methods;
}

interface ChannelOptions {
  maxParamsBytes: number;
  maxResultBytes: number;
}

/** The bootstrap opens the channel when the process has given up its rights; nothing is answered before. */
export function openChannel({
  maxParamsBytes,
  maxResultBytes,
}: ChannelOptions): (message: FromWorker) => void {
  if (served === undefined) throw new TypeError("the sandboxed module did not call serve()");
  const methods = served;
  const running = new Map<number, AbortController>();
  const reader = new MessageReader(maxParamsBytes + ENVELOPE_BYTES);
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  const send = (message: FromWorker): void => void socket.write(encodeMessage(message));

  async function run(call: Extract<ToWorker, { type: "call" }>): Promise<void> {
    const { id, method, params } = call;
    const controller = new AbortController();
    running.set(id, controller);
    const context: WorkerContext = {
      signal: controller.signal,
      progress: (value) => send({ type: "progress", id, value }),
    };
    try {
      const work = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (work === undefined) throw new TypeError(`the sandboxed module has no method "${method}"`);
      socket.write(encodeResult(id, await work(params, context), maxResultBytes));
    } catch (error) {
      send({ type: "error", id, error: describeError(error) });
    } finally {
      running.delete(id);
    }
  }

  socket.on("data", (piece: Buffer) => {
    for (const message of reader.push(piece) as ToWorker[]) {
      if (message.type === "call") void run(message);
      else running.get(message.id)?.abort();
    }
  });
  // The server has gone, however it went. Nothing here is worth an orderly end, and threads of native code
  // could hold one up.
  const die = (): void => void process.kill(process.pid, "SIGKILL");
  socket.on("end", die).on("close", die).on("error", die);
  return send;
}

function encodeResult(id: number, value: unknown, maxResultBytes: number): Buffer {
  const frame = encodeMessage({ type: "result", id, value });
  if (frame.length <= maxResultBytes + ENVELOPE_BYTES) return frame;
  const message = `The result is larger than ${maxResultBytes.toLocaleString("en")} bytes.`;
  return encodeMessage({
    type: "error",
    id,
    error: { code: "too_large", message, hint: undefined, data: {}, detail: undefined },
  });
}

function describeError(error: unknown): WorkerError {
  const message = messageOf(error).slice(0, 2_000);
  if (!isAppError(error)) return { code: undefined, message, hint: undefined, data: {}, detail: undefined };
  return { code: error.code, message, hint: error.hint, data: error.data, detail: detailOf(error) };
}
