import { clip } from "../../kernel/clip.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { wallClock } from "../../kernel/time-zone.ts";
import type { Caller } from "../../registry/caller.ts";
import type { ModelsServices, PublishedModel } from "../models/index.ts";
import type { Answer, AskedQuery, ChartSpec, Outcome } from "./answer.ts";
import { inTheirWords } from "./explain/say.ts";
import { viewOf } from "./explain/view.ts";
import { chartWish } from "./follow-up/chart-wish.ts";
import { followUp, type Previous } from "./follow-up/follow-up.ts";
import type { Knowledge } from "./knowledge/build-knowledge.ts";
import type { KnowledgeCache } from "./knowledge/knowledge-cache.ts";
import type { LIMITS } from "./limits.ts";
import { buildSql } from "./phases/build-sql.ts";
import { execute, type Query } from "./phases/execute.ts";
import { explain } from "./phases/explain.ts";
import { apart } from "./phases/namesakes.ts";
import { navigate } from "./phases/navigate.ts";
import { type Moment, type Plan, plan, type Understand } from "./phases/plan.ts";
import { type Question, readQuestion } from "./phases/question.ts";
import { clarify, refuse, unanswered } from "./phases/refuse.ts";
import { verify } from "./phases/verify.ts";
import type { PreferencesStore } from "./preferences/preferences.store.ts";
import type { Preferences } from "./preferences/preferences.ts";
import { inTheirCalendar } from "./preferences/their-calendar.ts";
import { settle } from "./settle/settle.ts";
import type { Reading } from "./understand/reading.ts";

/** The phases that a question goes through, in their order. */
export const PHASES = ["Planner", "Navigator", "SQL Builder", "Executor", "Verifier", "Explainer"] as const;
export type Phase = (typeof PHASES)[number];

export type AgentLimits = { [Name in "queryMs" | "totalMs" | "rows"]: number };

export interface AgentParts {
  models: ModelsServices["models"];
  knowledge: KnowledgeCache;
  understand: Understand;
  clock: Clock;
  preferences: PreferencesStore;
  /** Of questions by those who have not chosen one. */
  timeZone: string;
  limits: AgentLimits | (typeof LIMITS)["agent"];
}

export interface Asked {
  model: PublishedModel;
  question: string;
  /** Further answers to what was asked back. */
  answers?: readonly string[];
  /** What was asked before, on which it may build. */
  previous?: Previous | null | undefined;
  /** What a model is called where the question came from. */
  word: string;
  signal: AbortSignal;
  onPhase?: (phase: Phase) => void;
}

export interface Again {
  model: PublishedModel;
  query: AskedQuery | null;
  outcome: Outcome;
  signal: AbortSignal;
}

type Run = Extract<Plan, { k: "run" }>;

interface Running {
  planned: Run;
  asked: Question;
  knowledge: Knowledge;
  moment: Moment;
  query: Query;
  word: string;
  begin: (phase: Phase) => void;
  chart?: ChartSpec["type"] | undefined;
}

/** Plain questions about the data of a semantic model. */
export class Agent {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  async ask(caller: Caller, asked: Asked): Promise<Answer> {
    return this.#within(asked, asked.question, (signal) => this.#answer(caller, { ...asked, signal }));
  }

