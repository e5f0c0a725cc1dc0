import { z } from "zod";
import { type AssetKind, AssetKinds } from "./asset-kind.ts";
import { SURFACES, type SurfaceName } from "./caller.ts";
import type { Prompt, UnboundPrompt } from "./define-prompt.ts";
import type { Resource, UnboundResource } from "./define-resource.ts";
import { changesSomething, TOOLSETS, type Tool, type UnboundTool } from "./define-tool.ts";

interface ToolsetInfo {
  name: string;
  description: string;
  byDefault: boolean;
}

/** A tool as one surface shows it. */
export interface WireTool {
  tool: Tool;
  name: string;
  description: string;
  /** The schema that arguments are parsed with on this surface. */
  input: z.ZodObject;
  adapt: ((args: unknown) => unknown) | undefined;
  /** Published by tools/list: computed once. */
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
}

export interface WireResource {
  resource: Resource;
  pattern: UriPattern;
}

/** What can be called, of one slice. */
export interface SliceContents<Services> {
  tools?: readonly UnboundTool<Services>[];
  resources?: readonly UnboundResource<Services>[];
  prompts?: readonly UnboundPrompt<Services>[];
  /** Sorts of assets, for the tools that span slices. */
  assetKinds?: readonly ((services: Services) => AssetKind)[];
}

/** The same, ready to be called. */
export interface Slice<Services> extends SliceContents<Services> {
  services: Services;
}

/** Everything that can be called, by surface. Surfaces filter and present; nobody else lists tools. */
export class Registry {
  readonly assets = new AssetKinds();
  readonly #tools: Record<SurfaceName, Map<string, WireTool>> = bySurface(() => new Map());
  readonly #resources: Record<SurfaceName, WireResource[]> = bySurface(() => []);
  readonly #prompts: Record<SurfaceName, Map<string, Prompt>> = bySurface(() => new Map());

  /** The kinds of assets of all slices come first: tools are made of them. */
  addKinds<Services>({ assetKinds = [], services }: Pick<Slice<Services>, "assetKinds" | "services">): this {
    for (const kind of assetKinds) this.assets.add(kind(services));
    return this;
  }

  add<Services>({ tools = [], resources = [], prompts = [], services }: Slice<Services>): this {
    for (const tool of tools) this.#addTool(tool(services, this.assets));
    for (const resource of resources) this.#addResource(resource(services));
    for (const prompt of prompts) this.#addPrompt(prompt(services));
    return this;
  }

  /** The toolsets there are, each with its tools on `/mcp`. */
  toolsets(): (ToolsetInfo & { tools: WireTool[] })[] {
    return Object.entries(TOOLSETS).map(([name, toolset]) => ({
      name,
      ...toolset,
      tools: this.tools("all").filter(({ tool }) => tool.toolset === name && !tool.isForApps),
    }));
  }

  tools(surface: SurfaceName): readonly WireTool[] {
    return [...this.#tools[surface].values()];
  }

  tool(surface: SurfaceName, name: string): WireTool | undefined {
    return this.#tools[surface].get(name);
  }

  /** Names of all arguments that may be long lists. */
  longLists(surface: SurfaceName): string[] {
    return [...new Set(this.tools(surface).flatMap(({ tool }) => tool.longList ?? []))];
  }

  resources(surface: SurfaceName): readonly WireResource[] {
    return this.#resources[surface];
  }

  /** The resource behind an address, with the values of the template's parameters. */
  resource(
    surface: SurfaceName,
    uri: string,
  ): { entry: WireResource; params: Record<string, string> } | undefined {
    for (const entry of this.#resources[surface]) {
      const params = entry.pattern.match(uri);
      if (params !== undefined) return { entry, params };
    }
    return undefined;
  }

  prompts(surface: SurfaceName): readonly Prompt[] {
    return [...this.#prompts[surface].values()];
  }

  prompt(surface: SurfaceName, name: string): Prompt | undefined {
    return this.#prompts[surface].get(name);
  }

  #addTool(tool: Tool): void {
    // Otherwise a read-only token or a viewer could be all that stands between a stranger and a change.
    const isGuarded = tool.permissions.some(
      (permission) => permission === "admin" || permission.endsWith(":write"),
    );
    if (changesSomething(tool.effect) && !isGuarded)
      throw new Error(`The tool ${tool.name} changes something and asks for no permission to.`);
    for (const [surface, wire] of Object.entries(tool.wire) as [SurfaceName, Tool["wire"]["all"]][]) {
      if (wire === undefined) continue;
      const input = wire.input ?? tool.input;
      refuseTwice(this.#tools[surface].has(wire.name), `tool ${wire.name} on ${surface}`);
      this.#tools[surface].set(wire.name, {
        tool,
        name: wire.name,
        description: wire.description ?? tool.description,
        input,
        adapt: wire.adapt as WireTool["adapt"],
        inputSchema: jsonSchema(input, "input", surface === "all" ? [lean, leaner] : [lean]),
        outputSchema: jsonSchema(tool.output, "output", [leanOutput]),
      });
    }
  }

