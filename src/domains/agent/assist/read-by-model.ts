import { clip } from "../../../kernel/clip.ts";
import { isAppError } from "../../../kernel/errors.ts";
import type { Result } from "../answer.ts";
import { CompileError } from "../compile/compile-error.ts";
import { say } from "../explain/say.ts";
import { windowsIn } from "../follow-up/parts.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import { buildSql } from "../phases/build-sql.ts";
import { agree, execute, type Query } from "../phases/execute.ts";
import { navigate } from "../phases/navigate.ts";
import type { Moment } from "../phases/plan.ts";
import type { Question } from "../phases/question.ts";
import type { Reading, Understanding } from "../understand/reading.ts";
import { PlanProblem } from "./check-plan.ts";
import type { Held, HeldPlan, ToHold } from "./hold-plan.ts";
import type { Material } from "./material.ts";
import { planSchema, planShape, readPlan } from "./plan-shape.ts";
import { PLAN_SYSTEM } from "./prompt.ts";

/** Something that a language model is to write. */
export interface ModelTask {
  /** Its own for each task of a question. */
  key: string;
  system: string;
  text: string;
  schema?: Record<string, unknown>;
  maxTokens: number;
}

/** Lets a language model write: a provider's, or the client's own. */
export type Write = (task: ModelTask) => Promise<string>;

export interface Helped {
  question: Question;
  /** What the rules made of it. */
  understanding: Understanding;
  knowledge: Knowledge;
  moment: Moment;
  query: Query;
  material: () => Promise<Material>;
  /** Holds a plan against the question. */
  hold: (plan: ToHold) => Promise<Held>;
  /** Puts what was settled before into readings. */
  finish: (read: Understanding) => Understanding;
}

/** What a reading by a language model costs: less certain than a good one by rules. */
const MODEL_COST = 3;
/** And where a value or an operation hangs on nothing but its word. */
const DOUBTFUL_COST = 4;
/** Readings of the rules that the model is shown. */
const SHOWN_READINGS = 3;
/** A plan and one more, with what was wrong with it. */
const TRIES = 2;

export type ModelReading =
  | { k: "result"; result: Result }
  /** It says itself that it cannot, or what it says cannot be used. */
  | { k: "nothing"; why: string };

/**
 * Lets a language model fill in the semantic query: material, plan (`plan-shape`), names and values (`check-plan`), held
 * against the words (`hold-plan`), compiled and run like any other. Its text is held against the rows (`narrative`).
 */
export async function readByModel(helped: Helped, write: Write): Promise<ModelReading> {
  const { question, knowledge, understanding } = helped;
  const material = await helped.material();
  const windows = understanding.readings.flatMap(({ ask }) => windowsIn(ask));
  const shape = planShape(knowledge.schema);
  const schema = planSchema(shape);
  const task = taskOf(helped, material);
  let before: object = {};
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const text = JSON.stringify({ ...task, ...before });
    const key = `plan-${tries}`;
    const answer = await write({
      key,
      system: PLAN_SYSTEM,
      text,
      schema,
      maxTokens: LIMITS.agent.planTokens,
    });
    const plan = readPlan(answer, shape);
    try {
      if (plan === undefined) throw new PlanProblem("The answer is not JSON of the form that was asked for.");
      if (plan.query === null) return { k: "nothing", why: "found nothing in the model for it" };
      const held = await helped.hold({
        plan: { ...plan, query: plan.query },
        answers: question.answers,
        windows,
      });
      if ("problem" in held) throw new PlanProblem(held.problem);
      return { k: "result", result: await run(held, helped) };
    } catch (error) {
      before = { yourAnswer: clip(answer, 4_000), problem: problemOf(error) };
    }
  }
  // What it was told is of use to nobody else.
  return { k: "nothing", why: "what it made of the question did not hold, so that nothing of it was used" };
}

function taskOf(
  { question, moment, understanding }: Helped,
  { content, candidates, periods, digest }: Material,
): object {
  const { readings, missing, unclear } = understanding;
  return {
    question: question.text,
    ...(question.answers.length > 0 && { answers: question.answers }),
    today: moment.now.slice(0, 10),
    content,
    notUnderstoodByRules: missing.map(({ text }) => text),
    unclearToRules: unclear.map(({ question: asked }) => asked),
    readings: readings.slice(0, SHOWN_READINGS).map(({ ask, cost }) => ({ query: ask, cost })),
    periods,
    values: candidates,
    model: digest,
  };
}

/** The plan, compiled and run. Where the rules can read the question with the model's words, they have to find the same. */
async function run({ ask, assumed, isDoubtful, byRules }: HeldPlan, helped: Helped): Promise<Result> {
  const assumptions = assumed.map((choice) => ({ at: null, choice, others: [] }));
  const cost = isDoubtful ? DOUBTFUL_COST : MODEL_COST;
  const result = await resultOf([{ ask, cost, assumptions, said: say(ask) }], helped);
  if (byRules.length === 0) return result;
  const own = await resultOf(byRules, helped);
  if (!agree(result, own))
    throw new PlanProblem(`With these words the question rather means: ${say(own.reading.ask)}.`);
  return result;
}

/** The best of some readings. */
async function resultOf(
  all: Reading[],
  { knowledge, query, understanding, finish }: Helped,
): Promise<Result> {
  const { readings } = finish({ ...understanding, readings: all });
  const { routes, obstacles } = navigate(readings, knowledge.schema, false);
  if (routes.length === 0) throw new PlanProblem(obstacles.join(" "));
  const execution = await execute(buildSql(routes), query);
  if (execution.k === "clarify") throw new PlanProblem("The question has two meanings.");
  return execution.result;
}

/** What the model can do something about; everything else is not about its plan. */
function problemOf(error: unknown): string {
  if (error instanceof PlanProblem || error instanceof CompileError) return error.message;
  if (isAppError(error) && error.code === "bad_request") return clip(error.message, 500);
  throw error;
}
