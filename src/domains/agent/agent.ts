import { clip } from "../../kernel/clip.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { wallClock } from "../../kernel/time-zone.ts";
import type { Caller } from "../../registry/caller.ts";
import type { ModelsServices, PublishedModel } from "../models/index.ts";
import type { Answer } from "./answer.ts";
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
import { readQuestion } from "./phases/question.ts";
import { clarify, refuse } from "./phases/refuse.ts";
import { verify } from "./phases/verify.ts";
import type { PreferencesStore } from "./preferences/preferences.store.ts";
import type { Preferences } from "./preferences/preferences.ts";
import { inTheirCalendar } from "./preferences/their-calendar.ts";
import { settle } from "./settle/settle.ts";

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
  /** What a model is called where the question came from. */
  word: string;
  signal: AbortSignal;
  onPhase?: (phase: Phase) => void;
}

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
    { model, question, answers = [], word, signal, onPhase }: Asked,
  ): Promise<Answer> {
    const { models, understand, limits } = this.#parts;
    const begin = (phase: Phase) => onPhase?.(phase);
    const query: Query = (sql) =>
      models.query(caller, model, { sql, signal, rows: limits.rows, ms: limits.queryMs });

    begin("Planner");
    const [published, preferences] = await Promise.all([
      this.#parts.knowledge.get(caller, model),
      this.#parts.preferences.get(caller),
    ]);
    const known = inTheirCalendar(published, preferences);
    const read = readQuestion(question);
    const moment = this.#moment(preferences);
    const asked = { ...read, answers: [...read.answers, ...answers] };
    const reader = { scope: String(caller.workspace.id), signal };
    const reads = (text: string, of: Knowledge) => understand({ text, ...moment }, of, reader);
    const settled = await settle(asked, { knowledge: known, preferences, moment, query, read: reads });
    if (settled.open.length > 0) return clarify(settled.open, known);
    const { knowledge } = settled;
    const planned = await plan(settled.question, async (text) =>
      settled.finish(await reads(text, knowledge)),
    );
    if (planned.k === "clarify") return clarify(planned.questions, knowledge);
    if (planned.k === "refuse") return refuse({ ...planned, obstacles: [] }, knowledge, word);

    begin("Navigator");
    const said = inTheirWords(planned.readings);
    const { readings, isChosen } = await apart(said, settled.question, { knowledge, query });
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
    return explain(result, view, { knowledge, verified, notes, rivals: execution.rivals });
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
