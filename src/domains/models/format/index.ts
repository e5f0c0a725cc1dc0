export { diffModels, printDiff } from "./diff-models.ts";
export { modelNameFault } from "./model-name.ts";
export { type ModelFile, readModels } from "./read-models.ts";
export { ReadingThreads } from "./reading-threads.ts";
export { countOf, locate, moreProblems, pathTo } from "./report.ts";
export { isForData } from "./structure.ts";
export { writeModel } from "./write-model.ts";
