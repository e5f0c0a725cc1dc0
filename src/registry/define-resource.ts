import type { Permission } from "../kernel/permissions.ts";
import type { SurfaceName } from "./caller.ts";
import type { CallContext } from "./context.ts";
import { permissionList } from "./define-tool.ts";
import type { Bounds, NamedLimit } from "./token-limits.ts";
import type { Toolset } from "./toolsets.ts";

export interface ResourceContent {
  mimeType: string;
  text?: string;
  /** Base64, for what is not text. */
  blob?: string;
  _meta?: Record<string, unknown>;
}

/** One concrete resource in a listing. */
export interface ListedResource {
  params: Record<string, string>;
  name: string;
  title?: string;
  description?: string;
}

/** Values for a parameter that begin with what was typed; others may be filled in already. */
export type Complete<Context> = (
  param: string,
  typed: string,
  known: Record<string, string>,
  context: Context,
) => Promise<string[]>;

export interface ResourceSpec<Services> {
  /** The address on each surface that shows it: fixed, or a template with `{params}`. */
  uri: Partial<Record<SurfaceName, string>>;
  name: string;
  /** What it is called on surfaces that have a word of their own for it. */
  names?: Partial<Record<SurfaceName, string>>;
  title: string;
  description: string;
  /** As a seed describes it on its surface. */
  descriptions?: Partial<Record<SurfaceName, string>>;
  mimeType: string;
  permission: Permission | readonly Permission[] | null;
  /** The toolset that it belongs to; a token for some toolsets sees no resource without one. */
  toolset?: Toolset;
  /** As of a tool. */
  within?: readonly NamedLimit[];
  timeoutMs?: number;
  /** A page to be shown by clients that show apps: others do not see it in their list. */
  isForApps?: boolean;
  /** The concrete resources of a template that a listing shows; none when left out. */
  list?: (context: CallContext & Services) => Promise<ListedResource[]>;
  /** Values for one parameter of the template that begin with what was typed. */
  complete?: Complete<CallContext & Services>;
  read: (params: Record<string, string>, context: CallContext & Services) => Promise<ResourceContent>;
}

export interface Resource extends Bounds {
  uri: Partial<Record<SurfaceName, string>>;
  name: string;
  names: Partial<Record<SurfaceName, string>>;
  title: string;
  description: string;
  descriptions: Partial<Record<SurfaceName, string>>;
  mimeType: string;
  permissions: readonly Permission[];
  timeoutMs: number | undefined;
  isForApps: boolean;
  list: ((context: CallContext) => Promise<ListedResource[]>) | undefined;
  complete: Complete<CallContext> | undefined;
  read: (params: Record<string, string>, context: CallContext) => Promise<ResourceContent>;
}

export type UnboundResource<Services> = (services: Services) => Resource;

export function resourcesOf<Services extends object>() {
  return function defineResource(spec: ResourceSpec<Services>): UnboundResource<Services> {
    const { permission, list, complete, read, ...rest } = spec;
    return (services) => ({
      names: {},
      descriptions: {},
      toolset: undefined,
      within: undefined,
      timeoutMs: undefined,
      isForApps: false,
      ...rest,
      permissions: permissionList(permission),
      effect: "read",
      list: list && ((context) => list({ ...services, ...context })),
      complete:
        complete &&
        ((param, typed, known, context) => complete(param, typed, known, { ...services, ...context })),
      read: (params, context) => read(params, { ...services, ...context }),
    });
  };
}
