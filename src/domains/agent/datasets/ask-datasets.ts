import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError } from "../../../kernel/errors.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { type Data, type Dataset, type DatasetsStore, restrictionFor } from "../../data/index.ts";
import { buildModel, type Inference, type ModelsServices, unpublished } from "../../models/index.ts";
import { LIMITS as MODELS } from "../../models/limits.ts";
import type { Agent } from "../agent.ts";
import type { Answer } from "../answer.ts";
import { recorded } from "../conversations/question-event.ts";
import type { Elsewhere } from "../define.ts";
import { inLanguageOf, t, word } from "../explain/words.ts";
import type { KnowledgeCache } from "../knowledge/knowledge-cache.ts";
import { LIMITS } from "../limits.ts";
import { isSame, readQuestion, withoutAnswers } from "../phases/question.ts";
import type { Trace } from "../understand/trace.ts";
import type { Asked } from "../work.ts";
import { componentsOf } from "./components.ts";
import type { Before } from "./data-conversations.ts";
import { datasetRelevance, relevanceOf } from "./relevance.ts";
import {
  type AskOf,
  AT_ONCE,
  continued,
  coveredBy,
  datasetsOf,
  describedAnswer,
  firstAnswer,
  type Group,
  LeftOut,
  type Log,
  once,
  TRIAL,
  type Tried,
} from "./trials.ts";

export interface DatasetsAsked extends Pick<Asked, "question" | "answers" | "signal" | "onPhase"> {
  /** All that the caller sees, where none are named. */
  datasetIds: readonly number[] | undefined;
  /** What it may build on, where no datasets are named. */
  before?: Before | undefined;
}

export interface DatasetsAnswer {
  answer: Answer;
  /** The datasets that were asked. */
  asked: readonly Dataset[];
  /** The datasets in which the answer was looked for. */
  searched: readonly Dataset[];
  /** The published model that was asked, if it was one. */
  model: string | null;
}

interface Parts {
  agent: Agent;
  log: Log;
  audit: Pick<AuditSink, "record">;
  knowledge: KnowledgeCache;
  models: ModelsServices["models"];
  inference: Inference;
  data: Data;
  datasets: DatasetsStore;
  elsewhere: Elsewhere;
}

interface Wish {
  question: string;
  /** Names of datasets that were chosen. */
  chosen: readonly string[];
}

/** Plain questions about datasets, whether they have a semantic model or not. */
export class DatasetQuestions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async ask(caller: Caller, asked: DatasetsAsked): Promise<DatasetsAnswer> {
    const { waiting, query } = asked.before ?? {};
    return inLanguageOf([asked.question, waiting?.at(-1), query?.said], () => this.#ask(caller, asked));
  }

