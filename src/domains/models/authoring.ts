import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { ModelFile } from "./format/read-models.ts";
import { ReadingThreads } from "./format/reading-threads.ts";
import { locate } from "./format/report.ts";
import { isForData } from "./format/structure.ts";
import { boundProblems, listProblems } from "./list-problems.ts";
import type { Problem, SemanticModel } from "./model.ts";
import type { ModelRecord } from "./models.store.ts";
import type { Models } from "./models.ts";

/** Files that were read and compared with the data. */
export interface Examination {
  models: { model: SemanticModel; problems: Problem[] }[];
  /** Everything that is wrong, also with files from which no model could be read. */
  problems: Problem[];
  /** Some of what the files say could not be understood, so to keep them would be to lose it. */
  isUnreadable: boolean;
}

/** For the whole process: threads belong to no server in it, and end by themselves. */
const threads = new ReadingThreads();

/** Reads files and compares what they say with the data. */
export async function examine(
  models: Models,
  caller: Caller,
  files: readonly ModelFile[],
  signal: AbortSignal,
): Promise<Examination> {
  const read = await threads.read(files, String(caller.workspace.id), signal);
  const examined: Examination["models"] = [];
  let isUnreadable = read.models.length === 0 || read.problems.some(isError);
  for (const { model, problems, places } of read.models) {
    if (problems.some(isError)) {
      isUnreadable = true;
      examined.push({ model, problems });
      continue;
    }
    const found = (await models.check(caller, model, signal)).map((problem) => locate(problem, places));
    examined.push({ model, problems: [...problems.filter((each) => !isForData(each)), ...found] });
  }
  const problems = [...read.problems, ...examined.flatMap((each) => each.problems)];
  return { models: examined, problems, isUnreadable };
}

export function assertReadable({ isUnreadable, problems }: Examination): void {
  if (!isUnreadable) return;
  const errors = problems.filter(isError);
  const reasons = errors.length === 0 ? "there is no model in it." : listProblems(errors);
  const data = { problems: boundProblems(errors) };
  throw new AppError("bad_request", `The model cannot be read: ${reasons}`, { data });
}

/** Publishes models all together or not at all: an error in one keeps all of them as they are. */
export async function publishAll(
  models: Models,
  caller: Caller,
  examination: Examination,
  options = { isReplacing: false },
): Promise<ModelRecord[]> {
  assertReadable(examination);
  const publications = examination.models.map(({ model, problems }) => ({
    document: model,
    warnings: problems,
  }));
  return models.publishAll(caller, publications, options);
}

function isError({ severity }: Problem): boolean {
  return severity === "error";
}
