import { and, eq, isNotNull, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { CatalogDb, CatalogTx } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { ModelFile } from "./format/read-models.ts";
import { ReadingThreads } from "./format/reading-threads.ts";
import { countOf, locate, moreProblems } from "./format/report.ts";
import { isForData } from "./format/structure.ts";
import { LIMITS } from "./limits.ts";
import type { Problem, SemanticModel } from "./model.ts";
import type { ModelRecord } from "./models.store.ts";
import { semanticModels } from "./models.tables.ts";
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

/** Whose draft it is, and which: no two drafts of a model are saved at the same time. */
export interface DraftInfo {
  savedAt: Date;
  savedById: number | null;
  /** E-mail address; null when there is no such account any more. */
  savedBy: string | null;
}

export interface Draft extends DraftInfo {
  document: SemanticModel;
}

const info = {
  savedAt: semanticModels.draftedAt,
  savedById: semanticModels.draftedBy,
  savedBy: sql<string | null>`(SELECT accounts.email FROM accounts WHERE accounts.id = drafted_by)`,
};

/** The draft of a model, if it has one. */
export async function readDraft(db: CatalogDb, modelId: number): Promise<Draft | null> {
  const [row] = await db
    .select({ ...info, document: semanticModels.draft })
    .from(semanticModels)
    .where(hasDraft(modelId));
  return (row as Draft | undefined) ?? null;
}

/** The same without what it says. */
export async function readDraftInfo(db: CatalogDb | CatalogTx, modelId: number): Promise<DraftInfo | null> {
  const [row] = await db.select(info).from(semanticModels).where(hasDraft(modelId));
  return (row as DraftInfo | undefined) ?? null;
}

function hasDraft(modelId: number) {
  return and(eq(semanticModels.id, modelId), isNotNull(semanticModels.draft));
}

/** Drafts are shared, so that whoever takes the place of another's should know it. */
export function noteOn(replaced: DraftInfo | null, userId: number): { note?: string } {
  if (replaced === null || replaced.savedById === userId) return {};
  const { savedBy, savedAt } = replaced;
  const author = savedBy ?? "somebody who has left";
  return { note: `This replaced the draft that ${author} saved at ${savedAt.toISOString()}.` };
}

const SHOWN = 20;

/** Problems as lines that people and language models can go through. */
export function listProblems(problems: readonly Problem[]): string {
  const lines = problems.slice(0, SHOWN).map(({ message, hint, file, line }) => {
    const place = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
    return `\n- ${place}${shorten(message)}${hint === undefined ? "" : ` ${shorten(hint)}`}`;
  });
  const more = problems.length > SHOWN ? `\n- … ${problems.length - SHOWN} more` : "";
  return lines.join("") + more;
}

/** Bounds the problems in an answer: errors before warnings, and no long SQL in them. */
export function boundProblems(
  problems: readonly Problem[],
  most: number = LIMITS.models.problems,
): Problem[] {
  const short = (problem: Problem): Problem => ({
    ...problem,
    message: shorten(problem.message),
    ...(problem.hint !== undefined && { hint: shorten(problem.hint) }),
  });
  if (problems.length <= most) return problems.map(short);
  const errors = problems.filter(({ severity }) => severity === "error");
  const listed = [...errors, ...problems.filter(({ severity }) => severity !== "error")].slice(0, most);
  const count = (some: readonly Problem[]) => some.reduce((sum, problem) => sum + countOf(problem), 0);
  const rest = count(problems) - count(listed);
  return [...listed.map(short), moreProblems(rest, errors.length > most ? "error" : "warning")];
}

function shorten(text: string): string {
  return clip(text, LIMITS.models.problemCharacters);
}
