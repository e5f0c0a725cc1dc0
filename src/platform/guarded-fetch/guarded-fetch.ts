import { pipeline, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Agent, Dispatcher } from "undici";
import { AppError } from "../../kernel/errors.ts";
import { abortError } from "../../kernel/time.ts";
import { BrokenOffError, bodyError, fetchError } from "./fetch-errors.ts";
import { checkReach, guardedConnector, type Resolve, systemResolve } from "./guarded-connector.ts";
import { LIMITS } from "./limits.ts";
import {
  checkUrl,
  createAddressPolicy,
  isRedirect,
  nextRequest,
  type OutgoingRequest,
} from "./url-policy.ts";

export interface GuardedFetchOptions {
  /** Addresses, blocks, `host` and `host:port` that may be reached although they are not public. */
  allow?: readonly string[];
  /** Looks up a name; tests put their own here. */
  resolve?: Resolve;
  /** Further certificate authorities, in PEM. */
  ca?: string | string[];
  maxInFlight?: number;
}

interface FetchOptions {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** Counted after decompression. */
  maxBytes?: number;
  totalMs?: number;
  idleMs?: number;
  maxRedirects?: number;
  /** Refuses an answer of another type; `application/json` also stands for `application/…+json`. */
  contentTypes?: readonly string[];
  signal?: AbortSignal;
}

interface Answer {
  /** Where the answer came from after all redirects. */
  url: string;
  status: number;
  headers: Record<string, string>;
}

export interface FetchedAnswer extends Answer {
  body: Buffer;
}

export interface Download extends Answer {
  /** Fails with an AppError when a limit is passed on the way. */
  body: Readable;
}

/** The one client for URLs that somebody gave us. Failures are AppErrors and never hold anything of the answer. */
export interface GuardedFetch {
  /** The whole answer, whatever its status. */
  request(url: string | URL, options?: FetchOptions): Promise<FetchedAnswer>;
  /** The JSON of a successful answer. */
  fetchJson(url: string | URL, options?: FetchOptions): Promise<unknown>;
  /** The answer as a stream, whatever its status. */
  open(url: string | URL, options?: FetchOptions): Promise<Download>;
  /** A successful answer as a stream. */
  download(url: string | URL, options?: FetchOptions): Promise<Download>;
  /** Throws what a request would be refused with, as far as that is known now, and sends nothing; a name that is not found may be there later. */
  check(url: string | URL): Promise<void>;
  close(): Promise<void>;
}

/** Headers that the client itself answers for. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/;

export function createGuardedFetch({
  allow = [],
  resolve = systemResolve,
  ca,
  maxInFlight = LIMITS.fetch.inFlight,
}: GuardedFetchOptions = {}): GuardedFetch {
  const policy = createAddressPolicy(allow);
  const timeoutMs = LIMITS.fetch.connectMs;
  let agent: Promise<Agent> | undefined;
  let isClosed = false;
  let inFlight = 0;

  /** Loaded when it is needed: most commands fetch nothing. */
  async function openAgent(): Promise<Agent> {
    const { Agent, buildConnector } = await import("undici");
    const connector = { policy, resolve, timeoutMs, ...(ca === undefined ? {} : { ca }) };
    return new Agent({
      connect: guardedConnector(buildConnector, connector),
      allowH2: false,
      connections: LIMITS.fetch.connectionsPerOrigin,
      maxHeaderSize: LIMITS.fetch.headerBytes,
      pipelining: 1,
    });
  }

  async function open(input: string | URL, options: FetchOptions): Promise<Download> {
    let request = firstRequest(checkUrl(input, policy), options);
    if (inFlight >= maxInFlight)
      throw new AppError("unavailable", "Too many requests to other servers are under way.");
    if (isClosed) throw new AppError("unavailable", "The server is stopping.");
    inFlight += 1;
    agent ??= openAgent();
    const deadline = startDeadline(options.totalMs ?? LIMITS.fetch.totalMs, options.signal);
    const release = (): void => {
      inFlight -= 1;
      deadline.clear();
    };
    try {
      for (let redirects = 0; ; redirects += 1) {
        const answer = await exchange(await agent, request, options, deadline.signal);
        const location = locationOf(answer);
        if (location === undefined) return receive(request, answer, options, deadline.signal, release);
        discard(answer);
        if (redirects >= (options.maxRedirects ?? LIMITS.fetch.redirects)) {
          throw new AppError("unavailable", `${request.url.hostname} redirects too often.`);
        }
        request = nextRequest(request, answer.statusCode, location, policy);
      }
    } catch (error) {
      release();
      throw deadline.signal.aborted ? deadline.signal.reason : fetchError(error, request.url.hostname);
    }
  }

  return {
    open: (url, options = {}) => open(url, options),
    async request(url, options = {}) {
      const { body, ...answer } = await open(url, options);
      return { ...answer, body: await buffer(body) };
    },
    async fetchJson(url, options = {}) {
      const headers = { accept: "application/json", ...options.headers };
      const answer = await open(url, { contentTypes: ["application/json"], ...options, headers });
      return parseJson(await buffer(successful(answer).body), answer.url);
    },
    async download(url, options = {}) {
      return successful(await open(url, options));
    },
    async check(url) {
      await checkReach(checkUrl(url, policy), { policy, resolve, timeoutMs });
    },
    async close() {
      isClosed = true;
      await (await agent)?.destroy();
    },
  };
}

