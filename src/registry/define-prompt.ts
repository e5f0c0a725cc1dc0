import type { Permission } from "../kernel/permissions.ts";
import type { SurfaceName } from "./caller.ts";
import type { CallContext } from "./context.ts";
import { permissionList } from "./define-tool.ts";
import type { Bounds, NamedLimit } from "./token-limits.ts";
import type { Toolset } from "./toolsets.ts";

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
  complete?: (
    argument: string,
    typed: string,
    known: Record<string, string>,
    context: CallContext & Services,
  ) => Promise<string[]>;
  get: (args: Record<string, string>, context: CallContext & Services) => Promise<PromptMessage[]>;
}

export interface Prompt extends Bounds {
  name: string;
  surfaces: readonly SurfaceName[];
  title: string;
  description: string;
  permissions: readonly Permission[];
  arguments: readonly PromptArgument[];
  complete:
    | ((
        argument: string,
        typed: string,
        known: Record<string, string>,
        context: CallContext,
      ) => Promise<string[]>)
    | undefined;
  get: (args: Record<string, string>, context: CallContext) => Promise<PromptMessage[]>;
}

export type UnboundPrompt<Services> = (services: Services) => Prompt;

export function promptsOf<Services extends object>() {
  return function definePrompt(spec: PromptSpec<Services>): UnboundPrompt<Services> {
    const { complete } = spec;
    return (services) => ({
      name: spec.name,
      surfaces: spec.surfaces,
      title: spec.title,
      description: spec.description,
      permissions: permissionList(spec.permission),
      effect: "read",
      toolset: spec.toolset,
      within: spec.within,
      arguments: spec.arguments ?? [],
      complete:
        complete &&
        ((argument, typed, known, context) => complete(argument, typed, known, { ...services, ...context })),
      get: (args, context) => spec.get(args, { ...services, ...context }),
    });
  };
}
