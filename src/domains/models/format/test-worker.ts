/** Stands in for `read-worker.ts` where a thread has to go wrong: the name of the first file says how. */
import { parentPort } from "node:worker_threads";
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

parentPort?.on("message", (files: readonly ModelFile[]) => {
  DEEDS[files[0]?.name ?? ""]?.();
  parentPort?.postMessage({ reading: readModels(files) });
});
