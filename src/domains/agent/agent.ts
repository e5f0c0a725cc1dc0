import { clip } from "../../kernel/clip.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { wallClock } from "../../kernel/time-zone.ts";
import type { Caller } from "../../registry/caller.ts";
import type { LlmServices } from "../llm/index.ts";
import type { ModelsServices, PublishedModel } from "../models/index.ts";
import type { Answer, Result } from "./answer.ts";
import { assist, type ByRules, needsHelp } from "./assist/assist.ts";
import type { ModelTask, Write } from "./assist/read-by-model.ts";
import { inTheirWords } from "./explain/say.ts";
import { viewOf } from "./explain/view.ts";
import type { Knowledge } from "./knowledge/build-knowledge.ts";
import type { KnowledgeCache } from "./knowledge/knowledge-cache.ts";
import type { LIMITS } from "./limits.ts";
import { buildSql } from "./phases/build-sql.ts";
import { execute, type Query } from "./phases/execute.ts";
import { explain } from "./phases/explain.ts";
import { apart } from "./phases/namesakes.ts";
import { navigate } from "./phases/navigate.ts";
import { type Moment, plan, type Understand } from "./phases/plan.ts";
import { type Question, readQuestion } from "./phases/question.ts";
import { clarify, refuse } from "./phases/refuse.ts";
import { verify } from "./phases/verify.ts";
import type { PreferencesStore } from "./preferences/preferences.store.ts";
import type { Preferences } from "./preferences/preferences.ts";
import { inTheirCalendar } from "./preferences/their-calendar.ts";
import { settle } from "./settle/settle.ts";
import type { Understanding } from "./understand/reading.ts";

/** The phases that a question goes through, in their order. */
export const PHASES = ["Planner", "Navigator", "SQL Builder", "Executor", "Verifier", "Explainer"] as const;
export type Phase = (typeof PHASES)[number];

export type AgentLimits = { [Name in "queryMs" | "totalMs" | "rows"]: number };

export interface AgentParts {
  models: ModelsServices["models"];
  knowledge: KnowledgeCache;
  understand: Understand;
  /** The workspace's language models. */
  llm: LlmServices["llm"];
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
  /** What a model is called where the question came from. */
  word: string;
  signal: AbortSignal;
  onPhase?: (phase: Phase) => void;
  /** The client's own language model, where it lends it: asked where the workspace has none. */
  sample?: ((task: ModelTask) => Promise<string>) | undefined;
}

/** A question on its way through the phases. */
interface Work {
  caller: Caller;
  question: Question;
  knowledge: Knowledge;
  moment: Moment;
  query: Query;
  word: string;
  signal: AbortSignal;
  begin: (phase: Phase) => void;
  preferences: Preferences;
  /** What the rules made of it last. */
  understood: Understanding;
  /** Puts what was settled before into readings, and says so. */
  finish: (read: Understanding) => Understanding;
}

const UNREAD: Understanding = { readings: [], missing: [], unclear: [], trace: [] };

/** Plain questions about the data of a semantic model. */
export class Agent {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  async ask(caller: Caller, asked: Asked): Promise<Answer> {
    const { totalMs } = this.#parts.limits;
    const deadline = AbortSignal.timeout(totalMs);
    const signal = AbortSignal.any([asked.signal, deadline]);
    try {
      signal.throwIfAborted();
      return await this.#answer(caller, { ...asked, signal });
    } catch (error) {
      const isLate = deadline.aborted && !asked.signal.aborted;
      if (isLate || (isAppError(error) && error.code === "timeout")) {
        throw tooLong(asked.question, isLate ? `after ${totalMs / 1000} seconds` : this.#queryTime(), error);
      }
      throw error;
    }
  }

  async #answer(
    caller: Caller,
    { model, question, answers = [], word, signal, onPhase, sample }: Asked,
  ): Promise<Answer> {
    const { models, limits } = this.#parts;
    const begun = new Set<Phase>();
    const begin = (phase: Phase) => {
      if (!begun.has(phase)) onPhase?.(phase);
      begun.add(phase);
    };
    const query: Query = (sql) =>
      models.query(caller, model, { sql, signal, rows: limits.rows, ms: limits.queryMs });

    begin("Planner");
    const [published, preferences] = await Promise.all([
      this.#parts.knowledge.get(caller, model),
      this.#parts.preferences.get(caller),
    ]);
    const knowledge = inTheirCalendar(published, preferences);
    const read = readQuestion(question);
    const asked = { ...read, answers: [...read.answers, ...answers] };
    const moment = this.#moment(preferences);
    const work: Work = {
      caller,
      question: asked,
      knowledge,
      moment,
      query,
      word,
      signal,
      begin,
      preferences,
      understood: UNREAD,
      finish: (read) => read,
    };
    const byRules = await this.#byRules(work);
    return needsHelp(byRules) ? this.#assisted(byRules, work, sample) : byRules.answer;
  }

