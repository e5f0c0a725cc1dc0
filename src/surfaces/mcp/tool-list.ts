import type { Server } from "@modelcontextprotocol/server";
import type { ListedToolset } from "../../registry/context.ts";
import type { Toolset } from "../../registry/define-tool.ts";
import type { Authorizer } from "../../registry/ports.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";
import type { Admission } from "./admission.ts";
import type { EnabledToolsets, ListOwner } from "./enabled-toolsets.ts";
import type { Surface } from "./surface.ts";
import { isVisible, toolsetsQuery } from "./visible-tools.ts";

export interface ToolListParts {
  surface: Surface;
  registry: Registry;
  authorizer: Authorizer;
  enabledToolsets: EnabledToolsets;
}

/** Which tools of a surface a caller sees and finds. */
export class ToolList {
  readonly #parts: ToolListParts;

  constructor(parts: ToolListParts) {
    this.#parts = parts;
  }

  /** The names of all tools of this surface, whoever asks. */
  names(): string[] {
    return this.#parts.registry.tools(this.#parts.surface.name).map(({ name }) => name);
  }

  /** The tools that this caller sees on this surface; those of apps are only for clients that show these. */
  visible({ caller, choice }: Pick<Admission, "caller" | "choice">, { showsApps = false } = {}): WireTool[] {
    const { surface, registry, authorizer } = this.#parts;
    return registry
      .tools(surface.name)
      .filter((tool) => showsApps || !tool.tool.isForApps)
      .filter((tool) => isVisible(surface, tool, caller, choice, authorizer));
  }

  /** A tool by its wire name, unless the request or the token has switched it off. */
  find(name: string, { caller, choice }: Admission): WireTool | undefined {
    const tool = this.#parts.registry.tool(this.#parts.surface.name, name);
    const { limits } = caller.token;
    if (tool === undefined) return undefined;
    // A toolset that is merely not listed may still be called by name; a limit may not be passed.
    if (limits.toolsets !== null && !limits.toolsets.includes(tool.tool.toolset)) return undefined;
    return choice.readOnly && tool.tool.effect !== "read" ? undefined : tool;
  }

  /** The admission with the toolsets that this client has switched on. */
  async withEnabled(server: Server, admission: Admission): Promise<Admission> {
    const { surface, enabledToolsets } = this.#parts;
    if (!surface.hasToolsets) return admission;
    const choice = await enabledToolsets.addTo(admission.choice, ownerOf(server, admission));
    return { ...admission, choice };
  }

  /** Switches a toolset on, if this caller sees anything of it; `changed` is told of a list that is another now. */
  async enable(
    toolset: Toolset,
    server: Server,
    admission: Admission,
    changed: () => Promise<void>,
  ): Promise<ListedToolset> {
    const before = await this.withEnabled(server, admission);
    const { caller, choice } = before;
    const toolsets = new Set([...choice.toolsets, toolset]);
    const tools = this.visible({ caller, choice: { ...choice, toolsets } })
      .filter(({ tool }) => tool.toolset === toolset)
      .map(({ name }) => name);
    const url = `${admission.url}?toolsets=${toolsetsQuery(toolsets)}${choice.readOnly ? "&readonly=true" : ""}`;
    if (tools.length === 0 || choice.toolsets.has(toolset)) return { tools, keeper: "request", url };
    await this.#parts.enabledToolsets.add(toolset, ownerOf(server, before));
    await changed();
    return { tools, keeper: admission.meta.sessionId === null ? "client" : "session", url };
  }
}

function ownerOf(server: Server, { caller, meta }: Admission): ListOwner {
  const { name } = server.getClientVersion() ?? meta.client;
  return { caller, sessionId: meta.sessionId, clientName: name };
}
