import { isUtf8 } from "node:buffer";
import { yieldToEventLoop } from "../../kernel/concurrency.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { JsonSlice } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { clip, randomText } from "../../kernel/text.ts";
import type { BodyLease } from "../../registry/body-budget.ts";
import { type Cut, type DataArguments, JsonScan, notJson } from "./json-scan.ts";

export interface BodyOptions {
  maxBytes?: number;
  /** What of it may be large; without, nothing may. */
  data?: DataArguments;
  /** Counts what is held in memory. */
  lease?: BodyLease;
  /** Resolves when it may be parsed. */
  turn?(): Promise<void>;
}

/** A body is scanned so many bytes at a time: a millisecond or two. */
const STEP_BYTES = 512 * 1024;
/** Stands in the text for what was cut out of it. */
const CUT_MARK = `${randomText(18)}:`;

/**
 * The JSON of a request. Its fields, values and levels are counted before it is parsed, so that nobody can send what
 * takes long to parse or to walk through; large arguments stay what they are, as a `JsonSlice`.
 */
export async function readBody(request: Request, options: BodyOptions = {}): Promise<unknown> {
  const bytes = withoutMark(await readBytes(request, options));
  if (!isUtf8(bytes)) throw new AppError("bad_request", "Parse error: the request body is not valid UTF-8.");
  const scan = new JsonScan(bytes, options.data);
  while (!scan.run(STEP_BYTES)) await yieldToEventLoop();
  await options.turn?.();
  if (scan.cuts.length === 0) return parse(decode(bytes));
  const body = parse(textAround(bytes, scan.cuts));
  const slices = scan.cuts.map(({ start, end, items }) => new JsonSlice(bytes.subarray(start, end), items));
  for (const message of Array.isArray(body) ? body : [body])
    fillIn(message, options.data?.path ?? [], slices);
  return body;
}

/** Some programs begin every text with it. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

function textAround(bytes: Uint8Array, cuts: readonly Cut[]): string {
  let at = 0;
  let text = "";
  for (const [index, { start, end }] of cuts.entries()) {
    text += `${decode(bytes.subarray(at, start))}"${CUT_MARK}${index}"`;
    at = end;
  }
  return text + decode(bytes.subarray(at));
}

/** Of a name that is there twice the last one counts, here as in `JSON.parse`. */
function fillIn(message: unknown, path: readonly string[], slices: readonly JsonSlice[]): void {
  let place = message;
  for (const name of path) place = (place as Record<string, unknown> | null | undefined)?.[name];
  if (typeof place !== "object" || place === null) return;
  for (const [name, value] of Object.entries(place)) {
    if (typeof value !== "string" || !value.startsWith(CUT_MARK)) continue;
    const slice = slices[Number(value.slice(CUT_MARK.length))];
    // A plain assignment of `__proto__` would set the prototype instead of a field.
    Object.defineProperty(place, name, {
      value: slice,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
}

async function readBytes(request: Request, options: BodyOptions): Promise<Uint8Array> {
  const { maxBytes = LIMITS.request.bodyBytes, lease } = options;
  refuseCompressed(request);
  const declared = request.headers.get("content-length");
  const declaredBytes = declared === null ? Number.POSITIVE_INFINITY : Number(declared);
  if (declared !== null && declaredBytes > maxBytes) throw tooLarge(maxBytes);
  try {
    // The server reads no more than was declared, so this is bounded; and it is the fast way.
    if (declaredBytes <= LIMITS.request.smallBodyBytes) return new Uint8Array(await request.arrayBuffer());
    return await readChunks(request, maxBytes, lease);
  } catch (error) {
    if (isAppError(error)) throw error;
    // A client that leaves in the middle of its request has made no mistake, and neither have we.
    throw new AppError("cancelled", "The request ended before it was complete.", { cause: error });
  }
}

/** A small body could become a huge one, and counting what is held would mean nothing. */
function refuseCompressed({ headers }: Request): void {
  const encoding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return;
  throw new AppError("unsupported", `The request body is compressed (${clip(encoding, 40)}).`, {
    hint: "Send it uncompressed, without Content-Encoding.",
  });
}

async function readChunks(request: Request, maxBytes: number, lease?: BodyLease): Promise<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let refusal: unknown;
  for await (const chunk of inTime(request.body)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    // For want of room the rest is read and thrown away: many clients listen only when they have said everything.
    if (refusal === undefined) refusal = refusalOf(() => lease?.grow(chunk.byteLength));
    if (refusal === undefined) chunks.push(chunk);
    else chunks = [];
  }
  if (refusal !== undefined) throw refusal;
  await yieldToEventLoop();
  const body = Buffer.concat(chunks, bytes);
  await yieldToEventLoop();
  return body;
}

/** The chunks of a body for as long as it goes on: one that stalls would keep its memory from everybody else. */
async function* inTime(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  const { paceMs, paceBytes } = LIMITS.request;
  let recentBytes = 0;
  let isStalled = false;
  const timer = setInterval(() => {
    isStalled = recentBytes < paceBytes;
    recentBytes = 0;
    if (isStalled) void reader.cancel();
  }, paceMs);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      recentBytes += next.value.byteLength;
      yield next.value;
    }
  } finally {
    clearInterval(timer);
  }
  if (isStalled) throw tooSlow();
}

function refusalOf(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

function tooSlow(): AppError {
  const { paceMs, paceBytes } = LIMITS.request;
  const pace = `${paceBytes / 1024} KB in ${paceMs / 1_000} s`;
  return new AppError("timeout", `The request came more slowly than ${pace}.`, {
    hint: "Send it again, or less at a time; large files are imported by their URL (file_url).",
    data: { reason: "slow_request" },
  });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The request is larger than ${maxBytes} bytes.`, {
    hint: "Send less at a time, and import large files by their URL (file_url).",
  });
}
