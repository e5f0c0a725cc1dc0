import { period as spoken, t } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Query } from "../phases/execute.ts";
import type { Moment } from "../phases/plan.ts";
import { answersAbout, askedAgain, isSame, labelled, type Question } from "../phases/question.ts";
import type { Preferences } from "../preferences/preferences.ts";
import type { Window } from "../query/semantic-query.ts";
import type { Assumption, Clarification, Reading, Understanding } from "../understand/reading.ts";
import {
  answeredThreshold,
  preferredThreshold,
  qualifierIn,
  sayThreshold,
  thresholdQuestion,
  withThreshold,
} from "./high-value.ts";
import { type Threshold, usualMetric, wordsOf } from "./measure.ts";
import {
  grainFor,
  isAllTime,
  isChange,
  isOfEvents,
  isTrend,
  isVague,
  namesTime,
  openGrowth,
  pastSpan,
  periodOf,
  periodQuestion,
  preferredPeriod,
  withoutAllTime,
  withoutOpener,
  withoutVague,
  withPeriod,
} from "./period.ts";
import { answeredRegion, type OwnRegion, regionIn, regionQuestion, withRegion } from "./region.ts";

export interface Circumstances {
  knowledge: Knowledge;
  preferences: Preferences;
  moment: Moment;
  query: Query;
  read: (text: string, knowledge: Knowledge) => Promise<Understanding>;
}

/** A question of which nothing is left open that answers, preferences or the wish to proceed can settle. */
export interface Settled {
  question: Question;
  knowledge: Knowledge;
  /** What has to be asked all the same. */
  open: Clarification[];
  /** Puts what was settled into readings, and says so. */
  finish: (read: Understanding) => Understanding;
}

/** Where a choice comes from: answers of this question need not be said back. */
type Chosen<T> = { value: T; because?: string; answer?: string };

/** Vague words of a question: by answers first, then by what this person prefers, then by assumption. */
export async function settle(asked: Question, around: Circumstances): Promise<Settled> {
  const state = {
    ...asked,
    knowledge: around.knowledge,
    open: [] as Clarification[],
    notes: [] as Assumption[],
  };
  const use = (answer: string | undefined) => {
    state.answers = state.answers.filter((each) => each !== answer);
  };

  const region = regionIn(state.text, around.knowledge);
  if (region !== undefined) {
    const chosen = chooseRegion(state, region, around);
    if (chosen === undefined) state.open.push(...again(regionQuestion(region), "region", state));
    else {
      state.text = withRegion(state.text, region, chosen.value);
      use(chosen.answer);
      if (chosen.because !== undefined)
        state.notes.push(theirs(t`your ${region.word.toLowerCase()} is ${chosen.value} (${chosen.because})`));
    }
  }

  const qualifier = qualifierIn(state.text, around.knowledge);
  if (qualifier !== undefined) {
    const question = await thresholdQuestion(qualifier, state.text, around);
    const chosen = chooseThreshold(state, question, around);
    if (chosen === undefined) state.open.push(...again(question, "threshold", state));
    else {
      Object.assign(state, withThreshold(state.text, around.knowledge, chosen.value));
      use(chosen.answer);
      const said = sayThreshold(chosen.value, around.knowledge);
      const choice = t`${qualifier} means ${said}`;
      state.notes.push(
        chosen.because === undefined
          ? { at: null, choice, others: [] }
          : theirs(`${choice} (${chosen.because})`),
      );
    }
  }

  const period = settlePeriod(state, around);
  use(period.answer);
  if (period.isOpen) state.open.unshift(...again(periodQuestion(), "period", state));
  if (period.isAll === true) state.text = withoutAllTime(state.text);
  if (isTrend(state.text) || period.isSeries) state.text = await asSeries(state, period.win, around);
  // "recent orders in 2025": beside a period the word says something else.
  else if (isVague(state.text) && !namesTime(state.text, around.moment, state.knowledge).period)
    state.text = withoutVague(state.text);

  const { text, answers, labels, isForced, knowledge, open, notes } = state;
  const finish = (read: Understanding): Understanding => {
    const readings = read.readings.map((reading) => finished(reading, { notes, period, knowledge }));
    const isWhole = read.missing.length === 0 && read.unclear.length === 0;
    const growth = isWhole && readings[0] !== undefined ? openGrowth(readings[0].ask) : [];
    return { ...read, readings, unclear: [...read.unclear, ...growth] };
  };
  return { question: { text, answers, ...(labels && { labels }), isForced }, knowledge, open, finish };
}

/** What has to be asked, with what was said about it and not understood. */
function again(
  question: Clarification,
  subject: Parameters<typeof labelled>[0],
  asked: Question,
): Clarification[] {
  return askedAgain([question], labelled(subject, asked), asked.labels);
}

function theirs(choice: string): Assumption {
  return { at: null, choice, others: [], isTheirs: true };
}

