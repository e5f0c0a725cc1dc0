import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Clock } from "../../kernel/clock.ts";
import { randomText } from "../../kernel/ids.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Permission } from "../../kernel/permissions.ts";
import type { KeyValueState } from "../../platform/state/index.ts";
import type { AuditSink } from "../../registry/ports.ts";
import type { Admission } from "./server-factory.ts";
import type { Surface } from "./surface.ts";

/** What every replica must know of a session; the live stream stays with the process that holds it. */
export interface SessionRecord {
  id: string;
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
}

export interface SessionParts {
  surface: Surface;
  kv: KeyValueState;
  audit: AuditSink;
  clock: Clock;
  idleMs: number;
  makeServer: () => Server;
}

/** What a client calls itself; the SDK checks it only after the session has begun. */
const clientInfo = z.object({ name: z.string(), version: z.string() });

/** The sessions of one endpoint. Keys hold workspace and user, so another's session looks like none at all. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #live = new Map<string, LiveSession>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async find(id: string, admission: Admission): Promise<SessionRecord | undefined> {
    if (!isSessionId(id)) return undefined;
    const key = this.#key(id, admission);
    const record = (await this.#parts.kv.get(key)) as SessionRecord | undefined;
    if (record === undefined) return undefined;
    if (record.tokenHash === admission.meta.tokenHash) {
      await this.#parts.kv.touch(key, this.#parts.idleMs);
      return record;
    }
    const renewed = {
      ...record,
      permissions: admission.caller.permissions,
      tokenHash: admission.meta.tokenHash,
    };
    await this.#parts.kv.set(key, renewed, this.#parts.idleMs);
    return renewed;
  }

  async create(
    admission: Admission,
    initialize: Record<string, unknown>,
    chosenId?: string,
  ): Promise<SessionRecord> {
    const id = chosenId !== undefined && isSessionId(chosenId) ? chosenId : randomText(18);
    await this.#makeRoom(admission);
    await this.#drop(this.#key(id, admission));
    const record: SessionRecord = {
      id,
      userId: admission.caller.user.id,
      permissions: admission.caller.permissions,
      tokenHash: admission.meta.tokenHash,
      initialize,
      createdAt: this.#parts.clock.now().toISOString(),
    };
    await this.#parts.kv.set(this.#key(id, admission), record, this.#parts.idleMs);
    this.#record("mcp.session.created", record, admission);
    return record;
  }

  async end(id: string, admission: Admission): Promise<boolean> {
    if (!isSessionId(id)) return false;
    const key = this.#key(id, admission);
    await this.#drop(key);
    const record = (await this.#parts.kv.take(key)) as SessionRecord | undefined;
    if (record !== undefined) this.#record("mcp.session.terminated", record, admission);
    return record !== undefined;
  }

  /** The live side of a session, opened again when this process does not hold it. */
  async open(
    record: SessionRecord,
    admission: Admission,
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
    const session = await this.#connect(record.id);
    this.#live.set(key, session);
    session.transport.onclose = () => this.#live.delete(key);
    if (greeted) await replayInitialize(session.transport, record);
    if (this.#live.size > LIMITS.session.perProcess)
      await this.#drop(this.#live.keys().next().value as string);
    return session;
  }

  /** Sessions that are not idle too long, of all users. */
  count(): Promise<number> {
    return this.#parts.kv.count(`session:${this.#parts.surface.name}:`);
  }

  watch(id: string, uri: string, watching: boolean): void {
    for (const [key, session] of this.#live) {
      if (!key.endsWith(`:${encodeURIComponent(id)}`)) continue;
      if (watching) session.watching.add(uri);
      else session.watching.delete(uri);
    }
  }

  /** Tells the sessions that watch a resource that it has changed. */
  async announce(uri: string): Promise<void> {
    const watching = [...this.#live.values()].filter((session) => session.watching.has(uri));
    await Promise.all(
      watching.map(({ server }) => server.sendResourceUpdated({ uri }).catch(() => undefined)),
    );
  }

  /** Closes what has been idle for too long. */
  async sweep(): Promise<void> {
    for (const key of [...this.#live.keys()]) {
      if ((await this.#parts.kv.get(key)) === undefined) await this.#drop(key);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live.keys()].map((key) => this.#drop(key)));
  }

  async #connect(id: string): Promise<LiveSession> {
    const server = this.#parts.makeServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: LIMITS.request.bodyBytes,
    });
    await server.connect(transport);
    return { server, transport, watching: new Set() };
  }

  async #drop(key: string): Promise<void> {
    const session = this.#live.get(key);
    this.#live.delete(key);
    await session?.server.close();
  }

  async #makeRoom(admission: Admission): Promise<void> {
    const prefix = this.#key("", admission);
    if ((await this.#parts.kv.count(prefix)) < LIMITS.session.perUser) return;
    const records = await this.#parts.kv.list(prefix);
    const idlest = records.reduce((a, b) => (a.expiresInMs <= b.expiresInMs ? a : b));
    await this.end((idlest.value as SessionRecord).id, admission);
  }

  #key(id: string, { caller }: Admission): string {
    return `session:${this.#parts.surface.name}:${caller.workspace.id}:${caller.user.id}:${encodeURIComponent(id)}`;
  }

  #record(action: string, { id, initialize }: SessionRecord, { caller, meta }: Admission): void {
    const client = clientInfo.safeParse(initialize.clientInfo).data ?? meta.client;
    this.#parts.audit.record({
      action,
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
    });
  }
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
