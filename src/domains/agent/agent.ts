import { AsyncLruCache } from "../../kernel/async-lru-cache.ts";
import { type Clock, wallClock } from "../../kernel/time.ts";
import type { Caller } from "../../registry/caller.ts";
import type { AuditSink } from "../../registry/ports.ts";
import type { LlmServices } from "../llm/index.ts";
import type { ModelsServices, PublishedModel } from "../models/index.ts";
import type { Answer, AskedQuery } from "./answer.ts";
import { assist, type ByRules, needsHelp } from "./assist/assist.ts";
import { type Helped, languageModelFor } from "./assist/fill-in.ts";
import { compile } from "./compile/compile.ts";
import { recorded } from "./conversations/question-event.ts";
import { say } from "./explain/say.ts";
import { callAsAuthor, inLanguageOf, readIn } from "./explain/words.ts";
import { answering, otherChoice, questionBack, replyTo } from "./follow-up/answering.ts";
import { carriedOn } from "./follow-up/context.ts";
import { followUp, saidInTwo } from "./follow-up/follow-up.ts";
import { chartWish } from "./follow-up/turn.ts";
import type { Knowledge } from "./knowledge/build-knowledge.ts";
import type { KnowledgeCache } from "./knowledge/knowledge-cache.ts";
import { LIMITS } from "./limits.ts";
import { withCarried } from "./phases/answered.ts";
import type { Query } from "./phases/execute.ts";
import { type NamesNear, withOffers } from "./phases/offers.ts";
import { type Moment, type Plan, plan, type Understand } from "./phases/plan.ts";
import {
  confirmed,
  doYouMean,
  isSame,
  type Question,
  readQuestion,
  type Suggested,
  withAnswers,
} from "./phases/question.ts";
import { clarify, notReady, refuse, unanswered } from "./phases/refuse.ts";
import { navigate, runPhases } from "./phases/run-phases.ts";
import { withinTime } from "./phases/within-time.ts";
import type { PreferencesStore } from "./preferences/preferences.store.ts";
import type { Preferences } from "./preferences/preferences.ts";
import { inTheirCalendar } from "./preferences/their-calendar.ts";
import type { Ask } from "./query/semantic-query.ts";
import { inOurWords } from "./query/unrunnable.ts";
import { type Found, readInferred } from "./reader/ranked-reader.ts";
import { momentFor } from "./settle/period.ts";
import { settle } from "./settle/settle.ts";
import { readingOf } from "./typed/query-wish.ts";
import { datesIn } from "./understand/candidates/dates.ts";
import type { ReadingThreads } from "./understand/threads/reading-threads.ts";
import { type Trace, traceOf } from "./understand/trace.ts";
import type { VerifiedStore } from "./verified/verified.store.ts";
import { verifiedReading } from "./verified/verified-reading.ts";
import {
  type Again,
  type Asked,
  type Assisted,
  exact,
  type Lent,
  type Phase,
  type Queried,
  settledOn,
  settledWork,
  UNREAD,
  type Work,
} from "./work.ts";

/** What a model is called where no endpoint has its own word. */
const WORD = "semantic model";

export type AgentLimits = { [Name in "queryMs" | "totalMs" | "rows"]: number };

export interface AgentParts {
  models: ModelsServices["models"];
  knowledge: KnowledgeCache;
  understand: Understand;
  /** Makes a question ready for a language model, and holds against it what that makes of it. */
  threads: Pick<ReadingThreads, "materialFor" | "misfitOf" | "propose">;
  /** Names that are near to words which nothing is called by. */
  near: NamesNear;
  /** The workspace's language models. */
  llm: LlmServices["llm"];
  audit: Pick<AuditSink, "record">;
  clock: Clock;
  preferences: PreferencesStore;
  verified: VerifiedStore;
  /** Of questions by those who have not chosen one. */
  timeZone: string;
  limits: AgentLimits | (typeof LIMITS)["agent"];
}

const CANDIDATE_BOUNDS = { rows: LIMITS.agent.candidateRows, ms: LIMITS.agent.candidateMs };

/** Texts and statements of one question that are remembered until it is answered. */
const MOST_KEPT = 100;

/** Plain questions about the data of a semantic model. */
export class Agent {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  async ask(caller: Caller, asked: Asked): Promise<Answer> {
    const { question, previous, waiting = [] } = asked;
    return inLanguageOf([question, waiting.at(-1), previous?.said], () => this.#ask(caller, asked));
  }

  async #ask(caller: Caller, asked: Asked): Promise<Answer> {
    const work = () =>
      withinTime(asked.signal, this.#parts.limits, asked.question, (signal) =>
        this.#answer(caller, { ...asked, signal }),
      );
    if (asked.isTrial === true) return (await work()).answer;
    return recorded(this.#parts, caller, asked, work);
  }

