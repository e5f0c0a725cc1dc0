/** Runs inside a sandboxed process that recognises the texts in the pictures of one document and ends. */
import { readFile } from "node:fs/promises";
import { serve } from "../../../platform/sandbox/index.ts";
import { asFileError } from "./file-error.ts";
import { Recogniser } from "./recognition.ts";

const recogniser = await Recogniser.open();

interface Params {
  path: string;
  /** Of a PDF; null for a picture. */
  pages: readonly number[] | null;
}

async function recognise({ path, pages }: Params): Promise<{ page: number; text: string }[]> {
  try {
    const bytes = new Uint8Array(await readFile(path));
    if (pages === null) return [{ page: 1, text: recogniser.picture(bytes) }];
    const texts = await recogniser.pages(bytes, pages);
    return [...texts].map(([page, text]) => ({ page, text }));
  } catch (error) {
    throw asFileError(error);
  }
}

serve({ recognise: (params) => recognise(params as Params) });
