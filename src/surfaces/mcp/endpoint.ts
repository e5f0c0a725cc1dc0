import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpHttpHandler,
} from "@modelcontextprotocol/server";
import type { Identity, Proof } from "../../domains/identity/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Permission } from "../../kernel/permissions.ts";
import { asAppError } from "../../registry/as-app-error.ts";
import { challenge, refusal } from "./http-answers.ts";
import { restoreNotFoundCode } from "./presenters/agent.ts";
import { type Admission, ServerFactory, type ServerParts } from "./server-factory.ts";
import { type SessionParts, type SessionRecord, Sessions } from "./sessions.ts";
import { StreamGuard } from "./stream-guard.ts";
import { toolChoice } from "./visible-tools.ts";
import {
  fillInitialize,
  forSdk,
  type Message,
  messagesOf,
  readBody,
  takesStream,
  wantsStream,
  withoutStream,
} from "./wire-format.ts";

export interface EndpointParts extends Omit<ServerParts, "onSubscribe"> {
  identity: Identity;
  sessions: Pick<SessionParts, "kv" | "clock" | "idleMs">;
}

/** What the HTTP layer knows of a request before anybody has looked into it. */
export interface Arrival {
  requestId: string;
  address: string;
  /** The public address of this endpoint: audience of OAuth tokens, and base of its metadata. */
  resource: string;
  metadataUrl: string;
  workspaceSlug?: string;
}

/** One of the six endpoints: who are you, what do you speak, then the SDK. */
export class Endpoint {
  readonly #parts: EndpointParts;
  readonly #factory: ServerFactory;
  readonly #makeModern: () => McpHttpHandler;
  /** One for each workspace, so that what is announced in one is heard in no other. */
  readonly #modern = new Map<number, McpHttpHandler>();
  readonly #streams = new StreamGuard();
  readonly #stateless: ReturnType<typeof legacyStatelessFallback>;
  readonly sessions: Sessions;

