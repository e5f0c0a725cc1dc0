import { isInitializeRequest, type legacyStatelessFallback } from "@modelcontextprotocol/server";
import { AppError } from "../../kernel/errors.ts";
import { type Admitted, authInfo } from "./admitted.ts";
import { LIMITS } from "./limits.ts";
import type { SessionRecord, Sessions } from "./sessions.ts";
import type { Surface } from "./surface.ts";
import { forSdk, type Message, takesStream, wantsStream, withoutStream } from "./wire-format.ts";

type StatelessHandler = ReturnType<typeof legacyStatelessFallback>;

/** How clients of 2024-11-05 to 2025-11-25 are served: with a session, or each request by itself. */
export class OlderRevisions {
  readonly #surface: Surface;
  readonly #sessions: Sessions;
  readonly #stateless: StatelessHandler;

  constructor(surface: Surface, sessions: Sessions, stateless: StatelessHandler) {
    this.#surface = surface;
    this.#sessions = sessions;
    this.#stateless = stateless;
  }

  async answer(request: Request, body: unknown, messages: Message[], admission: Admitted): Promise<Response> {
    const surface = this.#surface;
    const given = request.headers.get("mcp-session-id");
    // A greeting that the SDK would refuse begins no session: the refusal needs none.
    const greeting = messages.find((message) => isInitializeRequest(message));
    let session: SessionRecord | undefined;
    if (greeting !== undefined) {
      const chosen = surface.sessions.unknown === "create" ? (given ?? undefined) : undefined;
      session = await this.#sessions.create(admission, keptGreeting(greeting.params ?? {}), chosen);
    } else if (given !== null) {
      session = await this.#sessionFor(given, admission);
      if (session === undefined) return noSession(messages);
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
    const sessionId = await this.#unaskedId(admission);
    const meta = { ...admission.meta, sessionId: sessionId ?? null };
    const answer = await this.#stateless(forSdk(request), {
      authInfo: authInfo({ ...admission, meta }),
      parsedBody: body,
    });
    return this.#finish(request, answer, sessionId);
  }

  async #unaskedId(admission: Admitted): Promise<string | undefined> {
    const greeting = this.#greetingFor(admission);
    const { unasked } = this.#surface.sessions;
    if (unasked === "nothing") return undefined;
    return unasked === "id"
      ? this.#sessions.issue(admission, greeting)
      : (await this.#sessions.create(admission, greeting)).id;
  }

  async #inSession(
    request: Request,
    body: unknown,
    messages: Message[],
    session: SessionRecord,
    admission: Admitted,
    greeted: boolean,
  ): Promise<Response> {
    const { transport, inFlight } = await this.#sessions.open(session, admission, { greeted });
    const ids = messages.filter(({ method }) => method !== undefined).flatMap(({ id }) => id ?? []);
    const taken = ids.find((id, i) => inFlight.has(id) || ids.indexOf(id) !== i);
    if (taken !== undefined) return idInUse(taken);
    for (const id of ids) inFlight.add(id);
    return transport.handleRequest(forSdk(request, greeted ? session.id : undefined), {
      authInfo: authInfo(inSession(admission, session)),
      parsedBody: body,
    });
  }

  async #sessionFor(given: string, admission: Admitted): Promise<SessionRecord | undefined> {
    const found = await this.#sessions.find(given, admission);
    const { unknown } = this.#surface.sessions;
    if (found !== undefined || unknown === "refuse") return found;
    return this.#sessions.create(
      admission,
      this.#greetingFor(admission),
      unknown === "create" ? given : undefined,
    );
  }

  /** What a client that skipped `initialize` is taken to have said. */
  #greetingFor({ meta }: Admitted): Record<string, unknown> {
    return {
      protocolVersion: this.#surface.defaultProtocolVersion,
      capabilities: {},
      clientInfo: meta.client,
    };
  }

  async #finish(request: Request, answer: Response, sessionId: string | undefined): Promise<Response> {
    const plain = wantsStream(request) ? answer : await withoutStream(answer);
    const { acknowledgedStatus } = this.#surface;
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

  /** The stream for what the server says by itself. */
  async stream(request: Request, admission: Admitted): Promise<Response> {
    const given = request.headers.get("mcp-session-id");
    if (given === null || !takesStream(request)) {
      return new Response(null, { status: 405, headers: { allow: "POST, DELETE" } });
    }
    const session = await this.#sessions.find(given, admission);
    if (session === undefined) return noSession([]);
    const { transport } = await this.#sessions.open(session, admission, { greeted: true });
    return transport.handleRequest(forSdk(request, session.id), {
      authInfo: authInfo(inSession(admission, session)),
    });
  }

  async end(request: Request, admission: Admitted): Promise<Response> {
    const given = request.headers.get("mcp-session-id") ?? "";
    const ended = await this.#sessions.end(given, admission);
    const { endedBody } = this.#surface.sessions;
    if (endedBody !== null) return Response.json(endedBody);
    return ended ? new Response(null, { status: 200 }) : noSession([]);
  }
}

function noSession(messages: Message[]): Response {
  const error = { code: -32001, message: "Session not found. Send initialize to start a new one." };
  return Response.json({ jsonrpc: "2.0", id: messages[0]?.id ?? null, error }, { status: 404 });
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
function inSession(admission: Admitted, session: SessionRecord): Admitted {
  const { caller, meta } = admission;
  const permissions = caller.permissions.filter((permission) => session.permissions.includes(permission));
  const { id: sessionId, epoch: sessionEpoch } = session;
  const named = { ...meta, sessionId, ...(sessionEpoch !== undefined && { sessionEpoch }) };
  return { ...admission, caller: { ...caller, permissions }, meta: named };
}