  /** The same query once more, with the rights of now and on the rows of now. */
  async again(caller: Caller, { model, query, outcome, signal }: Again): Promise<Answer> {
    if (query === null) return unanswered(outcome, model.record.name);
    const { ask, said, now, timeZone } = query;
    return this.#within({ signal }, said, async (within) => {
      const [published, preferences] = await this.#known(caller, model);
      const knowledge = inTheirCalendar(published, preferences);
      const reading = { ask, said, cost: 0, assumptions: [] };
      const planned = settledOn(reading);
      const asked: Question = { text: said, answers: [], isForced: true };
      const moment = { now, timeZone };
      const run = { planned, asked, knowledge, moment, query: this.#queryOf(caller, model, within) };
      return this.#run({ ...run, word: "semantic model", begin: () => {} });
    });
  }

  async #within<T>(
    { signal: outer }: { signal: AbortSignal },
    question: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { totalMs } = this.#parts.limits;
    const deadline = AbortSignal.timeout(totalMs);
    const signal = AbortSignal.any([outer, deadline]);
    try {
      signal.throwIfAborted();
      return await work(signal);
    } catch (error) {
      const isLate = deadline.aborted && !outer.aborted;
      if (isLate || (isAppError(error) && error.code === "timeout")) {
        throw tooLong(question, isLate ? `after ${totalMs / 1000} seconds` : this.#queryTime(), error);
      }
      throw error;
    }
  }

  async #answer(
    caller: Caller,
    { model, question, answers = [], previous, word, signal, onPhase }: Asked,
  ): Promise<Answer> {
    const { understand } = this.#parts;
    const begin = (phase: Phase) => onPhase?.(phase);
    const query = this.#queryOf(caller, model, signal);

    begin("Planner");
    const [published, preferences] = await this.#known(caller, model);
    const known = inTheirCalendar(published, preferences);
    const sent = readQuestion(question);
    const moment = this.#moment(preferences);
    const asked = { ...sent, answers: [...sent.answers, ...answers] };
    const reader = { scope: String(caller.workspace.id), signal };
    const read = (text: string, of: Knowledge) => understand({ text, ...moment }, of, reader);
    const wish = chartWish(asked.text);
    const run = { asked, moment, query, word, begin, chart: wish.chart };
    const around = { knowledge: known, read: (text: string) => read(text, known) };
    const going = previous == null ? undefined : await followUp(wish, previous, around);
    if (going !== undefined) return this.#run({ ...run, planned: settledOn(going), knowledge: known });
    const settled = await settle(
      { ...asked, text: wish.text },
      { knowledge: known, preferences, moment, query, read },
    );
    if (settled.open.length > 0) return clarify(settled.open, known);
    const { knowledge } = settled;
    const planned = await plan(settled.question, async (text) => settled.finish(await read(text, knowledge)));
    if (planned.k === "clarify") return clarify(planned.questions, knowledge);
    if (planned.k === "refuse") return refuse({ ...planned, obstacles: [] }, knowledge, word);
    return this.#run({ ...run, planned, asked: settled.question, knowledge });
  }

  /** All phases after the Planner. */
  async #run({ planned, asked, knowledge, moment, query, word, begin, chart }: Running): Promise<Answer> {
    begin("Navigator");
    const said = inTheirWords(planned.readings);
    const { readings, isChosen } = await apart(said, asked, { knowledge, query });
    const { routes, obstacles } = navigate(readings, knowledge.schema, planned.isSettled);
    if (routes.length === 0) return refuse({ missing: [], obstacles }, knowledge, word);

    begin("SQL Builder");
    const statements = buildSql(routes);

    begin("Executor");
    const execution = await execute(statements, query);
    if (execution.k === "clarify") return clarify(execution.questions, knowledge);
    const { result } = execution;

    begin("Verifier");
    const view = viewOf(result, knowledge);
    const verified = await verify(result, view, { knowledge, now: moment.now, query });

    begin("Explainer");
    const notes = [...(isChosen ? [] : planned.notes), ...execution.notes];
    const answer = explain(result, view, { knowledge, verified, notes, rivals: execution.rivals, chart });
    const { ask, said: meant, assumptions } = result.reading;
    const isPlain = !assumptions.some(({ isTheirs }) => isTheirs === true);
    return { ...answer, query: { ask, said: meant, ...moment, isPlain } };
  }

  #known(caller: Caller, model: PublishedModel): Promise<[Knowledge, Preferences]> {
    const { knowledge, preferences } = this.#parts;
    return Promise.all([knowledge.get(caller, model), preferences.get(caller)]);
  }

  #queryOf(caller: Caller, model: PublishedModel, signal: AbortSignal): Query {
    const { models, limits } = this.#parts;
    return (sql) => models.query(caller, model, { sql, signal, rows: limits.rows, ms: limits.queryMs });
  }

  /** Now, as clocks show it where whoever asks is. */
  #moment({ timeZone = this.#parts.timeZone }: Preferences): Moment {
    return { now: wallClock(this.#parts.clock.now(), timeZone), timeZone };
  }

  #queryTime(): string {
    return `: one query took longer than ${this.#parts.limits.queryMs / 1000} seconds`;
  }
}

function settledOn(reading: Reading): Run {
  return { k: "run", readings: [reading], isSettled: true, notes: [] };
}

function tooLong(question: string, when: string, cause: unknown): AppError {
  return new AppError("timeout", `Agent execution timeout${when.startsWith(":") ? "" : " "}${when}`, {
    hint: "Ask for less, or split the question.",
    data: { question: clip(question, 200) },
    cause,
  });
}
