import { deserialize, serialize } from "node:v8";

/**
 * What goes over the channel between a server and its sandboxed process: each message is four bytes of length
 * and a structured clone, so that bytes, dates and big integers arrive as they left. The reader knows the
 * length before the content and refuses what is too long without keeping it.
 */
export type ToWorker =
  | { type: "call"; id: number; method: string; params: unknown }
  | { type: "cancel"; id: number };

export type FromWorker =
  | { type: "ready"; uid: number; gid: number }
  | { type: "progress"; id: number; value: unknown }
  | { type: "result"; id: number; value: unknown }
  | { type: "error"; id: number; error: WorkerError };

export interface WorkerError {
  /** One of our error codes, or undefined for a bug. */
  code: string | undefined;
  message: string;
  hint: string | undefined;
  data: Record<string, unknown>;
  /** For the server's log alone. */
  detail: string | undefined;
}

/** The channel is the first descriptor after the standard ones. */
export const CHANNEL_FD = 3;

/** Envelope of a message: its bytes besides the content. */
export const ENVELOPE_BYTES = 16 * 1024;

const HEADER_BYTES = 4;

export function encodeMessage(message: ToWorker | FromWorker): Buffer {
  const body = serialize(message);
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32LE(body.length);
  return Buffer.concat([header, body]);
}

/** Puts messages together from the pieces in which they arrive. */
export class MessageReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The messages that are complete with this piece. Throws when one is too long or makes no sense. */
  push(piece: Buffer): unknown[] {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const messages: unknown[] = [];
    for (;;) {
      if (this.#bytes < HEADER_BYTES) return messages;
      const length = this.#peekLength();
      if (length > this.#maxBytes) throw new RangeError(`a message of ${length} bytes is too long`);
      if (this.#bytes < HEADER_BYTES + length) return messages;
      const all = Buffer.concat(this.#pieces);
      messages.push(deserialize(all.subarray(HEADER_BYTES, HEADER_BYTES + length)));
      const rest = all.subarray(HEADER_BYTES + length);
      this.#pieces = rest.length > 0 ? [rest] : [];
      this.#bytes = rest.length;
    }
  }

  #peekLength(): number {
    if ((this.#pieces[0]?.length ?? 0) < HEADER_BYTES) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!.readUInt32LE();
  }
}

/** Bootstrap message, which a sandboxed process reads from its standard input. */
export interface BootstrapPlan {
  module: string;
  /** Whom to become; undefined when the server is not root and the process stays who it is. */
  user: { uid: number; gid: number } | undefined;
  maxParamsBytes: number;
  maxResultBytes: number;
}

export function parsePlan(text: string): BootstrapPlan {
  const { module, user, maxParamsBytes, maxResultBytes } = JSON.parse(text) as BootstrapPlan;
  return { module, user, maxParamsBytes, maxResultBytes };
}
