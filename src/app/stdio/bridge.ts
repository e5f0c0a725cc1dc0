import { setTimeout as sleep } from "node:timers/promises";
import {
  InsufficientScopeError,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SdkHttpError,
  type StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

/** The code that JSON-RPC leaves to servers for errors of their own. */
const SERVER_ERROR = -32_000;
const { startWaitMs, startPollMs, handshakeMs, drainMs, farewellMs } = LIMITS.stdio;

interface BridgeOptions {
  /** The desktop client's end. */
  local: Transport;
  /** The server's end. */
  remote: StreamableHTTPClientTransport;
  url: URL;
  /** Sentences for the person who reads the client's log. */
  say(sentence: string): void;
}

/** A request of the client's that has not been answered. */
interface Pending {
  abort: AbortController;
  /** In the newest revision each request stands alone: there is no session, and closing its stream cancels it. */
  isModern: boolean;
}

/**
 * Carries messages between a desktop client and the server as they are, whatever their revision. It looks
 * only at what the two transports do differently: sessions, cancellation, and a server that comes and goes.
 */
export class StdioBridge {
  readonly #options: BridgeOptions;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #ended = Promise.withResolvers<number>();
  /** The client's `initialize`, kept to open a new session when the server has lost ours. */
  #handshake: JSONRPCRequest | undefined;
  #renewing: Promise<void> | undefined;
  #renewals = 0;
  #renewed: { id: RequestId; answer: PromiseWithResolvers<void> } | undefined;
  /** Later messages wait for `notifications/initialized`, which would otherwise be overtaken. */
  #opened: Promise<unknown> = Promise.resolve();
  /** The stream for the server's own messages is gone for good. */
  #isStreamLost = false;
  /** The client has closed its end and only waits for answers. */
  #isDraining = false;
  #lastSentence = "";

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Resolves with the exit code when the client has gone or the token is refused. */
  async run(): Promise<number> {
    const { local, remote } = this.#options;
    local.onmessage = (message) => void this.#fromClient(message);
    local.onclose = () => this.#ended.resolve(0);
    local.onerror = (error) => this.#say(`A message of the client could not be read: ${messageOf(error)}`);
    remote.onmessage = (message) => this.#fromServer(message);
    remote.onerror = (error) => {
      // Everything else is met again where the message was sent.
      if (error.message.startsWith("Maximum reconnection attempts")) this.#isStreamLost = true;
    };
    await remote.start();
    await local.start();
    const exitCode = await this.#ended.promise;
    await this.#sayFarewell();
    return exitCode;
  }

  /** Ends when the last request is answered, or after a moment: for `echo … | kenning stdio`. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const deadline = Date.now() + drainMs;
    while (this.#pending.size > 0 && Date.now() < deadline) await sleep(startPollMs / 10);
    this.stop(0);
  }

  stop(exitCode: number): void {
    this.#ended.resolve(exitCode);
  }

  async #fromClient(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      if (this.#cancel(message.params?.requestId as RequestId)) return;
    }
    if (isJSONRPCNotification(message) && message.method === "notifications/initialized") {
      this.#opened = this.#deliver(message);
      await this.#opened;
      return;
    }
    if (isJSONRPCRequest(message)) {
      this.#pending.set(message.id, { abort: new AbortController(), isModern: isModern(message) });
      if (message.method === "initialize") this.#handshake = message;
    }
    await this.#opened;
    await this.#deliver(message);
  }

  /** Whether the cancellation is done with. In older revisions the server must still be told. */
  #cancel(id: RequestId): boolean {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending?.isModern !== true) return false;
    pending.abort.abort();
    return true;
  }

  #fromServer(message: JSONRPCMessage): void {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      const { id } = message;
      const isHandshake = id === this.#handshake?.id || id === this.#renewed?.id;
      if (isHandshake && isJSONRPCResultResponse(message)) this.#rememberVersion(message.result);
      if (this.#renewed !== undefined && id === this.#renewed.id) {
        this.#renewed.answer.resolve();
        return;
      }
      if (id !== undefined) this.#pending.delete(id);
    }
    this.#toClient(message);
  }

  #rememberVersion(result: object): void {
    const { protocolVersion } = result as { protocolVersion?: unknown };
    if (typeof protocolVersion === "string") this.#options.remote.setProtocolVersion(protocolVersion);
  }

  /** Sends one message to the server; a request that cannot be delivered is answered with the reason. */
  async #deliver(message: JSONRPCMessage): Promise<void> {
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (this.#isStreamLost && pending?.isModern === false) await this.#renewSession().catch(() => {});
    const session = this.#options.remote.sessionId;
    const failure = await this.#send(message, id, pending);
    if (failure === undefined || pending?.abort.signal.aborted === true) return;
    if (failure.kind === "session-lost" && (await this.#recovered(message, session))) return;
    this.#say(failure.sentence);
    if (id !== undefined)
      this.#answerWithError(id, failure.rpcError ?? { code: SERVER_ERROR, message: failure.sentence });
    // A token does not heal: better a client that shows a stopped server than one that tries for ever.
    if (failure.kind === "token-refused" || (failure.kind === "not-running" && this.#isDraining))
      this.stop(1);
  }

  /** Waits a little for a server that is just starting. */
  async #send(
    message: JSONRPCMessage,
    id: RequestId | undefined,
    pending: Pending | undefined,
  ): Promise<RemoteFailure | undefined> {
    const { remote, url } = this.#options;
    const deadline = Date.now() + startWaitMs;
    for (;;) {
      try {
        await remote.send(message, {
          ...(pending === undefined ? {} : { requestSignal: pending.abort.signal }),
          ...(id === undefined ? {} : { onRequestStreamEnd: () => this.#streamEnded(id) }),
        });
        return undefined;
      } catch (error) {
        const failure = explainRemoteFailure(error, url);
        const mayWait = failure.kind === "not-running" && !this.#isDraining && Date.now() < deadline;
        if (!mayWait) return failure;
        this.#say(failure.sentence);
        await sleep(startPollMs);
      }
    }
  }

  #streamEnded(id: RequestId): void {
    if (!this.#pending.has(id)) return;
    const message =
      "The connection to Kenning broke before the answer came; the call may have been carried out.";
    this.#say(message);
    this.#answerWithError(id, { code: SERVER_ERROR, message });
  }

  /** A restarted server does not know our session: opens a new one behind the client's back and sends again. */
  async #recovered(message: JSONRPCMessage, lostSession: string | undefined): Promise<boolean> {
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    const pending = id === undefined ? undefined : this.#pending.get(id);
    const isOpening = id !== undefined && id === this.#handshake?.id;
    if (this.#handshake === undefined || isOpening || pending?.isModern === true) return false;
    try {
      // Another message may have met the same loss before us.
      if (this.#renewing !== undefined || this.#options.remote.sessionId === lostSession)
        await this.#renewSession();
    } catch {
      return false;
    }
    return (await this.#send(message, id, pending)) === undefined;
  }

  #renewSession(): Promise<void> {
    this.#renewing ??= this.#openNewSession().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #openNewSession(): Promise<void> {
    if (this.#handshake === undefined) return;
    const { remote, url } = this.#options;
    this.#isStreamLost = false;
    this.#renewals += 1;
    const answer = Promise.withResolvers<void>();
    this.#renewed = { id: `kenning-stdio-${this.#renewals}`, answer };
    try {
      await remote.send({ ...this.#handshake, id: this.#renewed.id });
      await Promise.race([answer.promise, sleep(handshakeMs, undefined, { ref: false }).then(noAnswer)]);
      await remote.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      this.#say(`Opened a new session with Kenning at ${url.origin}.`);
    } finally {
      this.#renewed = undefined;
    }
  }

  #answerWithError(id: RequestId, error: { code: number; message: string; data?: unknown }): void {
    if (this.#pending.delete(id)) this.#toClient({ jsonrpc: "2.0", id, error });
  }

  #toClient(message: JSONRPCMessage): void {
    // Fails only when the client has gone, and then its transport says so by closing.
    this.#options.local.send(message).catch(() => {});
  }

  /** Once, not again for every message that meets the same fate. */
  #say(sentence: string): void {
    if (sentence !== this.#lastSentence) this.#options.say(sentence);
    this.#lastSentence = sentence;
  }

  async #sayFarewell(): Promise<void> {
    const { local, remote } = this.#options;
    const farewell = remote.terminateSession().catch(() => {});
    await Promise.race([farewell, sleep(farewellMs, undefined, { ref: false })]);
    await remote.close();
    await local.close();
  }
}

function noAnswer(): never {
  throw new Error("no answer");
}

function isModern(request: JSONRPCRequest): boolean {
  const meta = request.params?._meta as Record<string, unknown> | undefined;
  return typeof meta?.[PROTOCOL_VERSION_META_KEY] === "string";
}

/** Why the server did not take a message, as far as it matters for what to do next. */
interface RemoteFailure {
  kind: "not-running" | "token-refused" | "session-lost" | "other";
  sentence: string;
  /** A JSON-RPC error that came in the body of a refusal. */
  rpcError?: { code: number; message: string; data?: unknown };
}

/** Nothing was sent when the connection could not even be made, so the message may safely be sent again. */
const NOT_CONNECTED = [
  "ECONNREFUSED",
  "ENOENT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
];

function explainRemoteFailure(error: unknown, url: URL): RemoteFailure {
  if (error instanceof InsufficientScopeError) {
    const scope = error.requiredScope === undefined ? "a scope" : `the scope ${error.requiredScope}`;
    return { kind: "other", sentence: `The token lacks ${scope} that this needs.` };
  }
  if (error instanceof SdkHttpError) return explainStatus(error, url);
  if (NOT_CONNECTED.includes(codeOf(error) ?? "")) {
    return {
      kind: "not-running",
      sentence: `Kenning is not running at ${url.origin}; start it with: kenning serve`,
    };
  }
  const reason = codeOf(error) ?? messageOf(error);
  return { kind: "other", sentence: `The connection to Kenning at ${url.origin} failed (${reason}).` };
}

function explainStatus(error: SdkHttpError, url: URL): RemoteFailure {
  const { status } = error;
  const rpcError = rpcErrorIn(error.data);
  const extra = rpcError === undefined ? {} : { rpcError };
  if (status === 401) {
    const hint = "make a new one with: kenning token create --user EMAIL --workspace SLUG --kind mcp";
    return { kind: "token-refused", sentence: `Kenning at ${url.origin} refused the token; ${hint}` };
  }
  if (status === 404)
    return { kind: "session-lost", sentence: `There is no MCP endpoint at ${url.href}.`, ...extra };
  if (status === 429)
    return {
      kind: "other",
      sentence: "Kenning has had too many requests just now; try again later.",
      ...extra,
    };
  return { kind: "other", sentence: `Kenning at ${url.origin} answered with HTTP ${status}.`, ...extra };
}

function rpcErrorIn(data: unknown): RemoteFailure["rpcError"] {
  const text = (data as { text?: unknown } | undefined)?.text;
  if (typeof text !== "string") return undefined;
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; data?: unknown } };
    if (typeof error?.code !== "number" || typeof error.message !== "string") return undefined;
    return {
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    };
  } catch {
    return undefined;
  }
}

/** The system's code for a failure, found below the wrappers of fetch. */
function codeOf(error: unknown): string | undefined {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const { code } = current as { code?: unknown };
    if (typeof code === "string") return code;
    // Several addresses were tried (IPv6 and IPv4), each with its own failure.
    if (current instanceof AggregateError) return codeOf(current.errors[0]);
  }
  return undefined;
}
