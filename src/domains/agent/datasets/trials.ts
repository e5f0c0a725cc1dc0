import type { Logger } from "pino";
import { mapBounded } from "../../../kernel/concurrency.ts";
import { isAppError } from "../../../kernel/errors.ts";
import { InputNeeded } from "../../../registry/context.ts";
import type { Dataset } from "../../data/index.ts";
import { omissionReason, type PublishedModel } from "../../models/index.ts";
import type { Answer } from "../answer.ts";
import { t } from "../explain/words.ts";
import { clarified } from "../phases/refuse.ts";
import { isCalledLike, rowNounIn } from "../understand/candidates/row-nouns.ts";
import type { Asked } from "../work.ts";
import type { Before } from "./data-conversations.ts";

export type Log = Pick<Logger, "error">;

/** Datasets that belong together, with a model of them. */
export interface Group {
  model: PublishedModel;
  isPublished: boolean;
  datasets: readonly Dataset[];
}

/** Answers of this much less confidence are no rivals. */
const MARGIN = 0.1;
export const AT_ONCE = 2;

export interface Tried {
  group: Group;
  answer: Answer;
}

/** Asks one group; a trial is by rules alone. */
export type AskOf = (
  group: Group,
  about: Pick<Asked, "isTrial" | "previous" | "waiting" | "suggested">,
) => Promise<Tried>;

export const TRIAL = { isTrial: true } as const;
type Trials = (groups: readonly Group[]) => Promise<Tried[]>;

/** Datasets that could not be asked, and why: none of them may spoil a question about the others. */
export class LeftOut {
  readonly #log: Log;
  readonly #why = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(datasets: readonly Dataset[], error: unknown): void {
    if (!isAppError(error)) this.#log.error({ err: error }, "datasets were left out of a question");
    this.#why.set(datasets.map(({ name }) => name).join(", "), omissionReason(error));
  }

  /** What came of those groups in which nothing failed. */
  async without(groups: readonly Group[], work: (group: Group) => Promise<Tried>): Promise<Tried[]> {
    const tried = await mapBounded(groups, AT_ONCE, (group) =>
      work(group).catch((error) => {
        // Whoever asked is gone, or has to be asked first.
        if (error instanceof InputNeeded || (isAppError(error) && error.code === "cancelled")) throw error;
        this.add(group.datasets, error);
      }),
    );
    return tried.filter((each) => each !== undefined);
  }

  get notes(): string[] {
    return [...this.#why].map(([names, why]) => `${names} was left out: ${why}`);
  }
}

/** Tries each group once, however often it is weighed against others. */
export function once(askOf: AskOf): AskOf {
  const tried = new Map<Group, Promise<Tried>>();
  return (group, about) => {
    if (about !== TRIAL) return askOf(group, about);
    const trial = tried.get(group) ?? askOf(group, about);
    tried.set(group, trial);
    return trial;
  };
}

/** The answer, where the question goes on from the one before it; undefined where it stands for itself. */
export async function continued(
  groups: readonly Group[],
  before: Before | undefined,
  askOf: AskOf,
  leftOut: LeftOut,
): Promise<Tried | undefined> {
  const isSame = ({ datasets }: Group) =>
    datasets.length === before?.datasetIds.length &&
    datasets.every(({ id }) => before.datasetIds.includes(id));
  const group = groups.find(isSame);
  if (before === undefined || group === undefined) return undefined;
  const { query, earlier, refused, waiting, suggested } = before;
  const previous = query && { ...query, earlier: earlier ?? [], refused: refused ?? [] };
  const about = { isTrial: true, previous, waiting, suggested } as const;
  const [tried] = await leftOut.without([group], () => askOf(group, about));
  return tried?.answer.isContinued === true ? tried : undefined;
}

/** The answer of a published model, if one has it: then nothing has to be guessed about other datasets. */
export async function describedAnswer(
  groups: readonly Group[],
  datasets: readonly Dataset[],
  trials: Trials,
): Promise<Tried | undefined> {
  const described = groups.filter(({ isPublished }) => isPublished);
  // The only one is asked with all means.
  if (described.length === 1 && datasets.every((each) => described[0]?.datasets.includes(each)))
    return undefined;
  const tried = await trials(described);
  return tried.find((each) => each.answer.outcome === "answer" && !isOfOthers(each, datasets));
}

/** Of several groups that were tried by rules, a language model is asked about one at most. */
export async function firstAnswer(groups: readonly Group[], askOf: AskOf, trials: Trials): Promise<Tried> {
  const [first, ...others] = groups;
  if (others.length === 0) return askOf(first as Group, {});
  const tried = await trials(groups);
  // Where all of them failed, the first says why.
  if (tried.length === 0) return askOf(first as Group, TRIAL);
  const chosen = choose(tried);
  return chosen.answer.outcome === "refuse" ? askOf(chosen.group, {}) : chosen;
}

/** The answer of the one group that has one; of several, a question which data are meant. */
function choose(tried: readonly Tried[]): Tried {
  const datasets = datasetsOf(tried.map(({ group }) => group));
  const answered = tried.filter((each) => each.answer.outcome === "answer" && !isOfOthers(each, datasets));
  const [published] = answered.filter(({ group }) => group.isPublished);
  if (published !== undefined) return published;
  const [best, ...others] = answered.toSorted((a, b) => confidence(b) - confidence(a));
  if (best === undefined) {
    return tried.find(({ answer }) => answer.outcome === "clarify") ?? (tried[0] as Tried);
  }
  const rivals = others.filter(
    (each) => confidence(best) - confidence(each) < MARGIN && !isSameRows(each.answer, best.answer),
  );
  if (rivals.length === 0) return best;
  const suggestions = [best, ...rivals].map(({ group, answer }) => usedIn(group, answer));
  const questions = [{ question: t`Which data do you mean?`, suggestions }];
  return { group: best.group, answer: clarified(questions, best.answer.model) };
}

/** Whether a noun was taken for the rows of a dataset where another one is called so. */
function isOfOthers({ group, answer }: Tried, datasets: readonly Dataset[]): boolean {
  const nouns = answer.assumptions.flatMap((choice) => rowNounIn(choice) ?? []);
  const others = datasets.filter((each) => !group.datasets.includes(each));
  return nouns.some((noun) => others.some(({ name }) => isCalledLike(name, noun)));
}

export function datasetsOf(groups: readonly Group[]): Dataset[] {
  return [...new Map(groups.flatMap(({ datasets }) => datasets).map((each) => [each.id, each])).values()];
}

/** Those of some datasets that a model is about. */
export function coveredBy(sources: readonly { source: string }[], datasets: readonly Dataset[]): Dataset[] {
  return datasets.filter((dataset) => sources.some(({ source }) => isSource(source, dataset)));
}

/** Whether a model means a dataset of the workspace by a source: by its name, or as `schema.name`. */
function isSource(source: string, { name }: Dataset): boolean {
  const plain = source.replaceAll('"', "").toLowerCase();
  return plain === name.toLowerCase() || plain.endsWith(`.${name.toLowerCase()}`);
}

function confidence({ answer }: Tried): number {
  return answer.confidence ?? 0;
}

function isSameRows(a: Answer, b: Answer): boolean {
  return JSON.stringify(a.rows) === JSON.stringify(b.rows);
}

/** The dataset that an answer comes from, as it is called in the workspace. */
function usedIn({ datasets }: Group, { lineage }: Answer): string {
  const [first = datasets[0]] = coveredBy(lineage?.datasets.slice(0, 1) ?? [], datasets);
  return first?.name ?? "";
}
