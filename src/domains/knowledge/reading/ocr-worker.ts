/** Runs inside a sandboxed process that recognises the texts in the pictures of one document and ends. */
import { readFile } from "node:fs/promises";
import { serve } from "../../../platform/sandbox/index.ts";
import { asFileError, type PageText } from "./file-pages.ts";
import { OcrEngine } from "./ocr.ts";

const recogniser = await OcrEngine.open();

interface Params {
  path: string;
  /** Of a PDF; null for a picture. */
  pages: readonly number[] | "all" | null;
}

async function recognise({ path, pages }: Params): Promise<PageText[]> {
  try {
    const bytes = new Uint8Array(await readFile(path));
    if (pages === null) return [{ page: 1, text: recogniser.picture(bytes), isRecognised: true }];
    return await recogniser.pages(bytes, pages);
  } catch (error) {
    throw asFileError(error);
  }
}

serve({ recognise: (params) => recognise(params as Params) });
