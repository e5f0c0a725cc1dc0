import { z } from "zod";
import { isAppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { Answer, AskedQuery } from "../answer.ts";
import { say } from "../explain/say.ts";
import { LIMITS } from "../limits.ts";
import type { Moment } from "../phases/plan.ts";
import type { Question } from "../phases/question.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { QueryWish } from "../typed/query-wish.ts";
import { wishShape } from "../typed/wish-shape.ts";
import type { Understanding } from "../understand/reading.ts";
import type { Material } from "./material.ts";
import { FILL_IN_SYSTEM } from "./prompt.ts";

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

/** A query that a language model has filled in, said in our words, and its answer. */
export interface FilledIn {
  text: string;
  answer: Answer & { query: AskedQuery };
}

export interface Helped {
  question: Question;
  /** What the rules made of it. */
  understanding: Understanding;
  moment: Moment;
  material: () => Promise<Material>;
  /** Answers a query by names; an AppError says what of it is not there. */
  fill: (wish: QueryWish) => Promise<Answer>;
  /** What a query leaves out of the question, or adds to it; nothing where it fits. */
  misfit: (ask: Ask) => Promise<string>;
}

/** An answer of the rules below this is no basis for anything. */
export const CERTAIN = 0.6;
/** Readings of the rules that the model is shown. */
const SHOWN_READINGS = 3;
/** Queries, and once more with what was wrong with them. */
const TRIES = 2;
const MOST_QUERIES = 3;
const SHOWN_CHARACTERS = 4_000;

const replyShape = z.object({ queries: z.array(z.unknown()) });

/** A query as a model wrote it, and what it is called where something is wrong with it. */
interface Written {
  query: unknown;
  quoted: string;
}

/**
 * Lets a language model fill in the query that a question means. What names only what is there, and holds against the
 * question itself, is found; undefined where it says that there is nothing.
 */
export async function filledIn(helped: Helped, write: Write): Promise<FilledIn[] | undefined> {
  const task = await taskOf(helped);
  let before: object = {};
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const reply = await write({
      key: `query-${tries}`,
      system: FILL_IN_SYSTEM,
      text: JSON.stringify({ ...task, ...before }),
      schema: SCHEMA,
      maxTokens: LIMITS.agent.fillInTokens,
    });
    const queries = queriesIn(reply);
    if (queries?.length === 0) return undefined;
    const tried = await Promise.all((queries ?? []).map((query) => tryOut(query, helped)));
    const held = tried.flatMap((each) => (typeof each === "string" ? [] : [each]));
    if (held.length > 0) return held;
    const problem =
      queries === undefined ? "The answer is not JSON of the form that was asked for." : tried.join(" ");
    before = { yourAnswer: clip(reply, SHOWN_CHARACTERS), problem: clip(problem, SHOWN_CHARACTERS) };
  }
  return [];
}

async function taskOf({ question, moment, understanding, material }: Helped): Promise<object> {
  const { candidates, digest } = await material();
  const { readings, missing, unclear } = understanding;
  return {
    question: question.text,
    ...(question.answers.length > 0 && { answers: question.answers }),
    today: moment.now.slice(0, 10),
    notUnderstoodByRules: missing.map(({ text }) => text),
    unclearToRules: unclear.map(({ question: asked }) => asked),
    readings: readings.slice(0, SHOWN_READINGS).map(({ ask }) => say(ask)),
    values: candidates,
    model: digest,
  };
}

/** The queries of a reply, which likes to put JSON into a fence; undefined where there are none in it. */
function queriesIn(reply: string): Written[] | undefined {
  const [start, end] = [reply.indexOf("{"), reply.lastIndexOf("}")];
  try {
    // Providers that hold a model to a form know nothing that may be left out, but what may be null.
    const json = JSON.parse(reply.slice(start, end + 1), (_, value) => (value === null ? undefined : value));
    const { data } = replyShape.safeParse(json);
    return data?.queries
      .slice(0, MOST_QUERIES)
      .map((query) => ({ query, quoted: clip(JSON.stringify(query) ?? "null") }));
  } catch {
    // It is no JSON, or is nested deeper than anybody means.
    return undefined;
  }
}

/** A query that is answered, or why it is not, for whoever made it. */
async function tryOut({ query, quoted }: Written, { fill, misfit }: Helped): Promise<FilledIn | string> {
  const wish = wishShape.safeParse(query);
  if (!wish.success) return `${quoted}: ${z.prettifyError(wish.error)}`;
  try {
    const { query: asked, ...answer } = await fill(wish.data);
    if (asked == null) return `${quoted}: ${answer.narrative}`;
    const text = asked.said;
    const problem = await misfit(asked.ask);
    return problem === "" ? { text, answer: { ...answer, query: asked } } : `${quoted}: ${problem}`;
  } catch (error) {
    if (!isAppError(error) || error.code !== "bad_request") throw error;
    return `${quoted}: ${[error.message, error.hint].filter(Boolean).join(" ")}`;
  }
}

const TEXT = { type: ["string", "null"] };
const TEXTS = { type: ["array", "null"], items: { type: "string" } };
const ONE = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
const VALUE = { anyOf: [...ONE, { type: "array", items: { anyOf: ONE } }, { type: "null" }] };
const FILTERS = {
  type: ["array", "null"],
  items: every({ field: { type: "string" }, op: TEXT, value: VALUE }),
};
const SCHEMA = every({
  queries: {
    type: "array",
    items: every({
      metrics: TEXTS,
      by: TEXTS,
      where: FILTERS,
      period: TEXT,
      compare: { type: ["string", "null"], enum: [...wishShape.shape.compare.unwrap().options, null] },
      order: TEXT,
      limit: { type: ["integer", "null"] },
    }),
  },
});

/** An object with these and nothing else, as strict providers want it. */
function every(properties: Record<string, object>): Record<string, unknown> {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
