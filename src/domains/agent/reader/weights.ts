import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unpacked } from "./classifiers.ts";
import { modelsOf, type ReaderModels } from "./models.ts";

let loaded: ReaderModels | undefined;

/** What was learned, as `npm run train -- reader` has left it beside this file. */
export function readerModels(): ReaderModels {
  loaded ??= modelsOf(unpacked(readFileSync(join(import.meta.dirname, "weights.bin"))));
  return loaded;
}
