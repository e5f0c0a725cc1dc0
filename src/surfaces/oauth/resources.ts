import { PERMISSIONS, type Permission, parseScopes } from "../../kernel/permissions.ts";
import { MS } from "../../kernel/time.ts";
import type { SurfaceName } from "../../registry/caller.ts";
import { MCP_SURFACES } from "../mcp/surface.ts";

/** The protected resources: the six endpoints, and the server as a whole for clients that name none. */

/** What is asked for when a request names neither scope nor resource, as in seed 001. */
const DEFAULT_SCOPES: readonly Permission[] = ["data_agent:read", "data_agent:write", "ontologies:read"];

/** The scopes that make sense at each endpoint. */
const SURFACE_SCOPES: Record<SurfaceName, readonly Permission[]> = {
  bi: ["bi:read", "bi:write", "knowledge:read", "knowledge:write"],
  agent: DEFAULT_SCOPES,
  memory: ["memory:read", "memory:write"],
  models: ["ontologies:read", "ontologies:write"],
  knowledge: ["knowledge:read", "knowledge:write"],
  all: PERMISSIONS,
};

/** Scopes of the protocol itself; they give no power here. */
export const PROTOCOL_SCOPES: readonly string[] = ["openid", "offline_access"];

const MCP_TOKEN_SECONDS = (365 * MS.day) / 1_000;

export interface ResourceRules {
  scopes: readonly Permission[];
  ttlSeconds: number;
  /** Seed 000's one-year token must be revocable, so it is not a signed one that nobody need ask about. */
  isOpaque: boolean;
}

export class Resources {
  readonly #appUrl: string;
  readonly #accessTtlSeconds: number;

  constructor(appUrl: string, accessTtlSeconds: number) {
    this.#appUrl = appUrl;
    this.#accessTtlSeconds = accessTtlSeconds;
  }

  /** The resources as they are compared: without a trailing slash, each once. */
  normalise(resources: readonly string[]): string[] {
    return [...new Set(resources.map((resource) => resource.replace(/\/$/, "")))];
  }

  /**
   * What to ask the person for: of the words that the client sent, those that mean something at these resources.
   * A client that sent none, or only words of the protocol, asks for what is usual there.
   */
  scopesFor(asked: readonly string[], resources: readonly string[]): string[] {
    const words = asked.filter((word) => word !== "");
    const protocol = words.filter((word) => PROTOCOL_SCOPES.includes(word));
    const offered = new Set(resources.flatMap((resource) => this.rules(resource)?.scopes ?? []));
    const isSilent = words.length === protocol.length;
    const wanted = isSilent ? this.#usual(resources) : parseScopes(words).permissions;
    const fitting = wanted.filter((scope) => offered.has(scope));
    // Words that mean nothing are left for the provider to refuse.
    return fitting.length > 0 ? [...protocol, ...fitting] : words;
  }

  #usual(resources: readonly string[]): readonly Permission[] {
    if (resources.includes(this.#appUrl)) return DEFAULT_SCOPES;
    const scopes = resources.flatMap((resource) => this.rules(resource)?.scopes ?? []);
    return [...new Set(scopes)].filter((scope) => scope !== "admin");
  }

  /** Undefined for what is no resource of ours. The workspace in a path is not looked up: unknown looks like foreign. */
  rules(resource: string): ResourceRules | undefined {
    const surface = this.#surfaceOf(resource);
    if (surface === undefined && resource !== this.#appUrl) return undefined;
    const isBi = surface === "bi";
    return {
      scopes: surface === undefined ? PERMISSIONS : SURFACE_SCOPES[surface],
      ttlSeconds: isBi ? MCP_TOKEN_SECONDS : this.#accessTtlSeconds,
      isOpaque: isBi,
    };
  }

  /** RFC 9728, for the endpoint at this path. */
  metadata(path: string): Record<string, unknown> | undefined {
    const resource = `${this.#appUrl}${path}`;
    const rules = this.rules(resource);
    if (rules === undefined || path === "") return undefined;
    return {
      resource,
      authorization_servers: [this.#appUrl],
      scopes_supported: rules.scopes,
      bearer_methods_supported: ["header"],
      resource_name: "Kenning",
    };
  }

  #surfaceOf(resource: string): SurfaceName | undefined {
    if (!resource.startsWith(`${this.#appUrl}/`)) return undefined;
    const path = resource.slice(this.#appUrl.length);
    const exact = MCP_SURFACES.find(
      (surface) =>
        surface.path === path ||
        (path.endsWith(`/mcp/knowledge-external/sse`) && surface.name === "knowledge"),
    );
    if (exact !== undefined) return exact.name;
    return /^\/mcp\/[a-z0-9-]+\/mcp$/.test(path) ? "models" : undefined;
  }
}
