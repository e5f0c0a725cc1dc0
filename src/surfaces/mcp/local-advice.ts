import { AppError } from "../../kernel/errors.ts";
import type { SurfaceName } from "../../registry/caller.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";

const NAME = /\b[a-z]+(?:_[a-z]+)*\b/g;

/**
 * Advice speaks of tools by their plain names. A surface has names of its own for them, and a sentence about a
 * tool that it lacks, or about an argument ("create_query with replace: true") that its form of the tool lacks,
 * would send its reader in circles: it is left out.
 */
export function localError(error: AppError, registry: Registry, surface: SurfaceName): AppError {
  if (error.hint === undefined || surface === "all") return error;
  const here = new Map(registry.tools(surface).map((tool) => [tool.tool.name, tool]));
  const isElsewhere = (name: string) => !here.has(name) && registry.tool("all", name) !== undefined;
  const hint = error.hint
    .split(/(?<=[.!?]) /)
    .filter((sentence) => !(sentence.match(NAME) ?? []).some(isElsewhere) && !lacksArgument(sentence, here))
    .map((sentence) => sentence.replace(NAME, (name) => here.get(name)?.name ?? name))
    .join(" ");
  const { data, cause } = error;
  return new AppError(error.code, error.message, { data, cause, ...(hint !== "" && { hint }) });
}

function lacksArgument(sentence: string, here: ReadonlyMap<string, WireTool>): boolean {
  return [...sentence.matchAll(/\b([a-z_]+) with ([a-z_]+)\b/g)].some(([, tool = "", argument = ""]) => {
    const { properties } = here.get(tool)?.inputSchema ?? {};
    return properties !== undefined && !(argument in (properties as object));
  });
}