  constructor(parts: EndpointParts) {
    const { surface, identity, ports } = parts;
    const report = (error: Error) =>
      ports.log.debug({ err: error, surface: surface.name }, "mcp request refused");
    this.#parts = parts;
    this.#factory = new ServerFactory({
      ...parts,
      onSubscribe: (...subscription) => this.sessions.watch(...subscription),
    });
    const makeServer = () => this.#factory.make();
    const makeOlder = surface.hasOwnNotFoundCode ? () => restoreNotFoundCode(makeServer()) : makeServer;
    this.#makeModern = () => createMcpHandler(makeServer, { legacy: "reject", onerror: report });
    this.#stateless = legacyStatelessFallback(makeOlder, report);
    this.sessions = new Sessions({
      ...parts.sessions,
      surface,
      audit: identity.audit,
      makeServer: makeOlder,
    });
  }

  /** The factory knows which tools a caller sees; the REST twins ask it too. */
  get tools(): ServerFactory {
    return this.#factory;
  }

  async handle(request: Request, arrival: Arrival): Promise<Response> {
    try {
      const admission = await this.#admit(request, arrival);
      if (request.method === "POST") return await this.#post(request, arrival, admission);
      if (request.method === "GET") return await this.#get(request, arrival, admission);
      if (request.method === "DELETE") return await this.#delete(request, admission);
      return new Response(null, { status: 405, headers: { allow: "GET, POST, DELETE" } });
    } catch (thrown) {
      return this.#refuse(thrown, arrival, null);
    }
  }

  /** For the routes beside the endpoint: whoever is not let in gets the endpoint's own answer. */
  async admitOrRefuse(request: Request, arrival: Arrival): Promise<Admission | Response> {
    try {
      return await this.#admit(request, arrival);
    } catch (thrown) {
      return this.#refuse(thrown, arrival, null);
    }
  }

  /** Authenticates and counts the request, or throws `unauthorized`, `forbidden` or `rate_limited`. */
  async #admit(request: Request, arrival: Arrival): Promise<Admission> {
    const { identity, surface } = this.#parts;
    const { address, requestId } = arrival;
    const client = clientOf(request);
    const { caller, tokenHash, plan } = await identity.authenticate(this.#proofOf(request, arrival));
    await identity.limiter.admit({ surface: surface.name, tokenHash, address, plan });
    const meta = { surface: surface.name, requestId, address, tokenHash, sessionId: null, client };
    const admission = { caller, meta, plan, choice: toolChoice(request) };
    this.#requireScope(surface.entry, admission);
    return admission;
  }

  #proofOf(request: Request, { resource, address, workspaceSlug }: Arrival): Proof {
    const client = clientOf(request);
    return {
      authorization: request.headers.get("authorization"),
      surface: this.#parts.surface.name,
      resource,
      address,
      client: `${client.name}/${client.version}`,
      ...(workspaceSlug !== undefined && { workspaceSlug }),
    };
  }

  /** Tells every client of a workspace that watches a resource, of whatever revision, that it has changed. */
  async announce(workspaceId: number, uri: string): Promise<void> {
    this.#modern.get(workspaceId)?.notify.resourceUpdated(uri);
    await this.sessions.announce(workspaceId, uri);
  }

  async close(): Promise<void> {
    await Promise.all([
      ...[...this.#modern.values()].map((handler) => handler.close()),
      this.sessions.close(),
    ]);
  }

  async #post(request: Request, arrival: Arrival, admission: Admission): Promise<Response> {
    const { surface } = this.#parts;
    const body = fillInitialize(await readBody(request), surface, admission.meta.client);
    const messages = messagesOf(body);
    await this.#admitBatch(messages, admission);
    this.#requireReadable(messages, admission);
    const refused = this.#stepUp(messages, arrival, admission);
    if (refused !== undefined) return refused;
    if (await isLegacyRequest(request, body)) return this.#older(request, body, messages, admission);
    return this.#newest(request, arrival, body, messages, admission);
  }

  /** Each message of a batch counts like a request of its own. */
  async #admitBatch(messages: Message[], { meta, plan }: Admission): Promise<void> {
    if (messages.length > LIMITS.request.batchMessages) {
      throw new AppError("too_large", `A batch holds at most ${LIMITS.request.batchMessages} messages.`);
    }
    if (messages.length < 2) return;
    const { surface, tokenHash, address } = meta;
    await this.#parts.identity.limiter.admit({
      surface,
      tokenHash,
      address,
      plan,
      cost: messages.length - 1,
    });
  }

  async #newest(
    request: Request,
    arrival: Arrival,
    body: unknown,
    messages: Message[],
    admission: Admission,
  ): Promise<Response> {
    const workspaceId = admission.caller.workspace.id;
    const handler = this.#modern.get(workspaceId) ?? this.#makeModern();
    this.#modern.set(workspaceId, handler);
    const isListening = messages.some(({ method }) => method === "subscriptions/listen");
    if (isListening) this.#streams.admit(ownerOf(admission));
    const answer = await handler.fetch(forSdk(request), { authInfo: authInfo(admission), parsedBody: body });
    return isListening ? this.#guarded(request, arrival, admission, answer) : answer;
  }

  #guarded(request: Request, arrival: Arrival, admission: Admission, answer: Response): Response {
    const proof = this.#proofOf(request, arrival);
    const isStillGood = () => this.#parts.identity.authenticate(proof).then(() => true);
    return this.#streams.guard(ownerOf(admission), answer, isStillGood);
  }

  /** Revisions up to 2025-11-25, with or without a session. */
  async #older(
    request: Request,
    body: unknown,
    messages: Message[],
    admission: Admission,
  ): Promise<Response> {
    const { surface } = this.#parts;
    const given = request.headers.get("mcp-session-id");
    // A greeting that the SDK would refuse begins no session: the refusal needs none.
    const greeting = messages.find((message) => isInitializeRequest(message));
    let session: SessionRecord | undefined;
    if (greeting !== undefined) {
      const chosen = surface.sessions.unknown === "create" ? (given ?? undefined) : undefined;
      session = await this.sessions.create(admission, keptGreeting(greeting.params ?? {}), chosen);
    } else if (given !== null) {
      session = await this.#sessionFor(given, admission);
      if (session === undefined) return this.#noSession(messages);
    }
    if (session !== undefined) {
      const answer = await this.#inSession(
        request,
        body,
        messages,
        session,
        admission,
        greeting === undefined,
      );
      return this.#finish(request, answer, session.id);
    }
    const answer = await this.#stateless(forSdk(request), {
      authInfo: authInfo(admission),
      parsedBody: body,
    });
    const issued =
      surface.sessions.always && (await this.sessions.issue(admission, this.#greetingFor(admission)));
    return this.#finish(request, answer, issued || undefined);
  }

  async #inSession(
    request: Request,
    body: unknown,
    messages: Message[],
    session: SessionRecord,
    admission: Admission,
    greeted: boolean,
  ): Promise<Response> {
    const { transport, inFlight } = await this.sessions.open(session, admission, { greeted });
    const ids = messages.filter(({ method }) => method !== undefined).flatMap(({ id }) => id ?? []);
    const taken = ids.find((id, i) => inFlight.has(id) || ids.indexOf(id) !== i);
    if (taken !== undefined) return idInUse(taken);
    for (const id of ids) inFlight.add(id);
    return transport.handleRequest(forSdk(request, greeted ? session.id : undefined), {
      authInfo: authInfo(inSession(admission, session)),
      parsedBody: body,
    });
  }

  async #sessionFor(given: string, admission: Admission): Promise<SessionRecord | undefined> {
    const found = await this.sessions.find(given, admission);
    const { unknown } = this.#parts.surface.sessions;
    if (found !== undefined || unknown === "refuse") return found;
    return this.sessions.create(
      admission,
      this.#greetingFor(admission),
      unknown === "create" ? given : undefined,
    );
  }

  /** What a client that skipped `initialize` is taken to have said. */
  #greetingFor({ meta }: Admission): Record<string, unknown> {
    return {
      protocolVersion: this.#parts.surface.defaultProtocolVersion,
      capabilities: {},
      clientInfo: meta.client,
    };
  }

  async #finish(request: Request, answer: Response, sessionId: string | undefined): Promise<Response> {
    const plain = wantsStream(request) ? answer : await withoutStream(answer);
    const { acknowledgedStatus } = this.#parts.surface;
    const isAcknowledged = plain.status === 202 && acknowledgedStatus !== 202;
    const isMarked = sessionId === undefined || plain.headers.get("mcp-session-id") === sessionId;
    if (isMarked && !isAcknowledged) return plain;
    const headers = new Headers(plain.headers);
    if (sessionId !== undefined) headers.set("mcp-session-id", sessionId);
    return new Response(isAcknowledged ? null : plain.body, {
      status: isAcknowledged ? acknowledgedStatus : plain.status,
      headers,
    });
  }

  async #get(request: Request, arrival: Arrival, admission: Admission): Promise<Response> {
    const given = request.headers.get("mcp-session-id");
    if (given === null || !takesStream(request)) {
      return new Response(null, { status: 405, headers: { allow: "POST, DELETE" } });
    }
    const session = await this.sessions.find(given, admission);
    if (session === undefined) return this.#noSession([]);
    this.#streams.admit(ownerOf(admission));
    const { transport } = await this.sessions.open(session, admission, { greeted: true });
    const answer = await transport.handleRequest(forSdk(request, session.id), {
      authInfo: authInfo(inSession(admission, session)),
    });
    return this.#guarded(request, arrival, admission, answer);
  }

  async #delete(request: Request, admission: Admission): Promise<Response> {
    const given = request.headers.get("mcp-session-id") ?? "";
    const ended = await this.sessions.end(given, admission);
    const { endedBody } = this.#parts.surface.sessions;
    if (endedBody !== null) return Response.json(endedBody);
    return ended ? new Response(null, { status: 200 }) : this.#noSession([]);
  }

  /** The SDK serves `subscriptions/listen` by itself, so what may be watched is checked before. */
  #requireReadable(messages: Message[], { caller }: Admission): void {
    for (const { params } of messages.filter(({ method }) => method === "subscriptions/listen")) {
      const wishes = (params?.notifications ?? {}) as { resourceSubscriptions?: unknown };
      const uris = [wishes.resourceSubscriptions ?? []].flat();
      if (uris.length > LIMITS.session.watchedResources) {
        throw new AppError(
          "too_large",
          `At most ${LIMITS.session.watchedResources} resources can be watched at once.`,
        );
      }
      for (const uri of uris) {
        if (typeof uri === "string" && this.#factory.mayRead(uri, caller)) continue;
        throw new AppError("not_found", "A resource that is to be watched was not found.");
      }
    }
  }

  /** A token that could do more with other scopes is told so by HTTP, so that its client can ask for them. */
  #stepUp(messages: Message[], arrival: Arrival, admission: Admission): Response | undefined {
    try {
      // Of a batch all that is missing is named at once.
      this.#requireScope(
        messages.flatMap((message) => this.#permissionsOf(message)),
        admission,
      );
      return undefined;
    } catch (thrown) {
      return this.#refuse(thrown, arrival, messages[0]?.id ?? null);
    }
  }

  #permissionsOf({ method, params }: Message): readonly Permission[] {
    const { registry, surface } = this.#parts;
    const { name, uri } = params ?? {};
    if (method === "tools/call" && typeof name === "string")
      return registry.tool(surface.name, name)?.tool.permissions ?? [];
    if (method !== "resources/read" || typeof uri !== "string") return [];
    return registry.resource(surface.name, uri)?.entry.resource.permissions ?? [];
  }

  #requireScope(required: readonly Permission[], { caller, meta }: Admission): void {
    const { identity } = this.#parts;
    const missing = identity.authorizer.missing(caller, required);
    if (missing.role.length > 0 || missing.scope.length === 0) return;
    identity.audit.record({
      action: "mcp.denied",
      workspaceId: caller.workspace.id,
      userId: caller.user.id,
      resourceType: "mcp_endpoint",
      resourceId: meta.surface,
      success: false,
      outcome: "insufficient_scope",
      durationMs: 0,
      metadata: { missing: missing.scope, address: meta.address, tokenId: caller.token.id },
    });
    throw new AppError("forbidden", `Scope ${missing.scope.join(", ")} missing.`, {
      hint: "Use a token with that scope, or sign in again and grant it.",
      data: { missing: missing.scope, scope: [...new Set([...caller.scopes, ...required])].join(" ") },
    });
  }

  #noSession(messages: Message[]): Response {
    const error = { code: -32001, message: "Session not found. Send initialize to start a new one." };
    return Response.json({ jsonrpc: "2.0", id: messages[0]?.id ?? null, error }, { status: 404 });
  }

  #refuse(thrown: unknown, arrival: Arrival, id: string | number | null): Response {
    const { surface, ports } = this.#parts;
    const { presenter } = surface;
    const error = asAppError(thrown, ports.log, { requestId: arrival.requestId });
    return error.code === "bad_request"
      ? Response.json(
          { jsonrpc: "2.0", id, error: { code: -32700, message: error.message } },
          { status: 400 },
        )
      : refusal(error, presenter.httpError(error, id), challenge(error, arrival.metadataUrl));
  }
}

