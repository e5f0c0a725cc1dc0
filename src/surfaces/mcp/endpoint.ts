import {
  createMcpHandler,
  INVALID_REQUEST,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpHttpHandler,
  PARSE_ERROR,
} from "@modelcontextprotocol/server";
import type { Authenticated, Identity, Proof, TransportLimiter } from "../../domains/identity/index.ts";
import { roundRobin } from "../../kernel/concurrency.ts";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS as KERNEL } from "../../kernel/limits.ts";
import type { Permission } from "../../kernel/permissions.ts";
import { asAppError } from "../../registry/as-app-error.ts";
import type { BodyLease } from "../../registry/body-budget.ts";
import { applicationFacts, type Caller, tokenFacts } from "../../registry/caller.ts";
import type { ResourceChange } from "../../registry/define-resource.ts";
import { challenge, refusal } from "../http/answers.ts";
import { readBody } from "../http/body.ts";
import { type Admitted, authInfo } from "./admitted.ts";
import { LIMITS } from "./limits.ts";
import { OlderRevisions } from "./older-revisions.ts";
import { ServerFactory, type ServerParts } from "./server-factory.ts";
import { type SessionParts, Sessions } from "./sessions.ts";
import { StreamGuard, WatchedUris } from "./stream-guard.ts";
import { EnabledToolsets, toolChoice } from "./tool-list.ts";
import {
  changeErrorIn,
  changingErrors,
  fillParams,
  forSdk,
  type Message,
  messagesOf,
} from "./wire-format.ts";

export interface EndpointParts
  extends Omit<ServerParts, "onSubscribe" | "onToolsChanged" | "enabledToolsets"> {
  identity: Identity;
  /** Says who is calling, where the operator has a way of his own; otherwise identity does, by the token. */
  authenticate?: (request: Request) => Promise<Authenticated>;
  /** Counts requests, where the endpoint has limits of its own; otherwise identity does. */
  admit?: TransportLimiter["admit"];
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
  /** Told when the answer is out, or nobody wants it any more. */
  whenClosed(listener: () => void): void;
}

/** One of the six endpoints: who are you, what do you speak, then the SDK. */
export class Endpoint {
  readonly #parts: EndpointParts;
  readonly #factory: ServerFactory;
  readonly #makeModern: () => McpHttpHandler;
  /** One for each workspace, so that what is announced in one is heard in no other. */
  readonly #modern = new Map<number, McpHttpHandler>();
  readonly #streams = new StreamGuard();
  readonly #watched = new WatchedUris();
  readonly #older: OlderRevisions;
  readonly sessions: Sessions;