interface Period {
  win: Window | null | undefined;
  because?: string;
  answer?: string;
  isOpen: boolean;
  /** The question itself says that there is one. */
  isNeeded: boolean;
  /** All that there is, by periods. */
  isSeries?: true;
  /** The question says itself that all times are meant. */
  isAll?: true;
}

function settlePeriod(state: Question & { knowledge: Knowledge }, around: Circumstances): Period {
  const { moment, knowledge, preferences } = around;
  const { period, grain } = namesTime(state.text, moment, knowledge);
  const span =
    !period && (isTrend(state.text) || isChange(state.text)) && !isVague(state.text)
      ? pastSpan(knowledge, moment)
      : undefined;
  const isNeeded = isVague(state.text) || (isTrend(state.text) && !grain) || span !== undefined;
  // Nobody is asked for a period of what has no dates.
  const isDated = [...knowledge.schema.datasets.values()].some(({ date }) => date !== null);
  if (period || !isDated) return { win: undefined, isOpen: false, isNeeded: false };
  if (isAllTime(state.text, knowledge))
    return { win: undefined, isOpen: false, isNeeded: false, isAll: true };
  const readPeriod = (text: string) =>
    isAllTime(text, knowledge) ? null : periodOf(text, moment, knowledge);
  const answer = answersAbout("period", state).find((each) => readPeriod(each) !== undefined);
  if (answer !== undefined && (isNeeded || readPeriod(answer) === null))
    return { win: readPeriod(answer), answer, isOpen: false, isNeeded };
  const preferred = preferredPeriod(preferences, moment, knowledge);
  if (preferred !== undefined && answer === undefined) {
    return { win: preferred, because: t`your default time period`, isOpen: false, isNeeded };
  }
  if (!isNeeded) return { win: undefined, isOpen: false, isNeeded };
  if (span !== undefined) return { win: span, isOpen: false, isNeeded, isSeries: true };
  if (!state.isForced) return { win: undefined, isOpen: true, isNeeded };
  const [first = ""] = periodQuestion().suggestions;
  return { win: periodOf(first, moment, knowledge), because: t`assumed`, isOpen: false, isNeeded };
}

/** A trend is a number by periods; of entities it is what they are worth. */
async function asSeries(
  { text, knowledge }: { text: string; knowledge: Knowledge },
  win: Window | null | undefined,
  { moment, preferences, read }: Circumstances,
): Promise<string> {
  const bare = withoutOpener(withoutVague(text)).replace(/[\s?.!]+$/, "");
  const by = namesTime(bare, moment, knowledge).grain ? "" : ` by ${grainFor(win)}`;
  const { readings, unclear } = await read(bare, knowledge);
  const isNumber = readings[0]?.ask.k === "table" || unclear.length > 0;
  const metric = usualMetric(knowledge, preferences.highValueMetric);
  // Of a table with numbers of its own, how many rows there are is none that was asked for.
  const isIdle = metric !== undefined && /_count$/.test(metric) && knowledge.model.metrics.length > 1;
  return isNumber || metric === undefined || isIdle ? `${bare}${by}` : `${wordsOf(metric)} from ${bare}${by}`;
}

function finished(
  reading: Reading,
  { notes, period, knowledge }: { notes: readonly Assumption[]; period: Period; knowledge: Knowledge },
): Reading {
  const { win, because, isNeeded } = period;
  const isMeant = win != null && (isNeeded || isOfEvents(reading.ask));
  const within = isMeant ? withPeriod(reading.ask, win, knowledge) : undefined;
  const said =
    within !== undefined && because !== undefined
      ? [theirs(t`period: ${spoken(win?.said ?? "")} (${because})`)]
      : [];
  return {
    ...reading,
    ask: within ?? reading.ask,
    said: within === undefined ? reading.said : "",
    assumptions: [...notes, ...said, ...reading.assumptions],
  };
}

function chooseRegion(
  question: Question,
  { values }: OwnRegion,
  { preferences }: Circumstances,
): Chosen<string> | undefined {
  const answer = answeredRegion(answersAbout("region", question), values);
  if (answer !== undefined) return { value: answer, answer };
  const preferred = values.find((value) => isSame(value, preferences.preferredRegion ?? ""));
  if (preferred !== undefined) return { value: preferred, because: t`your preferred region` };
  const [first] = values;
  return question.isForced && first !== undefined ? { value: first, because: t`assumed` } : undefined;
}

function chooseThreshold(
  question: Question,
  { suggestions }: Clarification,
  { knowledge, preferences }: Circumstances,
): Chosen<Threshold> | undefined {
  const answered = answeredThreshold(answersAbout("threshold", question), knowledge, preferences);
  if (answered !== undefined) return { value: answered.threshold, answer: answered.answer };
  const preferred = preferredThreshold(preferences, knowledge);
  if (preferred !== undefined) return { value: preferred, because: t`your preference` };
  const first = question.isForced ? answeredThreshold(suggestions, knowledge, preferences) : undefined;
  return first && { value: first.threshold, because: t`assumed` };
}