/** Whose streams are counted together. */
function ownerOf({ caller }: Admission): string {
  return `${caller.workspace.id}:${caller.user.id}`;
}

function idInUse(id: string | number): Response {
  const message = `Request id ${String(id).slice(0, 100)} is in use in this session: each request needs an id of its own.`;
  return Response.json({ jsonrpc: "2.0", id, error: { code: -32600, message } }, { status: 400 });
}

/** What is worth keeping of a greeting, so that a session opened elsewhere knows its client. */
function keptGreeting({
  protocolVersion,
  capabilities,
  clientInfo,
}: Record<string, unknown>): Record<string, unknown> {
  const greeting = { protocolVersion, capabilities, clientInfo };
  if (JSON.stringify(greeting).length <= LIMITS.session.greetingCharacters) return greeting;
  throw new AppError("too_large", "The client says too much of itself.", {
    hint: `Capabilities and client information may have ${LIMITS.session.greetingCharacters} characters together.`,
  });
}

/** Rights in a session: those at its start, and never more than the caller has now. */
function inSession(admission: Admission, session: SessionRecord | undefined): Admission {
  if (session === undefined) return admission;
  const { caller, meta } = admission;
  const permissions = caller.permissions.filter((permission) => session.permissions.includes(permission));
  return { ...admission, caller: { ...caller, permissions }, meta: { ...meta, sessionId: session.id } };
}

function authInfo(admission: Admission) {
  const { caller } = admission;
  return {
    token: "",
    clientId: String(caller.token.id),
    scopes: [...caller.scopes],
    extra: admission as unknown as Record<string, unknown>,
  };
}

/** Until `initialize` tells better, a client is known by the first word of its User-Agent. */
function clientOf(request: Request): { name: string; version: string } {
  const [name = "unknown", version = "0"] =
    (request.headers.get("user-agent") ?? "").split(" ")[0]?.split("/") ?? [];
  return { name: name.slice(0, 100) || "unknown", version: version.slice(0, 50) };
}
