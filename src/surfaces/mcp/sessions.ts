import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS as KERNEL } from "../../kernel/limits.ts";
import type { Permission } from "../../kernel/permissions.ts";
import { randomText } from "../../kernel/text.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { KeyValueState } from "../../platform/state/index.ts";
import type { AuditEvent, AuditSink } from "../../registry/ports.ts";
import type { Admitted } from "./admitted.ts";
import { LIMITS } from "./limits.ts";
import type { Surface } from "./surface.ts";

/** What every replica must know of a session; the live stream stays with the process that holds it. */
export interface SessionRecord {
  id: string;
  /** Tells it from an earlier one of the same name; none where nobody else can have had the name. */
  epoch?: string;
  userId: number;
  /** The power at the start: a session never gains from a later change of role, only from a new token. */
  permissions: readonly Permission[];
  tokenHash: string;
  initialize: Record<string, unknown>;
  createdAt: string;
}

interface LiveSession {
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  watching: Set<string>;
  /** Ids of requests that are being worked on: an id names one request at a time. */
  inFlight: Set<string | number>;
}

export interface SessionParts {
  surface: Surface;
  kv: KeyValueState;
  audit: AuditSink;
  clock: Clock;
  idleMs: number;
  makeServer: () => Server;
}

/** How long after its expiry a session is still known to have been there, for whoever sweeps. */
const NOTICED_MS = MS.day;
/** How long an id that was handed out unasked waits to be used. */
const ISSUED_MS = 5 * MS.minute;

/** What a client calls itself; the SDK checks it only after the session has begun. */
const clientInfo = z.object({ name: z.string(), version: z.string() });

