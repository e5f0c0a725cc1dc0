import { createHash } from "node:crypto";
import type { Tool as McpTool, Server } from "@modelcontextprotocol/server";
import { AppError } from "../../kernel/errors.ts";
import type { KeyValueState } from "../../platform/state/index.ts";
import { type Caller, limitPassed, type TokenKind } from "../../registry/caller.ts";
import type { ListedToolset } from "../../registry/context.ts";
import { type Effect, isToolset, TOOLSETS, type Toolset } from "../../registry/define-tool.ts";
import type { Authorizer } from "../../registry/ports.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";
import type { Admitted } from "./admitted.ts";
import { LIMITS } from "./limits.ts";
import type { Surface } from "./surface.ts";

interface ToolListParts {
  surface: Surface;
  registry: Registry;
  authorizer: Authorizer;
  enabledToolsets: EnabledToolsets;
}

/** Which tools of a surface a caller sees and finds. */
export class ToolList {
  readonly #parts: ToolListParts;

  constructor(parts: ToolListParts) {
    this.#parts = parts;
  }

  /** The names of all tools of this surface, whoever asks. */
  names(): string[] {
    return this.#parts.registry.tools(this.#parts.surface.name).map(({ name }) => name);
  }

  /** The tools that this caller sees on this surface; those of apps are only for clients that show these. */
  visible({ caller, choice }: Pick<Admitted, "caller" | "choice">, { showsApps = false } = {}): WireTool[] {
    const { surface, registry, authorizer } = this.#parts;
    return registry
      .tools(surface.name)
      .filter((tool) => showsApps || !tool.tool.isForApps)
      .filter((tool) => isVisible(surface, tool, caller, choice, authorizer));
  }

  /** A tool by its wire name, unless the request or the token has switched it off. */
  find(name: string, { caller, choice }: Admitted): WireTool | undefined {
    const tool = this.#parts.registry.tool(this.#parts.surface.name, name);
    const { limits } = caller.token;
    if (tool === undefined) return undefined;
    // A toolset that is merely not listed may still be called by name; a limit may not be passed.
    if (limits.toolsets !== null && !limits.toolsets.includes(tool.tool.toolset)) return undefined;
    return choice.readOnly && tool.tool.effect !== "read" ? undefined : tool;
  }

  /** The admission with the toolsets that this client has switched on. */
  async withEnabled(server: Server, admission: Admitted): Promise<Admitted> {
    const { surface, enabledToolsets } = this.#parts;
    if (!surface.hasToolsets) return admission;
    const choice = await enabledToolsets.addTo(admission.choice, ownerOf(server, admission));
    return { ...admission, choice };
  }

  /** Switches a toolset on, if this caller sees anything of it; `changed` is told of a list that is another now. */
  async enable(
    toolset: Toolset,
    server: Server,
    admission: Admitted,
    changed: () => Promise<void>,
  ): Promise<ListedToolset> {
    const before = await this.withEnabled(server, admission);
    const { caller, choice } = before;
    const toolsets = new Set([...choice.toolsets, toolset]);
    const tools = this.visible({ caller, choice: { ...choice, toolsets } })
      .filter(({ tool }) => tool.toolset === toolset)
      .map(({ name }) => name);
    const url = `${admission.url}?toolsets=${toolsetsQuery(toolsets)}${choice.readOnly ? "&readonly=true" : ""}`;
    if (tools.length === 0 || choice.toolsets.has(toolset)) return { tools, keeper: "request", url };
    await this.#parts.enabledToolsets.add(toolset, ownerOf(server, before));
    await changed();
    return { tools, keeper: admission.meta.sessionId === null ? "client" : "session", url };
  }
}

function ownerOf(server: Server, { caller, meta }: Admitted): ListOwner {
  const { name } = server.getClientVersion() ?? meta.client;
  return { caller, sessionId: meta.sessionId, clientName: name };
}

/** What the request itself asks for on `/mcp`: by query (`?toolsets=a,b&readonly=true`) or header. */
export interface ToolChoice {
  toolsets: ReadonlySet<Toolset>;
  readOnly: boolean;
}

/** Their scopes never grow, so tools beyond them are not shown; an OAuth client may step up. */
const FIXED_SCOPE_KINDS: readonly TokenKind[] = ["api", "mcp", "memory", "knowledge", "bearer"];

const ALL = Object.keys(TOOLSETS).filter(isToolset);
const BY_DEFAULT = ALL.filter((name) => TOOLSETS[name].byDefault);

export function toolChoice(request: Request, { hasToolsets }: Pick<Surface, "hasToolsets">): ToolChoice {
  const query = request.url.indexOf("?");
  // In a query + stands for a space; here it is meant as it is written.
  const asked = new URLSearchParams(query === -1 ? "" : request.url.slice(query).replaceAll("+", "%2B"));
  // A misspelt name would look as if the toolset were empty.
  if (hasToolsets && asked.has("toolset") && !asked.has("toolsets")) {
    throw new AppError("bad_request", "Unknown parameter in the URL: toolset.", {
      hint: "Did you mean toolsets?",
    });
  }
  const named = asked.get("toolsets") ?? request.headers.get("x-mcp-toolsets");
  const readOnly = asked.get("readonly") ?? request.headers.get("x-mcp-readonly");
  return {
    toolsets: hasToolsets ? chosenToolsets(named ?? "") : new Set(),
    readOnly: readOnly !== null && readOnly.toLowerCase() !== "false",
  };
}