  async #byRules(work: Work): Promise<ByRules> {
    const { caller, moment, query, word, signal, begin } = work;
    const reader = { scope: String(caller.workspace.id), signal };
    const { understand } = this.#parts;
    const reads = (text: string, of: Knowledge) => understand({ text, ...moment }, of, reader);
    const settled = await settle(work.question, { ...work, read: reads });
    if (settled.open.length > 0) return { answer: clarify(settled.open, work.knowledge), isTheirs: true };
    const { question, knowledge, finish } = settled;
    Object.assign(work, { question, knowledge, finish });
    const planned = await plan(question, async (text) => {
      work.understood = finish(await reads(text, knowledge));
      return work.understood;
    });
    const open = (answer: Answer) => ({ answer, isTheirs: false });
    if (planned.k === "clarify") return open(clarify(planned.questions, knowledge));
    if (planned.k === "refuse") return open(refuse({ ...planned, obstacles: [] }, knowledge, word));

    begin("Navigator");
    const said = inTheirWords(planned.readings);
    const { readings, isChosen } = await apart(said, question, { knowledge, query });
    const { routes, obstacles } = navigate(readings, knowledge.schema, planned.isSettled);
    if (routes.length === 0) return open(refuse({ missing: [], obstacles }, knowledge, word));

    begin("SQL Builder");
    const statements = buildSql(routes);

    begin("Executor");
    const execution = await execute(statements, query);
    if (execution.k === "clarify") return { answer: clarify(execution.questions, knowledge), isTheirs: true };
    const notes = [...(isChosen ? [] : planned.notes), ...execution.notes];
    const answer = await this.#tell(execution.result, work, { notes, rivals: execution.rivals });
    return { answer, isTheirs: planned.isSettled || isChosen };
  }

  /** Verifies and explains a result. */
  async #tell(
    result: Result,
    { knowledge, moment, query, begin }: Work,
    { notes, rivals }: { notes: readonly string[]; rivals: number },
  ): Promise<Answer> {
    begin("Verifier");
    const view = viewOf(result, knowledge);
    const verified = await verify(result, view, { knowledge, now: moment.now, query });

    begin("Explainer");
    return explain(result, view, { knowledge, verified, notes, rivals });
  }

  /** The workspace's language model, or else the client's; without either, the rules' word is the last. */
  async #assisted(byRules: ByRules, work: Work, sample: Asked["sample"]): Promise<Answer> {
    const { caller, question, signal, preferences } = work;
    const { llm } = this.#parts;
    const provider = await llm.providerFor(caller, preferences.defaultProvider);
    if (provider === undefined && sample === undefined) return byRules.answer;
    const instruction = [question.text, ...question.answers].join(" ");
    const write: Write =
      provider === undefined
        ? (sample as NonNullable<typeof sample>)
        : async ({ key, ...task }) =>
            (await llm.ask(caller, provider, { ...task, purpose: `question ${key}`, instruction, signal }))
              .text;
    const { understood: understanding } = work;
    return assist(
      byRules,
      { ...work, understanding },
      {
        write,
        name: provider?.model ?? "of your client",
        tell: (result, notes) => this.#tell(result, work, { notes, rivals: 0 }),
      },
    );
  }

  /** Now, as clocks show it where whoever asks is. */
  #moment({ timeZone = this.#parts.timeZone }: Preferences): Moment {
    return { now: wallClock(this.#parts.clock.now(), timeZone), timeZone };
  }

  #queryTime(): string {
    return `: one query took longer than ${this.#parts.limits.queryMs / 1000} seconds`;
  }
}

function tooLong(question: string, when: string, cause: unknown): AppError {
  return new AppError("timeout", `Agent execution timeout${when.startsWith(":") ? "" : " "}${when}`, {
    hint: "Ask for less, or split the question.",
    data: { question: clip(question, 200) },
    cause,
  });
}