  /** A query that is not read in a sentence. */
  async query(caller: Caller, asked: Queried): Promise<Answer> {
    return recorded(this.#parts, caller, asked, async () => ({
      answer: await inLanguageOf([asked.question], () => this.#settled(caller, asked)),
    }));
  }

  /** The same query once more, with the rights of now and on the rows of now. */
  async again(caller: Caller, { model, query, outcome, signal }: Again): Promise<Answer> {
    if (query === null) return unanswered(outcome, model.record.name);
    const { said, now, timeZone } = query;
    const read = () => exact(query);
    const asked = { model, question: said, signal, read };
    return inLanguageOf([said], () => this.#settled(caller, asked, { now, timeZone }));
  }

  async #settled(caller: Caller, asked: Queried, at?: Moment): Promise<Answer> {
    const { model, question, onPhase, read, whyTheirs, isDry } = asked;
    return withinTime(asked.signal, this.#parts.limits, question, async (signal) => {
      const [published, preferences] = await this.#known(caller, model);
      const knowledge = inTheirCalendar(published, preferences);
      const moment = at ?? this.#moment(preferences);
      const query = this.#queryOf(caller, model, signal);
      const begin = (phase: Phase) => onPhase?.(phase);
      begin("Planner");
      callAsAuthor(knowledge.model);
      const reading = read(knowledge, moment);
      const around = { caller, knowledge, moment, query, signal, begin, preferences, word: WORD, isDry };
      const { answer } = await runPhases(settledOn(reading), settledWork(question, around));
      const why = answer.query && whyTheirs?.(answer.query.ask, around);
      return why ? { ...answer, query: { ...(answer.query as AskedQuery), isPlain: false, why } } : answer;
    });
  }

  /** How the rules read a question; for whoever wonders why. */
  async trace(caller: Caller, model: PublishedModel, text: string): Promise<Trace> {
    const [published, preferences] = await this.#known(caller, model);
    return traceOf({ text, ...this.#moment(preferences) }, inTheirCalendar(published, preferences));
  }

  async #answer(caller: Caller, asked: Asked): Promise<Assisted> {
    const {
      model,
      question,
      answers = [],
      previous,
      waiting,
      word,
      datasets,
      signal,
      onPhase,
      rulesAt,
    } = asked;
    const begun = new Set<Phase>();
    const begin = (phase: Phase) => {
      if (!begun.has(phase)) onPhase?.(phase);
      begun.add(phase);
    };

    begin("Planner");
    const [[published, own], verified] = await Promise.all([
      this.#known(caller, model, word),
      // What was answered besides may mean that something else is asked.
      answers.length > 0 || rulesAt !== undefined
        ? undefined
        : this.#parts.verified.find(model.record.id, question),
    ]);
    const preferences = rulesAt === undefined ? own : {};
    const moment = rulesAt ?? this.#moment(preferences);
    const work: Work = {
      caller,
      question: withAnswers(readQuestion(question), answers),
      knowledge: inTheirCalendar(published, preferences),
      moment,
      read: this.#reader(caller, moment, signal),
      query: this.#queryOf(caller, model, signal),
      word,
      datasets,
      signal,
      begin,
      preferences,
      understood: UNREAD,
      finish: (read) => read,
      isTheirs: answers.length > 0 || preferences.highValueMetric !== undefined,
      sent: question,
      isDry: asked.isDry,
      verified,
      isInterrupted: (previous?.refused ?? []).length > 0,
    };
    callAsAuthor(work.knowledge.model);
    work.moment = momentFor(work.question.text, work.moment, work.knowledge);
    const meant = confirmed(work.question) ?? (await this.#chosen(work, asked.suggested));
    const found = meant && (await this.#confirmed({ ...work, question: meant, verified: undefined }, asked));
    if (found?.isSure === true) return found;
    // Whoever puts answers in brackets behind a question has asked it whole, and replies to nothing.
    const isReply = found === undefined && readQuestion(question).answers.length === 0;
    const answered = isReply ? await this.#answering(work, previous, waiting) : undefined;
    if (answered !== undefined) return { answer: { ...answered, isContinued: true } };
    // What is still asked was not answered either.
    work.isInterrupted ||= (waiting ?? []).length > 0;
    const asWas = { ...work };
    const refused = [...(previous?.refused ?? []), ...(waiting ?? [])];
    const byRules = await this.#byRules(work, previous && { ...previous, refused });
    if (!needsHelp(byRules) || asked.isTrial === true) return found ?? byRules;
    const put = (text: string) =>
      this.#byRules({ ...asWas, question: { ...asWas.question, text }, verified: undefined }, null);
    const assisted = await this.#assisted(byRules, work, asked);
    if (found !== undefined && assisted.answer.outcome !== "answer") return found;
    const around = { ...work, near: this.#parts.near, put };
    return { ...assisted, answer: await withOffers(assisted.answer, asWas.question.text, around) };
  }

  /** The one of the other words that were suggested for the question before which is meant now. */
  async #chosen(work: Work, suggested: readonly Suggested[] = []): Promise<Question | undefined> {
    if (suggested.length === 0) return undefined;
    const { text } = work.question;
    // The words of a query that was offered mean that query, whatever else they may mean.
    const offered = suggested.find((each) => each.query !== undefined && isSame(each.text, text));
    if (offered !== undefined) return { ...work.question, text: offered.text };
    const alone = await work.read(text, work.knowledge);
    // What is a question by itself is asked, and not taken for a part of what was suggested.
    if (alone.readings.length > 0 && alone.missing.length === 0) return undefined;
    const texts = suggested.map((each) => each.text);
    const reply = replyTo(text, [doYouMean(texts, [])], alone);
    return reply.k === "chosen" ? { ...work.question, text: reply.answer } : undefined;
  }

  /** Answers other words that somebody has said they mean, as if they had been asked. */
  async #confirmed(
    work: Work,
    { isTrial, suggested = [], ...lent }: Asked,
  ): Promise<Assisted & { isSure: boolean }> {
    const model = isTrial === true ? undefined : await languageModelFor(work, lent, this.#parts.llm);
    const narrate = model?.sendsRows === true ? model : undefined;
    const meant = { ...work, isTheirs: true, narrate };
    const kept = suggested.find(({ text }) => isSame(text, work.question.text));
    const { answer } =
      kept?.query === undefined
        ? await this.#byRules(meant, null)
        : await runPhases(settledOn(exact(kept.query)), meant);
    const isFound = answer.outcome === "answer";
    return {
      // Words of ours for a language model's query may be read otherwise.
      isSure: kept !== undefined || isSame(answer.reading ?? "", work.question.text),
      answer: { ...answer, ...(isFound && { isContinued: true as const }) },
      ...(narrate !== undefined && { llm: narrate.llm }),
    };
  }

  /** What was asked back, put together with what is said now; undefined where that is no answer to it. */
  async #answering(
    work: Work,
    previous: Asked["previous"],
    waiting: readonly string[] = [],
  ): Promise<Answer | undefined> {
    const putAfter =
      (before: Asked["previous"]): Parameters<typeof otherChoice>[2] =>
      async (question, how) => {
        const isInterrupted =
          how?.isConfirmed !== true && (work.isInterrupted === true || how?.isLater === true);
        const asked = { ...work, question, isInterrupted, verified: undefined, isTheirs: true };
        return (await this.#byRules(asked, before)).answer;
      };
    const read = (text: string) => work.read(text, work.knowledge);
    const answered = await answering(work.question, waiting, { read, put: putAfter(previous) });
    if (answered !== undefined || work.isInterrupted === true || waiting.length > 0) return answered;
    const [last, ...earlier] = previous?.earlier ?? [];
    const before = last && { ask: last, said: say(last), earlier };
    return otherChoice(work.question, previous?.asked, putAfter(before));
  }

  async #byRules(work: Work, previous: Asked["previous"]): Promise<ByRules> {
    const { moment, read } = work;
    const wish = chartWish(work.question.text);
    work.chart = wish.chart;
    const around = {
      knowledge: work.knowledge,
      read: (text: string) => read(text, work.knowledge),
      dates: (text: string) => datesIn({ text, ...moment }, work.knowledge),
      answers: work.question.answers,
      rows: async (ask: Ask) => (await work.query(compile(work.knowledge.schema, ask).sql)).rows,
    };
    const followed = await followUp(wish, carriedOn(previous ?? undefined, work.knowledge), around);
    const continued = ({ answer, isTheirs }: ByRules) => ({
      answer: { ...answer, isContinued: true as const },
      isTheirs,
    });
    const asked = questionBack(followed, work);
    if (asked !== undefined) return continued({ answer: clarify([asked], work.knowledge), isTheirs: true });
    if (followed.k === "follows") return continued(await runPhases(settledOn(followed.reading), work));
    if (followed.k === "hangs") {
      const answer = refuse({ ...followed, obstacles: [] }, work.knowledge, work);
      return continued({ answer, isTheirs: true });
    }
    const text = followed.k === "fresh" ? followed.text : wish.text;
    const settled = await settle({ ...work.question, text }, work);
    if (settled.open.length > 0) return { answer: clarify(settled.open, work.knowledge), isTheirs: true };
    const { question, knowledge, finish } = settled;
    Object.assign(work, { question, knowledge, finish });
    const planned = await plan(question, async (text) => {
      work.understood = finish(await read(text, knowledge));
      return work.understood;
    });
    const readings = planned.k === "run" ? planned.readings : [];
    const verified =
      work.verified &&
      verifiedReading(work.verified, { ...work, version: work.knowledge.model.version, readings });
    if (verified !== undefined) return runPhases(settledOn(verified), work);
    const found = await this.#ranked(question, planned, work);
    if (found?.k === "ask") return { answer: found.answer, isTheirs: false };
    if (found?.k === "reading") return runPhases(settledOn(found.reading), work);
    if (planned.k === "run") return runPhases(planned, work);
    const open = (answer: Answer) => ({ answer, isTheirs: false });
    if (planned.k === "clarify") {
      const questions = await withCarried(planned.questions, question.text, {
        read: async (text) => finish(await read(text, knowledge)),
        carries: (all) => navigate(all, knowledge.schema, true).routes.length > 0,
      });
      const isCarried = questions.some(({ suggestions }) => suggestions.length > 0);
      const isOpen = isCarried || planned.questions.every(({ suggestions }) => suggestions.length === 0);
      if (isOpen) return open(clarify(questions, knowledge));
      // Whatever was chosen, the model could not carry it.
      return open(refuse({ missing: [], obstacles: [] }, knowledge, work));
    }
    const inTwo = await saidInTwo(question.text, around);
    if (inTwo !== undefined) return runPhases(settledOn(inTwo), work);
    return open(refuse({ ...planned, obstacles: [] }, work.knowledge, work));
  }

  /** Where nobody has said what names mean, what the question may mean is run; what was answered to is read as it was asked. */
  async #ranked(question: Question, planned: Plan, work: Work): Promise<Found | undefined> {
    const isAnswered = question.answers.length > 0 || work.isTheirs;
    if (work.knowledge.model.isInferred !== true || isAnswered) return undefined;
    const reader = { scope: String(work.caller.workspace.id), signal: work.signal };
    return readInferred(question, planned, work, {
      propose: (text, ruled) =>
        this.#parts.threads.propose({ text, ...work.moment }, ruled, work.knowledge, reader),
      run: (sql) => work.query(sql, CANDIDATE_BOUNDS),
    });
  }

  /** What a language model can do about it; without one, the rules' word is the last. */
  async #assisted(byRules: ByRules, work: Work, lent: Lent): Promise<Assisted> {
    const model = await languageModelFor(work, lent, this.#parts.llm);
    if (model === undefined) return byRules;
    const { caller, knowledge, signal, moment } = work;
    const { threads } = this.#parts;
    const reader = { scope: String(caller.workspace.id), signal };
    const question = { text: work.question.text, ...moment };
    const helped: Helped = {
      ...work,
      understanding: work.understood,
      fill: async (wish) => {
        const around = settledWork(work.question.text, work);
        return (await runPhases(settledOn(readingOf(wish, knowledge, moment)), around)).answer;
      },
      material: () => threads.materialFor(question, knowledge, reader),
      misfit: (ask) => threads.misfitOf(question, ask, knowledge, reader),
    };
    return { answer: await assist(byRules, helped, { ...model, knowledge }), llm: model.llm };
  }

  async #known(caller: Caller, model: PublishedModel, word = WORD): Promise<[Knowledge, Preferences]> {
    const { knowledge, preferences } = this.#parts;
    const known = await Promise.all([knowledge.get(caller, model), preferences.get(caller)]);
    if (known[0].model.datasets.length > 0) return known;
    throw notReady(word, model.record.uuid);
  }

  #queryOf(caller: Caller, model: PublishedModel, signal: AbortSignal): Query {
    const { models, limits } = this.#parts;
    const kept = new AsyncLruCache(MOST_KEPT);
    return (sql, bounds) =>
      kept.get(bounds === undefined ? sql : JSON.stringify([sql, bounds]), () => {
        const { rows, ms } = bounds ?? { rows: limits.rows, ms: limits.queryMs };
        return inOurWords(models.query(caller, model, { sql, signal, rows, ms }));
      });
  }

  #reader(caller: Caller, moment: Moment, signal: AbortSignal): Work["read"] {
    const reader = { scope: String(caller.workspace.id), signal };
    const known = new Map<Knowledge, AsyncLruCache>();
    return (text, of) => {
      const kept = known.get(of) ?? new AsyncLruCache(MOST_KEPT);
      known.set(of, kept);
      return kept.get(text, async () =>
        readIn(await this.#parts.understand({ text, ...moment }, of, reader)),
      );
    };
  }

  /** Now, as clocks show it where whoever asks is. */
  #moment({ timeZone = this.#parts.timeZone }: Preferences): Moment {
    return { now: wallClock(this.#parts.clock.now(), timeZone), timeZone };
  }
}