/** `a,b` are these and no others; `+a` comes to the default, or to the others that are named. */
function chosenToolsets(named: string): Set<Toolset> {
  const words = named
    .split(",")
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== "");
  const isReplaced = words.some((word) => !word.startsWith("+"));
  const names = words
    .map((word) => word.replace(/^\+\s*/, ""))
    .flatMap((word) => (word === "all" ? ALL : word));
  const unknown = names.find((name) => !isToolset(name));
  if (unknown !== undefined) {
    throw new AppError("bad_request", `Unknown toolset: ${JSON.stringify(unknown.slice(0, 100))}.`, {
      hint: `There are ${ALL.join(", ")}, and all; +name adds one to the default.`,
    });
  }
  return new Set([...(isReplaced ? [] : BY_DEFAULT), ...names.filter(isToolset)]);
}

/** The value of `?toolsets=` that asks for just these. */
function toolsetsQuery(toolsets: ReadonlySet<Toolset>): string {
  const names = [...toolsets];
  if (!BY_DEFAULT.every((name) => toolsets.has(name))) return names.join(",");
  return names
    .filter((name) => !TOOLSETS[name].byDefault)
    .map((name) => `+${name}`)
    .join(",");
}

function isVisible(
  surface: Surface,
  { tool }: WireTool,
  caller: Caller,
  choice: ToolChoice,
  authorizer: Authorizer,
): boolean {
  if (choice.readOnly && tool.effect !== "read") return false;
  if (limitPassed(caller, tool) !== undefined) return false;
  const missing = authorizer.missing(caller, tool.permissions);
  if (missing.limit.length > 0) return false;
  if (!surface.hidesForbidden) return true;
  if (missing.role.length > 0) return false;
  if (missing.scope.length > 0 && FIXED_SCOPE_KINDS.includes(caller.token.kind)) return false;
  return choice.toolsets.has(tool.toolset);
}

/** Whose list of tools it is: that of a session or, without one, of a client by its name and token. */
export interface ListOwner {
  caller: Caller;
  sessionId: string | null;
  clientName: string;
}

/**
 * The toolsets that agents have switched on. They only add to what is listed: what a caller may do is decided for
 * each tool by itself. A record for each, so that two that come at once do not undo each other.
 */
export class EnabledToolsets {
  readonly #kv: KeyValueState;
  readonly #idleMs: number;

  constructor({ kv, idleMs }: { kv: KeyValueState; idleMs: number }) {
    this.#kv = kv;
    this.#idleMs = idleMs;
  }

  /** What a request asks for, and what was switched on before. It stays so as long as it is asked for. */
  async addTo(choice: ToolChoice, owner: ListOwner): Promise<ToolChoice> {
    const records = await this.#kv.list(prefixOf(owner));
    await Promise.all(records.map(({ key }) => this.#kv.touch(key, this.#idleMs)));
    const names = records.map(({ key }) => key.slice(key.lastIndexOf(":") + 1)).filter(isToolset);
    return { ...choice, toolsets: new Set([...choice.toolsets, ...names]) };
  }

  async add(toolset: Toolset, owner: ListOwner): Promise<void> {
    await this.#makeRoom(owner);
    await this.#kv.set(`${prefixOf(owner)}${toolset}`, true, this.#idleMs);
  }

  async #makeRoom(owner: ListOwner): Promise<void> {
    const prefix = personPrefix(owner);
    if ((await this.#kv.count(prefix)) < LIMITS.session.enabledToolsets) return;
    const records = await this.#kv.list(prefix);
    await this.#kv.delete(records.reduce((a, b) => (a.expiresInMs <= b.expiresInMs ? a : b)).key);
  }
}

function personPrefix({ caller }: ListOwner): string {
  return `toolsets:${caller.workspace.id}:${caller.user.id}:`;
}

function prefixOf(owner: ListOwner): string {
  const { caller, sessionId, clientName } = owner;
  const person = personPrefix(owner);
  if (sessionId !== null) return `${person}session:${encodeURIComponent(sessionId)}:`;
  // What a client calls itself may be long, and may hold the colons that part a key.
  const application = caller.token.application?.id ?? "";
  const client = createHash("sha256").update(`${application}\0${clientName}`).digest("base64url");
  return `${person}client:${caller.token.id}:${client}:`;
}

const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const ANNOTATIONS: Record<Effect, McpTool["annotations"]> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  write: WRITES,
  delegate: WRITES,
  destroy: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

/** A tool as tools/list shows it. */
export function publish({ tool, name, description, inputSchema, outputSchema }: WireTool): McpTool {
  const ui = tool.isForApps ? { visibility: ["app"] } : tool.app && { resourceUri: tool.app };
  return {
    name,
    title: tool.title,
    description,
    inputSchema: inputSchema as McpTool["inputSchema"],
    outputSchema: outputSchema as NonNullable<McpTool["outputSchema"]>,
    annotations: ANNOTATIONS[tool.effect],
    ...(ui !== undefined && { _meta: { ui } }),
  };
}
