import type { Permission } from "../kernel/permissions.ts";
import type { Bounds, NamedLimit, SurfaceName } from "./caller.ts";
import type { CallContext } from "./context.ts";
import { permissionList, type Toolset } from "./define-tool.ts";

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

/** What may have changed of the resources of a workspace. */
export interface ResourceChange {
  workspaceId: number;
  /** The name under which it is defined; null for all that there are. */
  resource: string | null;
  /** Which of them: values that a parameter of the template may have. One that is not named may have any. */
  params: Readonly<Record<string, readonly string[]>>;
}

/** Whether a resource, by its name and the values in its address, is among what has changed. */
export function isChanged(
  { resource, params: changed }: ResourceChange,
  name: string,
  params: Readonly<Record<string, string>>,
): boolean {
  if (resource === null) return true;
  if (resource !== name) return false;
  return Object.entries(changed).every(([param, values]) =>
    values.some((value) => value.toLowerCase() === params[param]?.toLowerCase()),
  );
}
