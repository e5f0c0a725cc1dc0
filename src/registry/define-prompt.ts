import type { Permission } from "../kernel/permissions.ts";
import type { Bounds, NamedLimit, SurfaceName } from "./caller.ts";
import type { CallContext } from "./context.ts";
import type { Complete } from "./define-resource.ts";
import { permissionList, type Toolset } from "./define-tool.ts";

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

export interface PromptMessage {
  role: "user" | "assistant";
  /** An MCP content block. */
  content: Record<string, unknown> & { type: string };
}

export interface PromptSpec<Services> {
  name: string;
  surfaces: readonly SurfaceName[];
  title: string;
  description: string;
  permission: Permission | readonly Permission[] | null;
  /** The toolset that it belongs to; a token for some toolsets sees no prompt without one. */
  toolset?: Toolset;
  /** As of a tool. */
  within?: readonly NamedLimit[];
  arguments?: readonly PromptArgument[];
  /** Values for one argument that begin with what was typed. */
  complete?: Complete<CallContext & Services>;
  get: (args: Record<string, string>, context: CallContext & Services) => Promise<PromptMessage[]>;
}

export interface Prompt extends Bounds {
  name: string;
  surfaces: readonly SurfaceName[];
  title: string;
  description: string;
  permissions: readonly Permission[];
  arguments: readonly PromptArgument[];
  complete: Complete<CallContext> | undefined;
  get: (args: Record<string, string>, context: CallContext) => Promise<PromptMessage[]>;
}

export type UnboundPrompt<Services> = (services: Services) => Prompt;

export function promptsOf<Services extends object>() {
  return function definePrompt(spec: PromptSpec<Services>): UnboundPrompt<Services> {
    const { permission, complete, get, ...rest } = spec;
    return (services) => ({
      toolset: undefined,
      within: undefined,
      arguments: [],
      ...rest,
      permissions: permissionList(permission),
      effect: "read",
      complete:
        complete &&
        ((argument, typed, known, context) => complete(argument, typed, known, { ...services, ...context })),
      get: (args, context) => get(args, { ...services, ...context }),
    });
  };
}
