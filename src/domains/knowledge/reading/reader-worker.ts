/**
 * Runs inside a sandboxed process that reads one document and ends. What is needed is imported here: afterwards the
 * process cannot read its own code.
 */
import { serve } from "../../../platform/sandbox/index.ts";
import { asFileError, type FileContent, type Recognised, withOcrText } from "./file-pages.ts";
import { structureContent } from "./plain-text.ts";
import { readFileContent } from "./read-file.ts";
import { split } from "./split.ts";

interface Params {
  path: string;
  extension: string;
}

/** Read once, also where it is asked again with the texts of its pictures. */
let content: FileContent | undefined;

async function read({ path, extension }: Params): Promise<unknown> {
  try {
    content = await readFileContent(path, extension);
    const { scanned = [], mimeType = null } = content;
    return scanned.length > 0 ? { scanned, mimeType } : document(content, extension);
  } catch (error) {
    throw asFileError(error);
  }
}

function document(whole: FileContent, extension: string): unknown {
  return { ...split(structureContent(whole, extension)), mimeType: whole.mimeType ?? null };
}

function complete({ extension, recognised }: Params & { recognised: Recognised }): unknown {
  return document(withOcrText(content as FileContent, recognised), extension);
}

serve({
  read: (params) => read(params as Params),
  complete: async (params) => complete(params as Params & { recognised: Recognised }),
});