/** The sessions of one endpoint. Keys hold workspace and user, so another's session looks like none at all. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #live = new Map<string, LiveSession>();
  readonly #opening = new Map<string, Promise<LiveSession>>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async find(id: string, admission: Admitted): Promise<SessionRecord | undefined> {
    if (!isSessionId(id)) return undefined;
    const key = this.#key(id, admission);
    const record = (await this.#parts.kv.get(key)) as SessionRecord | undefined;
    if (record === undefined) return this.#promote(id, admission);
    if (record.tokenHash === admission.meta.tokenHash) {
      await this.#touch(key);
      return record;
    }
    const renewed = {
      ...record,
      permissions: admission.caller.permissions,
      tokenHash: admission.meta.tokenHash,
    };
    await this.#parts.kv.set(key, renewed, this.#parts.idleMs);
    await this.#touch(key);
    return renewed;
  }

  async #touch(key: string): Promise<void> {
    const { kv, idleMs } = this.#parts;
    await Promise.all([kv.touch(key, idleMs), kv.touch(endingKey(key), idleMs + NOTICED_MS)]);
  }

  async create(
    admission: Admitted,
    initialize: Record<string, unknown>,
    chosenId?: string,
    { isIssued = false } = {},
  ): Promise<SessionRecord> {
    const isChosen = chosenId !== undefined && isSessionId(chosenId);
    const id = isChosen ? chosenId : randomText(18);
    await this.#makeRoom(admission);
    const key = this.#key(id, admission);
    await this.#end(key, "replaced");
    const record: SessionRecord = {
      id,
      ...(isChosen && !isIssued && { epoch: randomText(9) }),
      userId: admission.caller.user.id,
      permissions: admission.caller.permissions,
      tokenHash: admission.meta.tokenHash,
      initialize,
      createdAt: this.#parts.clock.now().toISOString(),
    };
    const { kv, idleMs, audit } = this.#parts;
    await kv.set(key, record, idleMs);
    const event = eventOf(record, admission);
    await kv.set(endingKey(key), event, idleMs + NOTICED_MS);
    audit.record({ ...event, action: "mcp.session.created" });
    return record;
  }

  /** An id for a client that came without one. It becomes a session only when it is used. */
  async issue(admission: Admitted, initialize: Record<string, unknown>): Promise<string> {
    const id = randomText(18);
    await this.#parts.kv.set(issuedKey(this.#key(id, admission)), initialize, ISSUED_MS);
    return id;
  }

  async #promote(id: string, admission: Admitted): Promise<SessionRecord | undefined> {
    const initialize = await this.#parts.kv.take(issuedKey(this.#key(id, admission)));
    return initialize === undefined
      ? undefined
      : this.create(admission, initialize as Record<string, unknown>, id, { isIssued: true });
  }

  async end(id: string, admission: Admitted): Promise<boolean> {
    if (!isSessionId(id)) return false;
    return this.#end(this.#key(id, admission), "deleted");
  }

  /** Ends what there is under a key, and writes down why; whether it still lived. */
  async #end(key: string, reason: "deleted" | "replaced" | "expired"): Promise<boolean> {
    const { kv, audit } = this.#parts;
    await this.#drop(key);
    const isAlive = (await kv.take(key)) !== undefined;
    // Taken by one process only, so that an end is told once.
    const ending = (await kv.take(endingKey(key))) as SessionEvent | undefined;
    if (ending !== undefined) {
      const metadata = { ...ending.metadata, reason: isAlive ? reason : "expired" };
      audit.record({ ...ending, metadata, action: "mcp.session.terminated" });
    }
    return isAlive;
  }

  /** The live side of a session, opened again when this process does not hold it. */
  async open(
    record: SessionRecord,
    admission: Admitted,
    { greeted }: { greeted: boolean },
  ): Promise<LiveSession> {
    const key = this.#key(record.id, admission);
    const existing = this.#live.get(key);
    if (existing !== undefined) {
      // Re-inserting keeps the map in order of last use.
      this.#live.delete(key);
      this.#live.set(key, existing);
      return existing;
    }
    // Two requests at once must not open it twice.
    const opening = this.#opening.get(key) ?? this.#openNew(key, record, greeted);
    this.#opening.set(key, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(key);
    }
  }

  async #openNew(key: string, record: SessionRecord, greeted: boolean): Promise<LiveSession> {
    const session = await this.#connect(record.id);
    this.#live.set(key, session);
    // The SDK's own handler ends what still runs; ours only forgets the session.
    const ended = session.transport.onclose;
    session.transport.onclose = () => {
      this.#live.delete(key);
      ended?.();
    };
    if (greeted) await replayInitialize(session.transport, record);
    if (this.#live.size > LIMITS.session.perProcess)
      await this.#drop(this.#live.keys().next().value as string);
    return session;
  }

  /** Sessions that are not idle too long, of all users. */
  count(): Promise<number> {
    return this.#parts.kv.count(`session:${this.#parts.surface.name}:`);
  }

  watch(id: string, admission: Admitted, uri: string, watching: boolean): void {
    const session = this.#live.get(this.#key(id, admission));
    if (!watching) session?.watching.delete(uri);
    else if (session !== undefined) {
      if (
        session.watching.size >= LIMITS.session.watchedResources ||
        uri.length > LIMITS.session.uriCharacters
      ) {
        throw new AppError(
          "too_large",
          `A session watches at most ${LIMITS.session.watchedResources} resources.`,
        );
      }
      session.watching.add(uri);
    }
  }

  /** Stops watching what a session's owner may no longer read. */
  unwatch(id: string, admission: Admitted, mayRead: (uri: string) => boolean): void {
    const watching = this.#live.get(this.#key(id, admission))?.watching ?? new Set();
    for (const uri of watching) if (!mayRead(uri)) watching.delete(uri);
  }

  /** The workspaces in which this process has sessions that watch something. */
  watchedWorkspaces(): number[] {
    const watching = [...this.#live].filter(([, session]) => session.watching.size > 0);
    return watching.map(([key]) => Number(key.split(":")[2]));
  }

  /** Tells the sessions of one workspace of each resource that they watch and that has changed. */
  async announce(workspaceId: number, isChanged: (uri: string) => boolean): Promise<void> {
    const prefix = `session:${this.#parts.surface.name}:${workspaceId}:`;
    const told = [...this.#live]
      .filter(([key]) => key.startsWith(prefix))
      .flatMap(([, { server, watching }]) =>
        [...watching].filter(isChanged).map((uri) => server.sendResourceUpdated({ uri })),
      );
    await Promise.allSettled(told);
  }

  /** Closes what has been idle for too long, and writes it down. */
  async sweep(): Promise<void> {
    const { kv, surface } = this.#parts;
    for (const key of [...this.#live.keys()]) {
      if ((await kv.get(key)) === undefined) await this.#drop(key);
    }
    for (const { key: ending } of await kv.list(endingKey(`session:${surface.name}:`))) {
      const key = ending.slice(endingKey("").length);
      if ((await kv.get(key)) === undefined) await this.#end(key, "expired");
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live.keys()].map((key) => this.#drop(key)));
  }

  async #connect(id: string): Promise<LiveSession> {
    const server = this.#parts.makeServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: KERNEL.request.bodyBytes,
    });
    await server.connect(transport);
    const inFlight = new Set<string | number>();
    forgetAnswered(transport, inFlight);
    return { server, transport, watching: new Set(), inFlight };
  }

  async #drop(key: string): Promise<void> {
    const session = this.#live.get(key);
    this.#live.delete(key);
    await session?.server.close();
  }

  async #makeRoom(admission: Admitted): Promise<void> {
    const prefix = this.#key("", admission);
    if ((await this.#parts.kv.count(prefix)) < LIMITS.session.perUser) return;
    const records = await this.#parts.kv.list(prefix);
    const idle = records.filter(({ key }) => (this.#live.get(key)?.inFlight.size ?? 0) === 0);
    if (idle.length === 0) {
      const hint = "Wait until a call has ended, or end a session with DELETE.";
      throw new AppError("rate_limited", `You have ${records.length} sessions, and all are at work.`, {
        hint,
      });
    }
    const idlest = idle.reduce((a, b) => (a.expiresInMs <= b.expiresInMs ? a : b));
    await this.#end(idlest.key, "replaced");
  }

  #key(id: string, { caller }: Admitted): string {
    return `session:${this.#parts.surface.name}:${caller.workspace.id}:${caller.user.id}:${encodeURIComponent(id)}`;
  }
}

type SessionEvent = Omit<AuditEvent, "action">;

function eventOf({ id, initialize }: SessionRecord, { caller, meta }: Admitted): SessionEvent {
  const client = clientInfo.safeParse(initialize.clientInfo).data ?? meta.client;
  return {
    workspaceId: caller.workspace.id,
    userId: caller.user.id,
    resourceType: "mcp_session",
    resourceId: id,
    success: true,
    outcome: "ok",
    durationMs: 0,
    metadata: {
      surface: meta.surface,
      sessionId: id,
      clientName: client.name,
      clientVersion: client.version,
      requestId: meta.requestId,
    },
  };
}

/** Where it is kept what is written down at the end of a session, which an expired one cannot say any more. */
function endingKey(key: string): string {
  return `ending:${key}`;
}

function issuedKey(key: string): string {
  return `issued:${key}`;
}

/** Notes when a request has had its answer. */
function forgetAnswered(
  transport: WebStandardStreamableHTTPServerTransport,
  inFlight: Set<string | number>,
): void {
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if ("id" in message && !("method" in message) && message.id !== undefined) inFlight.delete(message.id);
    await send(message, options);
  };
}

function isSessionId(id: string): boolean {
  return id.length <= LIMITS.session.idCharacters && /^[\x21-\x7e]+$/.test(id);
}

/** The SDK's transport wants to have seen `initialize`; a session opened again replays its own. */
async function replayInitialize(
  transport: WebStandardStreamableHTTPServerTransport,
  record: SessionRecord,
): Promise<void> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await transport.handleRequest(new Request("http://replay/", { method: "POST", headers }), {
    parsedBody: { jsonrpc: "2.0", id: "initialize", method: "initialize", params: record.initialize },
  });
  await response.body?.cancel();
}