function firstRequest(url: URL, options: FetchOptions): OutgoingRequest {
  const headers: Record<string, string> = { "user-agent": "kenning", "accept-encoding": ACCEPTED_ENCODINGS };
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    const lowerName = name.toLowerCase();
    if (OWN_HEADERS.test(lowerName))
      throw new AppError("bad_request", `The header ${lowerName} cannot be set.`);
    headers[lowerName] = value;
  }
  return { url, method: options.method ?? "GET", headers, body: options.body };
}

function exchange(
  agent: Agent,
  { url, method, headers, body }: OutgoingRequest,
  { idleMs = LIMITS.fetch.idleMs }: FetchOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body ?? null,
    signal,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    highWaterMark: BUFFER_BYTES,
  });
}

/** An answer that is not read to its end is thrown away together with its connection. */
function discard(answer: Dispatcher.ResponseData): void {
  answer.body.on("error", () => undefined).destroy();
}

/** Where a redirect leads; undefined when the answer is none. */
function locationOf({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (!isRedirect(statusCode)) return undefined;
  return Array.isArray(headers.location) ? headers.location[0] : headers.location;
}

function receive(
  { url, method }: OutgoingRequest,
  answer: Dispatcher.ResponseData,
  { contentTypes, maxBytes = LIMITS.fetch.bodyBytes }: FetchOptions,
  signal: AbortSignal,
  release: () => void,
): Download {
  const headers = flatHeaders(answer.headers);
  const isEmpty =
    method === "HEAD" || [204, 304].includes(answer.statusCode) || headers["content-length"] === "0";
  try {
    checkContentType(headers["content-type"], contentTypes, answer.statusCode);
    if (!isEmpty && Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  } catch (error) {
    discard(answer);
    throw error;
  }
  const encoding = isEmpty ? undefined : headers["content-encoding"];
  const body = boundedBody(answer.body, encoding, maxBytes, (error) =>
    signal.aborted ? signal.reason : bodyError(error, url.hostname),
  );
  const onAbort = (): void => void body.destroy(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  // A stream that fails before anybody listens must not end the process; whoever reads it later gets the error.
  body.on("error", () => undefined);
  body.once("close", () => {
    signal.removeEventListener("abort", onAbort);
    discard(answer);
    release();
  });
  return { url: url.href, status: answer.statusCode, headers, body };
}

function flatHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

function checkContentType(
  actual: string | undefined,
  allowed: readonly string[] | undefined,
  status: number,
): void {
  if (allowed === undefined || status >= 300) return;
  const type = (actual ?? "").split(";")[0]!.trim().toLowerCase();
  const suffixed = type.replace(/^application\/[\w.-]+\+json$/, "application/json");
  if (allowed.includes(type) || allowed.includes(suffixed)) return;
  throw new AppError(
    "unsupported",
    `The answer has the type "${type.slice(0, 80)}" and not ${allowed.join(" or ")}.`,
  );
}

function successful(answer: Download): Download {
  if (answer.status >= 200 && answer.status < 300) return answer;
  answer.body.destroy();
  throw new AppError(
    "unavailable",
    `${new URL(answer.url).hostname} answered with status ${answer.status}.`,
    {
      data: { status: answer.status },
    },
  );
}

function parseJson(body: Buffer, url: string): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new AppError("unavailable", `${new URL(url).hostname} did not answer with JSON.`);
  }
}

interface Deadline {
  /** Aborts with an AppError: `timeout`, or `cancelled` when the caller's own signal did it. */
  signal: AbortSignal;
  clear(): void;
}

/** One limit for everything that belongs to a request: look-ups, redirects, headers, body. */
function startDeadline(totalMs: number, callers: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const onCancel = (): void => controller.abort(abortError(callers, "The request"));
  const timer = setTimeout(() => {
    controller.abort(new AppError("timeout", `The answer was not complete after ${totalMs / 1_000} s.`));
  }, totalMs);
  if (callers?.aborted) onCancel();
  else callers?.addEventListener("abort", onCancel, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      callers?.removeEventListener("abort", onCancel);
    },
  };
}

