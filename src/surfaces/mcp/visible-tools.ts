import type { Caller, TokenKind } from "../../registry/caller.ts";
import type { Authorizer } from "../../registry/ports.ts";
import type { WireTool } from "../../registry/registry.ts";
import { limitPassed } from "../../registry/token-limits.ts";
import { isToolset, TOOLSETS, type Toolset } from "../../registry/toolsets.ts";
import type { Surface } from "./surface.ts";

/** What the request itself asks for on `/mcp`: by query (`?toolsets=a,b&readonly=true`) or header. */
export interface ToolChoice {
  toolsets: ReadonlySet<Toolset> | "default" | "all";
  readOnly: boolean;
}

/** Their scopes never grow, so tools beyond them are not shown; an OAuth client may step up. */
const FIXED_SCOPE_KINDS: readonly TokenKind[] = ["api", "mcp", "memory", "knowledge", "bearer"];

export function toolChoice(request: Request): ToolChoice {
  const query = request.url.indexOf("?");
  const asked = new URLSearchParams(query === -1 ? "" : request.url.slice(query));
  const named = asked.get("toolsets") ?? request.headers.get("x-mcp-toolsets");
  const readOnly = asked.get("readonly") ?? request.headers.get("x-mcp-readonly");
  return {
    toolsets: chosenToolsets(named),
    readOnly: readOnly !== null && readOnly.toLowerCase() !== "false",
  };
}

function chosenToolsets(named: string | null): ToolChoice["toolsets"] {
  const words = (named ?? "").split(",").map((word) => word.trim().toLowerCase());
  if (words.includes("all")) return "all";
  const known = words.filter(isToolset);
  return known.length === 0 ? "default" : new Set(known);
}

export function isVisible(
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
  return isChosen(tool.toolset, choice);
}

function isChosen(toolset: Toolset, { toolsets }: ToolChoice): boolean {
  if (toolsets === "all") return true;
  return toolsets === "default" ? TOOLSETS[toolset].byDefault : toolsets.has(toolset);
}