  async #ask(caller: Caller, asked: DatasetsAsked): Promise<DatasetsAnswer> {
    const { datasetIds, before } = asked;
    const all =
      datasetIds === undefined ? await this.#visible(caller) : await this.#named(caller, datasetIds);
    const isName = (answer: string) => all.some(({ name }) => isSame(answer, name));
    const waiting = before?.waiting.at(-1);
    const sent =
      waiting !== undefined && isName(asked.question) ? `${waiting} [${asked.question}]` : asked.question;
    const question = withoutAnswers(sent, isName);
    const about = nearestOf(question, all);
    const chosen = readQuestion(sent).answers.filter(isName);
    const wish = { question, chosen, isNamed: datasetIds !== undefined };
    const published = await this.#published(caller, about, wish.isNamed);
    const leftOut = new LeftOut(this.#parts.log);
    const allGroups = () => this.#groups(caller, about, published, { ...wish, leftOut });
    const described = wished(published, wish);
    let groups = described.length > 0 ? described : await allGroups();
    let isWritten = false;
    const askOf = once(async (group, more) => {
      // Of trials only what comes of them is written down, and here.
      isWritten ||= more.isTrial !== true;
      const { datasetIds: _, before: __, ...rest } = asked;
      const datasets = datasetsOf(groups).map(({ name }) => name);
      const whole = { ...rest, model: group.model, question, word: "datasets", datasets, ...more };
      return { group, answer: await this.#parts.agent.ask(caller, whole) };
    });
    const trials = (some: readonly Group[]) => leftOut.without(some, (group) => askOf(group, TRIAL));
    const find = async (): Promise<Tried> => {
      const early =
        (await continued(groups, before, askOf, leftOut)) ?? (await describedAnswer(groups, about, trials));
      if (early !== undefined) return early;
      if (described.length === 0) return firstAnswer(groups, askOf, trials);
      groups = await allGroups();
      const guessed = groups.filter((each) => !described.includes(each));
      return (await continued(guessed, before, askOf, leftOut)) ?? (await firstAnswer(groups, askOf, trials));
    };
    let [group] = groups as [Group, ...Group[]];
    const asOne = { model: group.model, question, isWritten: () => isWritten };
    const answer = await recorded(this.#parts, caller, asOne, async () => {
      const tried = await find();
      group = tried.group;
      return { answer: tried.answer, model: group.model };
    });
    const notes = group.isPublished ? [] : inferredNotes(answer);
    const needed = answer.outcome === "refuse" ? await this.#needed(caller, group, askOf) : undefined;
    return {
      answer: {
        ...answer,
        narrative: [answer.narrative, needed].filter(Boolean).join("\n\n"),
        caveats: [...answer.caveats, ...notes, ...leftOut.notes],
      },
      asked: group.datasets,
      searched: datasetsOf(groups),
      model: group.isPublished ? group.model.record.name : null,
    };
  }

  /** How the rules read a question over each of the models that it may be about. */
  async trace(caller: Caller, question: string): Promise<Trace[]> {
    const datasets = nearestOf(question, await this.#visible(caller));
    const published = await this.#published(caller, datasets, false);
    const groups = await this.#groups(caller, datasets, published, {
      question,
      chosen: [],
      leftOut: new LeftOut(this.#parts.log),
    });
    return mapBounded(groups, AT_ONCE, ({ model }) => this.#parts.agent.trace(caller, model, question));
  }

  async #visible(caller: Caller): Promise<Dataset[]> {
    const { items } = await this.#parts.datasets.list(caller.workspace.id, {
      limit: LIMITS.agent.searchedDatasets,
      offset: 0,
    });
    const seen = items.filter((dataset) => restrictionFor(caller, dataset).columns.length > 0);
    if (seen.length > 0) return seen;
    throw new AppError("not_found", "There are no datasets to ask about.", {
      hint: `{tool:import_file} makes one of a file, {tool:push_data} of rows.${await this.#parts.elsewhere(caller)}`,
    });
  }

  async #named(caller: Caller, ids: readonly number[]): Promise<Dataset[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.#parts.data.require(caller, id)));
    const hidden = found.find((dataset) => restrictionFor(caller, dataset).columns.length === 0);
    if (hidden === undefined) return found;
    throw new AppError("forbidden", `No column of ${hidden.name} may be seen by you.`);
  }

  /** What a question may be about: published models, and datasets that belong together. */
  async #groups(
    caller: Caller,
    datasets: readonly Dataset[],
    published: readonly Group[],
    wish: Wish & { leftOut: LeftOut },
  ): Promise<Group[]> {
    // Nothing is guessed about what one model describes.
    const isDescribed = published.some((each) =>
      datasets.every((dataset) => each.datasets.includes(dataset)),
    );
    const inferred = isDescribed ? [] : await this.#inferred(caller, datasets, wish);
    const own = inferred.filter(
      (group) =>
        !published.some((each) => group.datasets.every((dataset) => each.datasets.includes(dataset))),
    );
    const groups = [...published, ...own];
    const meant = wished(groups, wish);
    return meant.length > 0 ? meant : wished(groups, { ...wish, chosen: [] });
  }

  /** Models over these datasets; over all of them and nothing else, where they were named. */
  async #published(caller: Caller, datasets: readonly Dataset[], isNamed: boolean): Promise<Group[]> {
    if (!caller.permissions.includes("ontologies:read")) return [];
    const all = (await this.#parts.models.published(caller)).map((model): Group => {
      const covered = coveredBy(model.document.datasets, datasets);
      return { model, isPublished: true, datasets: covered };
    });
    if (!isNamed) return all.filter((group) => group.datasets.length > 0);
    const only = new Set(datasets.map(({ id }) => id));
    const fit = all.filter((group) => group.datasets.length === datasets.length);
    const groups = await mapBounded(fit, AT_ONCE, async (group) => {
      const model = { ...group.model, only };
      const seen = await this.#parts.models.see(caller, model);
      // What the model makes of several datasets cannot be told from some of them.
      const isWhole = coveredBy(seen.datasets, datasets).length === datasets.length;
      return isWhole ? [{ ...group, model }] : [];
    });
    return groups.flat();
  }

  /** Which datasets have to be named as well, where their model would have an answer. */
  async #needed(caller: Caller, group: Group, askOf: AskOf): Promise<string | undefined> {
    const { only, ...model } = group.model;
    if (only === undefined) return undefined;
    const { answer } = await askOf({ ...group, model }, { isTrial: true });
    const used = coveredBy(answer.lineage?.datasets ?? [], await this.#visible(caller));
    const others = used.filter(({ id }) => !only.has(id));
    const list = others.map(({ id, name }) => `${name} (${id})`).join(", ");
    return others.length === 0 ? undefined : t`It can be answered with more datasets: name ${list} as well.`;
  }

  async #inferred(
    caller: Caller,
    datasets: readonly Dataset[],
    { question, leftOut }: Pick<Wish, "question"> & { leftOut: LeftOut },
  ): Promise<Group[]> {
    const relevance = datasetRelevance(relevanceOf(question));
    const examined = await this.#parts.inference.examine(caller, datasets, relevance);
    for (const { dataset, error } of examined.leftOut) leftOut.add([dataset], error);
    // What was found out before is of the same datasets, but of other records of them.
    const known = new Map(datasets.map((each) => [each.id, each]));
    return componentsOf(examined).map(({ looked, joins }) => ({
      model: { ...unpublished(caller, buildModel("datasets", looked, joins)), isInferred: true },
      isPublished: false,
      datasets: looked.map(({ profile: { dataset } }) => known.get(dataset.id) ?? dataset),
    }));
  }
}