  constructor(parts: EndpointParts) {
    const { surface, identity, ports } = parts;
    const report = (error: Error) =>
      ports.log.debug({ err: error, surface: surface.name }, "mcp request refused");
    this.#parts = parts;
    this.#factory = new ServerFactory({
      ...parts,
      enabledToolsets: new EnabledToolsets(parts.sessions),
      onToolsChanged: (workspaceId) => this.#modern.get(workspaceId)?.notify.toolsChanged(),
      onSubscribe: (...subscription) => this.sessions.watch(...subscription),
    });
    const { wireError } = surface.presenter;
    const makeFor = (to: { isNewest: boolean }) => () => {
      const server = this.#factory.make();
      return wireError === undefined ? server : changingErrors(server, (error) => wireError(error, to));
    };
    const makeOlder = makeFor({ isNewest: false });
    this.#makeModern = () =>
      createMcpHandler(makeFor({ isNewest: true }), { legacy: "reject", onerror: report });
    this.sessions = new Sessions({
      ...parts.sessions,
      surface,
      audit: identity.audit,
      makeServer: makeOlder,
    });
    this.#older = new OlderRevisions(surface, this.sessions, legacyStatelessFallback(makeOlder, report));
  }

  /** The factory knows which tools a caller sees; the REST twins ask it too. */
  get tools(): ServerFactory {
    return this.#factory;
  }

  async handle(request: Request, arrival: Arrival): Promise<Response> {
    const { wireError } = this.#parts.surface.presenter;
    const answer = await this.#handle(request, arrival);
    if (wireError === undefined) return answer;
    return changeErrorIn(answer, (error) => wireError(error, { isNewest: true }));
  }

  async #handle(request: Request, arrival: Arrival): Promise<Response> {
    const admission = await this.admitOrRefuse(request, arrival);
    if (admission instanceof Response) return admission;
    try {
      if (request.method === "POST") return await this.#post(request, arrival, admission);
      if (request.method === "GET") return await this.#listen(request, arrival, admission);
      if (request.method === "DELETE") return await this.#older.end(request, admission);
      return new Response(null, { status: 405, headers: { allow: "GET, POST, DELETE" } });
    } catch (thrown) {
      return this.#refuse(thrown, arrival, null);
    }
  }

  /** Whoever is not let in, here or by the routes beside the endpoint, gets the endpoint's own answer. */
  async admitOrRefuse(request: Request, arrival: Arrival): Promise<Admitted | Response> {
    try {
      return await this.#admit(request, arrival);
    } catch (thrown) {
      return this.#refuse(thrown, arrival, null, INVALID_REQUEST);
    }
  }

  /** Authenticates and counts the request, or throws `unauthorized`, `forbidden` or `rate_limited`. */
  async #admit(request: Request, arrival: Arrival): Promise<Admitted> {
    const { surface, ports } = this.#parts;
    const { address, requestId } = arrival;
    const client = clientOf(request);
    const { caller, tokenHash, plan } = await this.#authenticate(request, arrival);
    const counted = { surface: surface.name, tokenHash, userId: caller.user.id, address, plan };
    const leaveFlight = await ports.admission.enter({ caller, address }, () => this.#count(counted));
    arrival.whenClosed(leaveFlight);
    const path = new URL(arrival.resource).pathname;
    const meta = { surface: surface.name, requestId, address, tokenHash, sessionId: null, client, path };
    const choice = toolChoice(request, surface);
    const line = lineOf(request, tokenHash);
    const answered = { characters: 0 };
    const admission = { caller, meta, plan, line, choice, url: arrival.resource, answered, leaveFlight };
    this.#requireScope(surface.entry, admission);
    return admission;
  }

  async #authenticate(request: Request, arrival: Arrival): Promise<Authenticated> {
    const { authenticate, identity } = this.#parts;
    if (authenticate !== undefined) return authenticate(request);
    return identity.authenticate(this.#proofOf(request, arrival));
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
  async announce(change: ResourceChange): Promise<void> {
    const { workspaceId } = change;
    const isChanged = (uri: string) => this.#factory.isChanged(uri, change);
    const handler = this.#modern.get(workspaceId);
    for (const uri of this.#watched.of(workspaceId).filter(isChanged)) handler?.notify.resourceUpdated(uri);
    await this.sessions.announce(workspaceId, isChanged);
  }

  /** The workspaces in which somebody watches a resource, by way of this process. */
  watchedWorkspaces(): number[] {
    return [...this.#watched.workspaces(), ...this.sessions.watchedWorkspaces()];
  }

  async close(): Promise<void> {
    await Promise.all([
      ...[...this.#modern.values()].map((handler) => handler.close()),
      this.sessions.close(),
    ]);
  }

  async #post(request: Request, arrival: Arrival, admission: Admitted): Promise<Response> {
    return this.withBody(request, arrival, admission, ["params", "arguments"], (read, lease) => {
      const body = fillParams(read, this.#parts.surface, admission.meta.client);
      const line = lineOf(request, admission.meta.tokenHash, body);
      return this.#answer(request, arrival, body, { ...admission, lease, line });
    });
  }

  /**
   * Reads the body of a request by an admitted caller. The memory that it takes is counted until it has been used and
   * the answer is out, whichever is later: a caller that hangs up frees nothing.
   */
  async withBody<T>(
    request: Request,
    arrival: Arrival,
    { meta, caller, line }: Admitted,
    path: readonly string[],
    use: (body: unknown, lease: BodyLease) => Promise<T>,
  ): Promise<T> {
    const { ports, registry, surface } = this.#parts;
    const lease = ports.admission.openBody({ caller, address: meta.address }, line, meta.tokenHash);
    arrival.whenClosed(lease.hold());
    const letGo = lease.hold();
    try {
      const data = { path, lists: registry.longLists(surface.name) };
      return await use(await readBody(request, { data, lease, turn: () => roundRobin.take(line) }), lease);
    } finally {
      letGo();
    }
  }

  async #answer(request: Request, arrival: Arrival, body: unknown, admission: Admitted): Promise<Response> {
    const messages = messagesOf(body);
    await this.#admitBatch(messages, admission);
    await this.#requireReadable(messages, admission, request.signal);
    const refused = this.#stepUp(messages, arrival, admission);
    if (refused !== undefined) return refused;
    if (await isLegacyRequest(request, body)) return this.#older.answer(request, body, messages, admission);
    return this.#newest(request, arrival, body, messages, admission);
  }

  /** Each message of a batch counts like a request of its own. */
  async #admitBatch(messages: Message[], { caller, meta, plan }: Admitted): Promise<void> {
    if (messages.length > KERNEL.request.batchMessages) {
      throw new AppError("too_large", `A batch holds at most ${KERNEL.request.batchMessages} messages.`);
    }
    if (messages.length < 2) return;
    const { surface, tokenHash, address } = meta;
    const userId = caller.user.id;
    const batch = { surface, tokenHash, userId, address, plan, cost: messages.length - 1 };
    await this.#parts.ports.admission.pass("request_rate", { caller, address }, () => this.#count(batch));
  }

  async #count(request: Parameters<TransportLimiter["admit"]>[0]): Promise<void> {
    const { admit, identity } = this.#parts;
    await (admit === undefined ? identity.limiter.admit(request) : admit(request));
  }

  async #newest(
    request: Request,
    arrival: Arrival,
    body: unknown,
    messages: Message[],
    admission: Admitted,
  ): Promise<Response> {
    const workspaceId = admission.caller.workspace.id;
    const handler = this.#modern.get(workspaceId) ?? this.#makeModern();
    this.#modern.set(workspaceId, handler);
    const isListening = messages.some(({ method }) => method === "subscriptions/listen");
    const modern = { ...admission, isModern: true as const };
    const handled = () => handler.fetch(forSdk(request), { authInfo: authInfo(modern), parsedBody: body });
    if (!isListening) return handled();
    this.#streams.admit(ownerOf(admission));
    admission.leaveFlight();
    const uris = watchedBy(messages) as string[];
    const forget = this.#watched.add(workspaceId, uris);
    const answer = await handled().catch((error) => {
      forget();
      throw error;
    });
    const mayListen = (caller: Caller) => uris.every((uri) => this.#factory.mayRead(uri, caller));
    return this.#guarded(request, arrival, admission, answer, { mayListen, onEnd: forget });
  }

  async #listen(request: Request, arrival: Arrival, admission: Admitted): Promise<Response> {
    this.#streams.admit(ownerOf(admission));
    admission.leaveFlight();
    const answer = await this.#older.stream(request, admission);
    const mayListen = (caller: Caller) => {
      const session = request.headers.get("mcp-session-id") ?? "";
      this.sessions.unwatch(session, admission, (uri) => this.#factory.mayRead(uri, caller));
      return true;
    };
    return this.#guarded(request, arrival, admission, answer, { mayListen });
  }

  #guarded(
    request: Request,
    arrival: Arrival,
    admission: Admitted,
    answer: Response,
    { mayListen, onEnd }: { mayListen: (caller: Caller) => boolean; onEnd?: () => void },
  ): Response {
    const isStillGood = async () => mayListen((await this.#authenticate(request, arrival)).caller);
    return this.#streams.guard(ownerOf(admission), answer, isStillGood, onEnd);
  }

  /** The SDK serves `subscriptions/listen` by itself, so what may be watched is checked before. */
  async #requireReadable(messages: Message[], admission: Admitted, signal: AbortSignal): Promise<void> {
    const uris = watchedBy(messages);
    if (uris.length > LIMITS.session.watchedResources) {
      throw new AppError(
        "too_large",
        `At most ${LIMITS.session.watchedResources} resources can be watched at once.`,
      );
    }
    for (const uri of uris) {
      const isText = typeof uri === "string";
      const problem = isText ? await this.#factory.whyNotWatch(uri, admission, signal) : noneOf();
      if (problem !== undefined) throw problem.code === "rate_limited" ? problem : noneOf();
    }
  }

  /** A token that could do more with other scopes is told so by HTTP, so that its client can ask for them. */
  #stepUp(messages: Message[], arrival: Arrival, admission: Admitted): Response | undefined {
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

  #requireScope(required: readonly Permission[], { caller, meta }: Admitted): void {
    const { identity, ports } = this.#parts;
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
      address: meta.address,
      ...tokenFacts(caller),
      metadata: { missing: missing.scope, ...applicationFacts(caller) },
    });
    ports.admission.check("scope", { caller, address: meta.address }, () => {
      throw new AppError("forbidden", `Scope ${missing.scope.join(", ")} missing.`, {
        hint: "Use a token with that scope, or sign in again and grant it.",
        data: {
          required,
          missing: missing.scope,
          scope: [...new Set([...caller.scopes, ...required])].join(" "),
        },
      });
    });
  }

  #refuse(thrown: unknown, arrival: Arrival, id: string | number | null, badRequest = PARSE_ERROR): Response {
    const { surface, ports } = this.#parts;
    const { presenter } = surface;
    const error = this.#factory.localError(asAppError(thrown, ports.log, { requestId: arrival.requestId }));
    return error.code === "bad_request"
      ? Response.json(
          { jsonrpc: "2.0", id, error: { code: badRequest, message: error.advice } },
          { status: 400 },
        )
      : refusal(error, presenter.httpError(error, id), challenge(error, arrival.metadataUrl));
  }
}

