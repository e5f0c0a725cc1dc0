import { z } from "zod";
import type { Permission } from "../kernel/permissions.ts";
import type { AssetKinds } from "./asset-kind.ts";
import type { Bounds, NamedLimit, SurfaceName } from "./caller.ts";
import type { CompactResult } from "./compact-content.ts";
import type { CallContext } from "./context.ts";

/**
 * What a call does to the world; annotations, read-only tokens and confirmations follow from it. `delegate` does
 * nothing itself: it calls other tools on the one path, where the rules of each hold.
 */
export type Effect = "read" | "write" | "destroy" | "delegate";

export function changesSomething(effect: Effect): boolean {
  return effect === "write" || effect === "destroy";
}

/** How a tool appears on one surface: by another name, and if need be with other parameters. */
export interface Wire<Input = unknown> {
  name: string;
  /** Replaces the tool's description where a seed documents its own. */
  description?: string;
  input?: z.ZodObject;
  /** Turns that surface's parameters into the tool's own. */
  adapt?: (args: never, assets: AssetKinds) => Input;
}

/** A block of MCP content: text, image, audio, resource or link. */
export type ContentBlock = { type: string } & Record<string, unknown>;

export interface ToolSpec<Services, In extends z.ZodObject, Out extends z.ZodObject> {
  /** The plain name, on `/mcp`. */
  name: string;
  toolset: Toolset;
  /** The surfaces that show it beside `/mcp`. */
  wire?: Partial<Record<Exclude<SurfaceName, "all">, string | Wire<z.input<In>>>>;
  title: string;
  description: string;
  /** What the caller must be allowed; `null` for what any valid token may call. */
  permission: Permission | readonly Permission[] | null;
  effect: Effect;
  /** The sorts of things named by tokens that it reaches, and keeps to; a token with names sees no tool that leaves it out. */
  within?: readonly NamedLimit[];
  /** Made of the kinds of assets that there are, where it depends on them; the output likewise. */
  input: In | ((assets: AssetKinds) => In);
  output: Out | ((assets: AssetKinds) => Out);
  /**
   * The argument that may be a list of very many values, by its name on every surface. A long one is not parsed: the
   * handler gets an empty list in its place, and the list itself as `longList` of its context.
   */
  longList?: string;
  timeoutMs?: number;
  /** It reads words as a person would: each call that is answered counts as one of the plan's agent calls. */
  isMetered?: boolean;
  /** The page that shows its results, in clients that show apps. */
  app?: string;
  /** It is called by such pages alone: other clients do not see it. */
  isForApps?: boolean;
  /** How a result reads: a text, or content blocks. JSON when left out. */
  content?: (output: z.output<Out>) => string | ContentBlock[];
  /** How a result reads on `/mcp` instead, where it can be shorter than a contract prints it. */
  compact?: (output: z.output<Out>) => CompactResult;
  run: (input: z.output<In>, context: CallContext & Services) => Promise<z.input<Out>>;
}

/** A tool whose services are bound and whose types are checked and forgotten: what the registry holds. */
export interface Tool extends Bounds {
  name: string;
  toolset: Toolset;
  wire: Partial<Record<SurfaceName, Wire>>;
  title: string;
  description: string;
  permissions: readonly Permission[];
  input: z.ZodObject;
  output: z.ZodObject;
  longList: string | undefined;
  timeoutMs: number | undefined;
  isMetered: boolean;
  app: string | undefined;
  isForApps: boolean;
  content: ((output: unknown) => string | ContentBlock[]) | undefined;
  compact: ((output: unknown) => CompactResult) | undefined;
  run: (input: unknown, context: CallContext) => Promise<unknown>;
}

/** A tool that still waits for the services of its slice. */
export type UnboundTool<Services> = (services: Services, assets: AssetKinds) => Tool;

/** Gives a slice its own `defineTool`, so that handlers know the slice's services without naming types. */
export function toolsOf<Services extends object>() {
  return function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(
    spec: ToolSpec<Services, In, Out>,
  ): UnboundTool<Services> {
    return (services, assets) => ({
      name: spec.name,
      toolset: spec.toolset,
      wire: wireNames(spec.name, spec.wire as Record<string, string | Wire> | undefined, assets),
      title: spec.title,
      description: spec.description,
      permissions: permissionList(spec.permission),
      effect: spec.effect,
      within: spec.within,
      input: typeof spec.input === "function" ? spec.input(assets) : spec.input,
      output: typeof spec.output === "function" ? spec.output(assets) : spec.output,
      longList: spec.longList,
      timeoutMs: spec.timeoutMs,
      isMetered: spec.isMetered ?? false,
      app: spec.app,
      isForApps: spec.isForApps ?? false,
      content: spec.content as Tool["content"],
      compact: spec.compact as Tool["compact"],
      run: (input, context) => spec.run(input as z.output<In>, { ...services, ...context }),
    });
  };
}

export function permissionList(permission: Permission | readonly Permission[] | null): readonly Permission[] {
  if (permission === null) return [];
  return typeof permission === "string" ? [permission] : permission;
}

function wireNames(
  name: string,
  others: Record<string, string | Wire> | undefined,
  assets: AssetKinds,
): Tool["wire"] {
  const wire: Tool["wire"] = { all: { name } };
  for (const [surface, entry] of Object.entries(others ?? {})) {
    const { adapt, ...rest } = typeof entry === "string" ? { name: entry } : entry;
    wire[surface as SurfaceName] = {
      ...rest,
      ...(adapt !== undefined && { adapt: (args) => adapt(args, assets) }),
    };
  }
  return wire;
}

/** The groups in which tools are switched on and off on `/mcp`. */
export const TOOLSETS = {
  system: { description: "Who you are and which toolsets there are", byDefault: true },
  knowledge: { description: "Documents in knowledge bases: find, read, add and ask", byDefault: true },
  library: {
    description: "Make and share knowledge bases; rename, move and delete documents; extract data from them",
    byDefault: false,
  },
  memory: { description: "Facts that change over time, linked in a graph", byDefault: true },
  curation: {
    description: "Look after memories: lists, history, pin, expire, retract, erase, rules for relations",
    byDefault: false,
  },
  models: { description: "Semantic models and SQL over them", byDefault: true },
  modeling: {
    description: "Write, check and publish semantic models; preferences and threads of questions",
    byDefault: false,
  },
  data: { description: "Datasets: find, read, add and export rows", byDefault: true },
  dashboards: {
    description: "Dashboards and widgets: make, change, lay out, export as PDF or PNG, and embed",
    byDefault: false,
  },
  datasources: { description: "Connect databases and web APIs, and make queries on them", byDefault: false },
  alerts: {
    description: "Alerts on datasets and scheduled reports: make, list and change; what was sent to whom",
    byDefault: false,
  },
  notifications: {
    description: "Channels that alerts and reports go to: Slack, Teams, webhooks",
    byDefault: false,
  },
  admin: { description: "Audit log and administration of the workspace", byDefault: false },
} as const satisfies Record<string, { description: string; byDefault: boolean }>;

export type Toolset = keyof typeof TOOLSETS;

export function isToolset(word: string): word is Toolset {
  return Object.hasOwn(TOOLSETS, word);
}

/** A row by the names of its columns. Rows of ours are not looked into: with very many values that takes long. */
export const rowShape = z.unknown().meta({
  type: "object",
  propertyNames: { type: "string" },
  additionalProperties: {},
}) as unknown as z.ZodType<Record<string, unknown>>;
