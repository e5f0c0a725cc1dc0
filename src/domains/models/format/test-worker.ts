/** Stands in for `read-worker.ts` where a thread has to go wrong: the name of the first file says how. */
import { answerQuestions } from "../../../platform/workers/index.ts";
import { type ModelFile, readModels } from "./read-models.ts";

const DEEDS: Readonly<Record<string, () => void>> = {
  exit: () => process.exit(3),
  throw: () => {
    throw new Error("a bug");
  },
  loop: () => {
    for (;;);
  },
  memory: () => {
    for (const kept: number[][] = []; ; ) kept.push(Array.from({ length: 10_000 }, (_, i) => i + 0.5));
  },
};

answerQuestions((files: readonly ModelFile[]) => {
  DEEDS[files[0]?.name ?? ""]?.();
  return readModels(files);
});
