import {
  type CallToolResult,
  createRequestStateCodec,
  ProtocolError,
  type RequestStateCodec,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { roundRobin } from "../../kernel/concurrency.ts";
import { AppError, nameTools, type ToolMention, toolMentions } from "../../kernel/errors.ts";
import { jsonSize } from "../../kernel/json.ts";
import { LIMITS as KERNEL } from "../../kernel/limits.ts";
import { clip, nearest } from "../../kernel/text.ts";
import {
  type CallEnvironment,
  type CallPorts,
  call,
  type Operation,
  type Rules,
  rulesOf,
  toolOperation,
} from "../../registry/call.ts";
import { type Caller, limitPassed, type SurfaceName } from "../../registry/caller.ts";
import { NO_CLIENT } from "../../registry/context.ts";
import {
  isChanged,
  type ListedResource,
  type Resource,
  type ResourceChange,
} from "../../registry/define-resource.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";
import { type Admitted, admittedOf } from "./admitted.ts";
import { type Journal, McpClientLink, showsApps, withoutModel } from "./client-link.ts";
import { LIMITS } from "./limits.ts";
import type { Surface } from "./surface.ts";
import { type EnabledToolsets, publish, ToolList } from "./tool-list.ts";

export interface ServerParts {
  surface: Surface;
  registry: Registry;
  ports: CallPorts;
  version: string;
  /** Signs what a waiting call carries through the client; the same on all replicas. */
  stateKey: Uint8Array;
  enabledToolsets: EnabledToolsets;
  /** Told when clients of the newest revision have to hear that a list of tools has changed. */
  onToolsChanged?: (workspaceId: number) => void;
  /** Told when a session starts or stops to watch a resource. */
  onSubscribe?: (sessionId: string, admission: Admitted, uri: string, watching: boolean) => void;
}

interface CompletionInput {
  name: string;
  value: string;
  /** What has been filled in already. */
  known: Record<string, string>;
}

const LIST_CACHE = { ttlMs: 60_000, cacheScope: "private" } as const;

/**
 * Makes servers for one surface. The low-level `Server` is used because the high-level one turns every thrown
 * protocol error into `isError`, and the seeds have codes of their own. A server knows nothing of its caller:
 * each request brings that along.
 */
export class ServerFactory {
  readonly #parts: ServerParts;
  readonly #codec: RequestStateCodec<Journal>;
  readonly list: ToolList;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.list = new ToolList({ ...parts, authorizer: parts.ports.authorizer });
    this.#codec = createRequestStateCodec<Journal>({
      key: parts.stateKey,
      bind: (context) => {
        const { caller } = admittedOf(context);
        return [
          parts.surface.name,
          caller.workspace.id,
          caller.user.id,
          caller.token.id,
          caller.token.application?.id ?? "",
          context.mcpReq.method,
        ].join("\0");
      },
    });
  }

  make(): Server {
    const { surface, version } = this.#parts;
    const server = new Server(
      { name: "kenning", title: "Kenning", version },
      {
        capabilities: this.#capabilities(),
        instructions: this.localText(surface.instructions),
        requestState: { verify: this.#codec.verify },
        cacheHints: { "tools/list": LIST_CACHE, "prompts/list": LIST_CACHE, "server/discover": LIST_CACHE },
      },
    );
    withoutModel(server);
    this.#serveTools(server);
    if (this.#hasResources) this.#serveResources(server);
    if (this.#hasPrompts) this.#servePrompts(server);
    if (this.#hasResources || this.#hasPrompts) this.#serveCompletions(server);
    return server;
  }

  get #hasResources(): boolean {
    const { surface, registry } = this.#parts;
    return surface.offersResources || registry.resources(surface.name).length > 0;
  }

  get #hasPrompts(): boolean {
    return this.#parts.registry.prompts(this.#parts.surface.name).length > 0;
  }

  #capabilities(): ServerCapabilities {
    return {
      tools: this.#parts.surface.hasToolsets ? { listChanged: true } : {},
      ...(this.#parts.surface.hasLogging && { logging: {} }),
      ...(this.#hasResources && { resources: { subscribe: true } }),
      ...(this.#hasPrompts && { prompts: {} }),
      ...((this.#hasResources || this.#hasPrompts) && { completions: {} }),
    };
  }

  #serveTools(server: Server): void {
    server.setRequestHandler("tools/list", async (_request, context) => {
      await ownStep(context);
      const admission = await this.list.withEnabled(server, admittedOf(context));
      return { tools: this.list.visible(admission, { showsApps: showsApps(server) }).map(publish) };
    });
    server.setRequestHandler("tools/call", (request, context) =>
      this.#callTool(server, request.params, context),
    );
  }

  /** Older clients hear of it in the answer to their request, those of the newest revision where they listen. */
  async #announceTools(context: ServerContext): Promise<void> {
    const { caller, isModern } = admittedOf(context);
    if (isModern) this.#parts.onToolsChanged?.(caller.workspace.id);
    else await context.mcpReq.notify({ method: "notifications/tools/list_changed" });
  }

  async #callTool(
    server: Server,
    params: { name: string; arguments?: Record<string, unknown> | undefined },
    context: ServerContext,
  ): Promise<CallToolResult> {
    const { surface } = this.#parts;
    const admission = await this.list.withEnabled(server, admittedOf(context));
    const tool = this.list.find(params.name, admission);
    if (tool === undefined) {
      await ownStep(context);
      const names = this.list.visible(admission).map(({ name }) => name);
      return surface.presenter.unknownTool(params.name, nearest(params.name, names));
    }
    const run = await this.#run(server, toolOperation(tool), params.arguments, context);
    if (run.waiting !== undefined) return run.waiting as never;
    if (run.error !== undefined) return surface.presenter.toolError(run.error, run.ms);
    const result = surface.presenter.result(tool, run.output as Record<string, unknown>, run.ms);
    return withShown(result, run.shown);
  }

  #serveResources(server: Server): void {
    const { surface, registry, onSubscribe } = this.#parts;
    const allowed = (context: ServerContext) =>
      registry
        .resources(surface.name)
        .filter(({ resource }) => !resource.isForApps || showsApps(server))
        .filter(({ resource }) => this.#isAllowed(resource, admittedOf(context).caller));
    const toldOf = ({ name, names, title, description, descriptions, mimeType }: Resource) => ({
      name: names[surface.name] ?? name,
      title,
      description: descriptions[surface.name] ?? description,
      mimeType,
    });
    server.setRequestHandler("resources/list", async (_request, context) => {
      const listed = allowed(context).map(async ({ resource, pattern }) => {
        if (!pattern.isTemplate) return [{ uri: pattern.template, ...toldOf(resource) }];
        const { mimeType } = resource;
        const concrete = await this.#listResource(server, resource, pattern.template, context);
        return concrete.map(({ params, ...shown }) => ({ mimeType, ...shown, uri: pattern.expand(params) }));
      });
      return { resources: (await Promise.all(listed)).flat() };
    });
    server.setRequestHandler("resources/templates/list", (_request, context) => ({
      resourceTemplates: allowed(context)
        .filter(({ pattern }) => pattern.isTemplate)
        .map(({ resource, pattern }) => ({
          uriTemplate: pattern.template,
          ...toldOf(resource),
        })),
    }));
    server.setRequestHandler("resources/read", (request, context) =>
      this.#readResource(server, request.params.uri, context),
    );
    const watch = (watching: boolean, uri: string, context: ServerContext) => {
      if (context.sessionId !== undefined)
        onSubscribe?.(context.sessionId, admittedOf(context), uri, watching);
      return {};
    };
    server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
      const problem = await this.whyNotWatch(uri, admittedOf(context), context.mcpReq.signal);
      if (problem !== undefined) throw surface.presenter.protocolError(problem, { uri });
      return watch(true, uri, context);
    });
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }, context) =>
      watch(false, uri, context),
    );
  }

  async #listResource(
    server: Server,
    resource: Resource,
    template: string,
    context: ServerContext,
  ): Promise<ListedResource[]> {
    const { list, timeoutMs } = resource;
    if (list === undefined) return [];
    const operation: Operation = {
      ...rulesOf(resource),
      kind: "listing",
      name: template,
      timeoutMs,
      input: z.strictObject({}),
      run: (_input: unknown, callContext) => list(callContext),
    };
    const run = await this.#run(server, operation, {}, context);
    if (run.error !== undefined) throw this.#parts.surface.presenter.protocolError(run.error, {});
    return (run.output ?? []) as ListedResource[];
  }

  /** No resource has a longer address, and those that are found are repeated in answers and in the audit log. */
  #resource(uri: string) {
    if (uri.length > LIMITS.session.uriCharacters) return undefined;
    return this.#parts.registry.resource(this.#parts.surface.name, uri);
  }

  /** Whether there is such a resource, and this caller may know of it. */
  mayRead(uri: string, caller: Caller): boolean {
    const found = this.#resource(uri);
    return found !== undefined && this.#isAllowed(found.entry.resource, caller);
  }

  /** Whoever could not read a resource now is not told when it changes. */
  async whyNotWatch(
    uri: string,
    { caller, meta }: Admitted,
    signal: AbortSignal,
  ): Promise<AppError | undefined> {
    const found = this.#resource(uri);
    if (found === undefined || !this.#isAllowed(found.entry.resource, caller)) return noResource(uri);
    const operation = { ...readOperation(found.entry.resource, uri), kind: "subscription" as const };
    const say = (text: string) => this.localText(text);
    const environment = { caller, meta, signal, client: NO_CLIENT, say };
    const outcome = await call(this.#parts.ports, operation, found.params, environment);
    return outcome.status === "failed" ? this.localError(outcome.error) : undefined;
  }

  /** Whether a change may be one of the resource behind an address. */
  isChanged(uri: string, change: ResourceChange): boolean {
    const found = this.#resource(uri);
    return found !== undefined && isChanged(change, found.entry.resource.name, found.params);
  }

  #isAllowed(rules: Rules, caller: Caller): boolean {
    const missing = this.#parts.ports.authorizer.missing(caller, rules.permissions);
    const isPermitted = missing.role.length + missing.scope.length + missing.limit.length === 0;
    return isPermitted && limitPassed(caller, rules) === undefined;
  }

  async #readResource(server: Server, uri: string, context: ServerContext) {
    const { surface } = this.#parts;
    const found = this.#resource(uri);
    if (found === undefined) throw surface.presenter.protocolError(noResource(uri), { uri });
    const run = await this.#run(server, readOperation(found.entry.resource, uri), found.params, context);
    if (run.waiting !== undefined) return run.waiting as never;
    if (run.error !== undefined) throw surface.presenter.protocolError(run.error, { uri });
    return { contents: [{ uri, ...(run.output as { mimeType: string; text: string }) }] };
  }

  #servePrompts(server: Server): void {
    const { surface, registry } = this.#parts;
    server.setRequestHandler("prompts/list", (_request, context) => ({
      prompts: registry
        .prompts(surface.name)
        .filter((prompt) => this.#isAllowed(prompt, admittedOf(context).caller))
        .map(({ name, title, description, arguments: args }) => ({
          name,
          title,
          description,
          arguments: [...args],
        })),
    }));
    server.setRequestHandler("prompts/get", async (request, context) => {
      const prompt = registry.prompt(surface.name, request.params.name);
      if (prompt === undefined)
        throw new ProtocolError(-32602, `Unknown prompt: ${clip(request.params.name)}.`);
      const required = prompt.arguments.map(({ name, required }) => [
        name,
        required ? z.string() : z.string().optional(),
      ]);
      const operation: Operation = {
        ...rulesOf(prompt),
        kind: "prompt",
        name: prompt.name,
        timeoutMs: undefined,
        input: z.strictObject(Object.fromEntries(required)),
        run: (args: Record<string, string>, callContext) => prompt.get(args, callContext),
      };
      const run = await this.#run(server, operation, request.params.arguments, context);
      if (run.waiting !== undefined) return run.waiting as never;
      if (run.error !== undefined) throw surface.presenter.protocolError(run.error, {});
      return { description: prompt.description, messages: run.output as never };
    });
  }

  #serveCompletions(server: Server): void {
    server.setRequestHandler("completion/complete", async (request, context) => {
      const { ref, argument, context: known } = request.params;
      const completer = this.#completer(ref);
      if (completer === undefined) return { completion: { values: [] } };
      const operation: Operation = {
        ...completer.rules,
        kind: "completion",
        name: completer.name,
        timeoutMs: undefined,
        input: z.object({ name: z.string(), value: z.string(), known: z.record(z.string(), z.string()) }),
        run: ({ name, value, known }: CompletionInput, callContext) =>
          completer.complete(name, value, known, callContext),
      };
      const args = { ...argument, known: known?.arguments ?? {} };
      const run = await this.#run(server, operation, args, context);
      if (run.error !== undefined) throw this.#parts.surface.presenter.protocolError(run.error, {});
      const values = (run.output as string[]) ?? [];
      return {
        completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 },
      };
    });
  }

  #completer(ref: { type: string; name?: string; uri?: string }) {
    const { surface, registry } = this.#parts;
    if (ref.type === "ref/prompt") {
      const prompt = registry.prompt(surface.name, ref.name ?? "");
      return prompt?.complete && { name: prompt.name, rules: rulesOf(prompt), complete: prompt.complete };
    }
    const entry = registry.resources(surface.name).find(({ pattern }) => pattern.template === ref.uri);
    if (entry?.resource.complete === undefined) return undefined;
    const { complete } = entry.resource;
    return { name: entry.pattern.template, rules: rulesOf(entry.resource), complete };
  }

  async #run(server: Server, operation: Operation, args: unknown, context: ServerContext) {
    const environment = this.#environment(server, { name: operation.name, args }, context);
    await ownStep(context);
    // A client that goes away ends its request, and not at once the call that works on it.
    const letGo = admittedOf(context).lease?.hold();
    const outcome = await call(this.#parts.ports, operation, args, environment).finally(letGo);
    const { ms } = outcome;
    if (outcome.status === "waiting")
      return { ms, waiting: await environment.client.waitingResult(this.#codec) };
    if (outcome.status === "failed") return { ms, error: this.localError(outcome.error) };
    await ownStep(context);
    const { answered } = admittedOf(context);
    const most = KERNEL.call.resultCharacters;
    const { shown } = environment.client;
    const size = jsonSize({ output: outcome.output, shown }, most);
    if (answered.characters + size > most) return { ms, error: resultTooLarge(most) };
    answered.characters += size;
    return { ms, output: outcome.output, shown };
  }

  /** An error in the words of this surface. */
  localError(error: AppError): AppError {
    return localError(error, this.#parts.registry, this.#parts.surface.name);
  }

  localText(text: string): string {
    return localText(text, this.#parts.registry, this.#parts.surface.name);
  }

  #environment(server: Server, subject: { name: string; args: unknown }, context: ServerContext) {
    const { caller, meta } = admittedOf(context);
    const client = server.getClientVersion() ?? meta.client;
    return {
      caller,
      meta: { ...meta, client: { name: client.name, version: client.version } },
      signal: context.mcpReq.signal,
      client: new McpClientLink(server, context, subject, (toolset) =>
        this.list.enable(toolset, server, admittedOf(context), () => this.#announceTools(context)),
      ),
      say: (text: string) => this.localText(text),
    } satisfies CallEnvironment;
  }
}

function withShown(result: CallToolResult, shown: McpClientLink["shown"] | undefined): CallToolResult {
  if (shown === undefined || result.isError) return result;
  const content = [...result.content, ...(shown.content as CallToolResult["content"])];
  const isTold = Object.keys(shown.meta).length > 0;
  return { ...result, content, ...(isTold && { _meta: { ...result._meta, ...shown.meta } }) };
}

/** Each message of a batch, and each result, is a step of its own, so that others are served in between. */
function ownStep(context: ServerContext): Promise<void> {
  return roundRobin.take(admittedOf(context).line);
}

function resultTooLarge(most: number): AppError {
  const size = `${most / 1024 / 1024} MiB`;
  return new AppError(
    "too_large",
    `The results of one request can have ${size} together, and this has more.`,
    {
      hint: "Ask for less at once: fewer rows or columns, or fewer calls in a batch.",
    },
  );
}

type Tools = ReadonlyMap<string, WireTool>;

/**
 * An error in the names that a surface has for tools. A sentence of its hint about a tool that the surface lacks, or
 * about an argument that its form of the tool lacks, would send its reader in circles: it is left out.
 */
export function localError(error: AppError, registry: Registry, surface: SurfaceName): AppError {
  if (error.hint === undefined || toolMentions(error.hint).length === 0) return error;
  const here = toolsOf(registry, surface);
  const hint = error.hint
    .split(/(?<=[.!?]) /)
    .filter((sentence) => toolMentions(sentence).every((mention) => wireName(mention, here) !== undefined))
    .map((sentence) => nameTools(sentence, (mention) => wireName(mention, here) ?? mention.tool))
    .join(" ");
  const { data, cause } = error;
  return new AppError(error.code, error.message, { data, cause, ...(hint !== "" && { hint }) });
}

/** A text of a result in the names that a surface has for tools; for one that it lacks, where it is. */
export function localText(text: string, registry: Registry, surface: SurfaceName): string {
  const here = toolsOf(registry, surface);
  return nameTools(text, (mention) => wireName(mention, here) ?? `${mention.tool} of /mcp`);
}

function toolsOf(registry: Registry, surface: SurfaceName): Tools {
  return new Map(registry.tools(surface).map((tool) => [tool.tool.name, tool]));
}

function wireName({ tool, argument }: ToolMention, here: Tools): string | undefined {
  const found = here.get(tool);
  if (found === undefined || argument === undefined) return found?.name;
  return Object.hasOwn(found.inputSchema.properties as object, argument) ? found.name : undefined;
}

/** The operation behind the reading of a resource by its address. */
export function readOperation(resource: Resource, uri: string): Operation {
  return {
    ...rulesOf(resource),
    kind: "resource",
    name: uri,
    timeoutMs: resource.timeoutMs,
    input: z.record(z.string(), z.string()),
    run: (params: Record<string, string>, context) => resource.read(params, context),
  };
}

function noResource(uri: string): AppError {
  if (uri === "") return new AppError("bad_request", "params.uri is missing, or no text.");
  const hint = "resources/list and resources/templates/list show what there is.";
  return new AppError("not_found", `Resource not found: ${clip(uri)}`, { hint });
}