const ACCEPTED_ENCODINGS = "gzip, br, zstd";

/** Of what a decompressor gives out at a time. */
const CHUNK_BYTES = 64 * 1024;

const DECOMPRESSORS = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;

/** Pieces of the wire have up to 64 kB: with room for a few, the connection is not stopped and started for each. */
const BUFFER_BYTES = 256 * 1024;

/**
 * The body in the clear. Both what comes over the wire and what comes out of the decompressor are counted:
 * a bomb is stopped at `maxBytes`, and so is an endless stream that decompresses to nothing.
 */
function boundedBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
  explain: (error: unknown) => Error,
): Readable {
  const name = (encoding ?? "identity").trim().toLowerCase();
  if (name === "identity" || name === "") return new BoundedStream(body, maxBytes, explain);
  if (!Object.hasOwn(DECOMPRESSORS, name)) {
    body.on("error", () => undefined).destroy();
    throw new AppError("unsupported", `The answer is compressed in an unknown way (${name.slice(0, 40)}).`);
  }
  const decompressor = DECOMPRESSORS[name as keyof typeof DECOMPRESSORS]({ chunkSize: CHUNK_BYTES });
  // The callback only keeps the error from being thrown a second time: the reader of the last stream gets it.
  pipeline(new BoundedStream(body, maxBytes, explain), decompressor, () => undefined);
  return new BoundedStream(decompressor, maxBytes, explain);
}

/**
 * Passes pieces on as they are, up to a limit. A class and not a generator: those cost several turns of the event
 * loop and a copy for each piece, which was most of the time that a large download took.
 */
class BoundedStream extends Readable {
  readonly #source: Readable;

  constructor(source: Readable, maxBytes: number, explain: (error: unknown) => Error) {
    super({ highWaterMark: BUFFER_BYTES });
    this.#source = source;
    let bytes = 0;
    // Nothing flows before somebody reads.
    source.pause();
    source.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) this.destroy(tooLarge(maxBytes));
      else if (!this.push(chunk)) source.pause();
    });
    source.once("end", () => this.push(null));
    source.on("error", (error) => this.destroy(explain(error)));
    source.once("close", () => {
      if (!source.readableEnded) this.destroy(explain(new BrokenOffError()));
    });
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#source.destroy();
    done(error);
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The answer is larger than ${maxBytes.toLocaleString("en")} bytes.`);
}
