import { AppError, nameTools, type ToolMention, toolMentions } from "../../kernel/errors.ts";
import type { SurfaceName } from "../../registry/caller.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";

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
