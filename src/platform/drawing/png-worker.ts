/** Runs in a sandboxed process: what it makes pictures of was written by callers. */
import { serve } from "../sandbox/index.ts";
import { openResvg, type PngQuestion } from "./resvg.ts";

const resvg = openResvg();
serve({ png: (question) => resvg.png(question as PngQuestion) });