  #addResource(resource: Resource): void {
    for (const [surface, uri] of Object.entries(resource.uri) as [SurfaceName, string][]) {
      const taken = this.#resources[surface].some(({ pattern }) => pattern.template === uri);
      refuseTwice(taken, `resource ${uri} on ${surface}`);
      this.#resources[surface].push({ resource, pattern: new UriPattern(uri) });
    }
  }

  #addPrompt(prompt: Prompt): void {
    for (const surface of prompt.surfaces) {
      refuseTwice(this.#prompts[surface].has(prompt.name), `prompt ${prompt.name} on ${surface}`);
      this.#prompts[surface].set(prompt.name, prompt);
    }
  }
}

function bySurface<T>(make: () => T): Record<SurfaceName, T> {
  return Object.fromEntries(SURFACES.map((surface) => [surface, make()])) as Record<SurfaceName, T>;
}

function refuseTwice(taken: boolean, what: string): void {
  if (taken) throw new Error(`The ${what} is defined twice.`);
}

function jsonSchema(
  schema: z.ZodObject,
  io: "input" | "output",
  leans: readonly ((schema: JsonSchema, isRoot: boolean) => void)[],
): Record<string, unknown> {
  const override = ({ jsonSchema, path }: { jsonSchema: JsonSchema; path: (string | number)[] }) => {
    for (const lean of leans) lean(jsonSchema, path.length === 0);
  };
  const { $schema: dialect, ...rest } = z.toJSONSchema(schema, { io, override });
  // MCP takes a schema for 2020-12 unless it says otherwise, so only a dialect that the tool names itself is worth its tokens.
  return schema.meta()?.$schema === undefined ? rest : { $schema: dialect, ...rest };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema costs tokens on every request: what tells a model nothing is left out. */
function lean(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** On our own endpoint also bounds that no model counts to: whoever passes one is told so by an error. */
function leaner(schema: JsonSchema, isRoot: boolean): void {
  delete schema.minLength;
  delete schema.maxLength;
  delete schema.maxItems;
  if (schema.format !== undefined) delete schema.pattern;
  delete schema.propertyNames;
  const { additionalProperties: others } = schema;
  const isAnything = typeof others === "object" && Object.keys(others).length === 0;
  if (!isRoot && (others === false || isAnything)) delete schema.additionalProperties;
}

function leanOutput(schema: JsonSchema): void {
  lean(schema);
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

/** An address, fixed or with `{parameters}`, each of which stands for one path segment. */
class UriPattern {
  readonly template: string;
  readonly params: readonly string[];
  readonly #regex: RegExp;

  constructor(template: string) {
    this.template = template;
    this.params = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
    const escaped = template.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    this.#regex = new RegExp(`^${escaped.join("([^/?#]+)")}$`);
  }

  get isTemplate(): boolean {
    return this.params.length > 0;
  }

  /** The values of the parameters, decoded; undefined when the address is another one. */
  match(uri: string): Record<string, string> | undefined {
    const match = this.#regex.exec(uri);
    if (match === null) return undefined;
    try {
      return Object.fromEntries(
        this.params.map((name, i) => [name, decodeURIComponent(match[i + 1] as string)]),
      );
    } catch {
      // A malformed escape is no address of ours.
      return undefined;
    }
  }

  expand(values: Record<string, string>): string {
    return this.template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  }
}
