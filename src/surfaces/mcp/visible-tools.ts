import { AppError } from "../../kernel/errors.ts";
import { type Caller, limitPassed, type TokenKind } from "../../registry/caller.ts";
import { isToolset, TOOLSETS, type Toolset } from "../../registry/define-tool.ts";
import type { Authorizer } from "../../registry/ports.ts";
import type { WireTool } from "../../registry/registry.ts";
import type { Surface } from "./surface.ts";

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
export function toolsetsQuery(toolsets: ReadonlySet<Toolset>): string {
  const names = [...toolsets];
  if (!BY_DEFAULT.every((name) => toolsets.has(name))) return names.join(",");
  return names
    .filter((name) => !TOOLSETS[name].byDefault)
    .map((name) => `+${name}`)
    .join(",");
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
  return choice.toolsets.has(tool.toolset);
}