/** The resources that requests of the newest revision want to be told of, as they were sent. */
function watchedBy(messages: readonly Message[]): unknown[] {
  const listening = messages.filter(({ method }) => method === "subscriptions/listen");
  return listening.flatMap(({ params }) => {
    const wishes = (params?.notifications ?? {}) as { resourceSubscriptions?: unknown };
    return [wishes.resourceSubscriptions ?? []].flat();
  });
}

function noneOf(): AppError {
  return new AppError("not_found", "A resource that is to be watched was not found.");
}

/** In which line a request waits for its turns: what is small does not wait for what is large. */
function lineOf(request: Request, tokenHash: string, body?: unknown): string {
  const bytes = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  return bytes > KERNEL.request.lightBytes || Array.isArray(body) ? `${tokenHash} large` : tokenHash;
}

/** Whose streams are counted together. */
function ownerOf({ caller }: Admitted): string {
  return `${caller.workspace.id}:${caller.user.id}`;
}

/** Until `initialize` tells better, a client is known by the first word of its User-Agent. */
function clientOf(request: Request): { name: string; version: string } {
  const [name = "unknown", version = "0"] =
    (request.headers.get("user-agent") ?? "").split(" ")[0]?.split("/") ?? [];
  return { name: name.slice(0, 100) || "unknown", version: version.slice(0, 50) };
}
