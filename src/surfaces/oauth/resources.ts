import { MS } from "../../kernel/clock.ts";
import { PERMISSIONS, type Permission } from "../../kernel/permissions.ts";
import type { SurfaceName } from "../../registry/caller.ts";
import { MCP_SURFACES } from "../mcp/surface.ts";

/** The protected resources: the six endpoints, and the server as a whole for clients that name none. */

/** What is asked for when a request names no scope, as in seed 001. */
export const DEFAULT_SCOPES: readonly Permission[] = [
  "data_agent:read",
  "data_agent:write",
  "ontologies:read",
];

/** The scopes that make sense at each endpoint. */
const SURFACE_SCOPES: Record<SurfaceName, readonly Permission[]> = {
  bi: ["bi:read", "bi:write", "knowledge:read", "knowledge:write"],
  agent: DEFAULT_SCOPES,
  memory: ["memory:read", "memory:write"],
  models: ["ontologies:read", "ontologies:write"],
  knowledge: ["knowledge:read", "knowledge:write"],
  all: PERMISSIONS,
};

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

  /** The resource as it is compared: without a trailing slash. */
  normalise(resource: string): string {
    return resource.endsWith("/") ? resource.slice(0, -1) : resource;
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
