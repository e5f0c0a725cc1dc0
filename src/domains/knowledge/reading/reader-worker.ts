/**
 * Runs inside a sandboxed process that reads one document and ends. What is needed is imported here: afterwards the
 * process cannot read its own code.
 */
import { serve } from "../../../platform/sandbox/index.ts";
import { asFileError, readFileContent } from "./read-file.ts";
import { split } from "./split.ts";
import { structureContent } from "./structure.ts";

async function read({ path, extension }: { path: string; extension: string }): Promise<unknown> {
  try {
    const content = await readFileContent(path, extension);
    return { ...split(structureContent(content, extension)), mimeType: content.mimeType ?? null };
  } catch (error) {
    throw asFileError(error);
  }
}

serve({ read: (params) => read(params as { path: string; extension: string }) });