/** Those of some groups that a question is put to, the nearest first. */
function wished(groups: readonly Group[], { question, chosen }: Wish): Group[] {
  const meant = groups.filter(({ datasets }) =>
    datasets.some(({ name }) => chosen.some((answer) => isSame(answer, name))),
  );
  const relevance = relevanceOf(question);
  const of = ({ datasets }: Group) =>
    relevance(
      datasets.map(({ name }) => name).join(" "),
      datasets.flatMap(({ columns }) => columns.map(({ name }) => name)),
    );
  return (chosen.length > 0 ? meant : [...groups])
    .toSorted((a, b) => of(b) - of(a) || Number(b.isPublished) - Number(a.isPublished))
    .slice(0, LIMITS.agent.askedGroups);
}

/** As many as one model is guessed of, those first whose names are in the question. */
function nearestOf(question: string, datasets: readonly Dataset[]): Dataset[] {
  const relevance = datasetRelevance(relevanceOf(question));
  const most = MODELS.models.inferredDatasets;
  if (datasets.length <= most) return [...datasets];
  const first = datasets.toSorted((a, b) => relevance(b) - relevance(a)).slice(0, most);
  return datasets.filter((dataset) => first.includes(dataset));
}

/** Whoever relies on an answer should know what of it was guessed. */
function inferredNotes({ lineage }: Answer): string[] {
  const joins = (lineage?.joins ?? []).map(
    ({ left, right, on }) => `${left} ${word("and")} ${right} (${on.join(", ")})`,
  );
  return joins.length === 0
    ? []
    : [t`How these belong together was inferred from names and values: ${joins.join("; ")}.`];
}
