import { clip } from "../../../kernel/clip.ts";
import { injectionIn } from "../../../kernel/instructions.ts";
import type { Answer } from "../answer.ts";
import { say } from "../explain/say.ts";
import { LIMITS } from "../limits.ts";
import { isSame } from "../phases/chosen.ts";
import type { Moment } from "../phases/plan.ts";
import type { Question } from "../phases/question.ts";
import type { Understanding } from "../understand/reading.ts";
import type { Material } from "./material.ts";
import type { Reworded } from "./misfit.ts";
import { SUGGEST_SYSTEM } from "./prompt.ts";

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

/** Other words for a question, and what the rules answer to them. */
export interface Suggestion {
  text: string;
  answer: Answer;
}

export interface Helped {
  question: Question;
  /** What the rules made of it. */
  understanding: Understanding;
  moment: Moment;
  material: () => Promise<Material>;
  /** Answers other words by rules, as if they had been asked; with the words of them that mean nothing. */
  put: (text: string) => Promise<{ answer: Answer; missing: string[] }>;
  /** What other words leave out of the question, or add to it; nothing where they fit. */
  misfit: (other: Reworded) => Promise<string>;
}

/** An answer of the rules below this is no basis for anything. */
export const CERTAIN = 0.6;
/** Readings of the rules that the model is shown. */
const SHOWN_READINGS = 3;
/** Other words, and once more with what was wrong with them. */
const TRIES = 2;
const MOST_SUGGESTIONS = 3;
const LONGEST = 300;

const SCHEMA = {
  type: "object",
  properties: { questions: { type: "array", items: { type: "string" } } },
  required: ["questions"],
  additionalProperties: false,
};

/**
 * Lets a language model say a question in the words of the semantic model. What the rules then understand to the last
 * word, and hold against the question itself, is a suggestion; undefined where it says that there is nothing.
 */
export async function suggestions(helped: Helped, write: Write): Promise<Suggestion[] | undefined> {
  const task = await taskOf(helped);
  let before: object = {};
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const answer = await write({
      key: `words-${tries}`,
      system: SUGGEST_SYSTEM,
      text: JSON.stringify({ ...task, ...before }),
      schema: SCHEMA,
      maxTokens: LIMITS.agent.suggestionTokens,
    });
    const texts = textsIn(answer);
    if (texts?.length === 0) return undefined;
    const tried = await Promise.all((texts ?? []).map((text) => tryOut(text, helped)));
    const held = tried.flatMap((each) => (typeof each === "string" ? [] : [each]));
    if (held.length > 0) return held;
    const problem =
      texts === undefined ? "The answer is not JSON of the form that was asked for." : tried.join(" ");
    before = { yourAnswer: clip(answer, 4_000), problem };
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

/** The questions of a model's answer, which likes to put JSON into a fence; undefined where there are none in it. */
function textsIn(answer: string): string[] | undefined {
  const [start, end] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  try {
    const { questions } = JSON.parse(answer.slice(start, end + 1)) as { questions?: unknown };
    if (!Array.isArray(questions)) return undefined;
    const texts = questions
      .filter((each) => typeof each === "string")
      // Names of a model are said with spaces.
      .map((each) => each.replaceAll("_", " ").trim());
    return [...new Set(texts)].slice(0, MOST_SUGGESTIONS);
  } catch {
    return undefined;
  }
}

/** One sentence of plain words: all of it is read by the rules, and nothing in it is anything else where it is shown. */
const PLAIN = /^[\p{L}\p{N} %€$£&'’"„“()/.,+-]+[?.]?$/u;
const SENTENCES = /[.?]\s/;

/** A suggestion that the rules answer, or why it is none, for whoever made it. */
async function tryOut(text: string, { question, put, misfit }: Helped): Promise<Suggestion | string> {
  const quoted = JSON.stringify(clip(text, LONGEST));
  const isPlain = text.length <= LONGEST && PLAIN.test(text) && !SENTENCES.test(text);
  if (!isPlain || injectionIn(text) !== undefined) return `${quoted} is not one short, plain sentence.`;
  if (isSame(text, question.text)) return `${quoted} is the question itself.`;
  const { answer, missing } = await put(text);
  if (missing.length > 0) return `${quoted}: nothing is called ${missing.join(", ")}.`;
  const ask = answer.query?.ask;
  if (ask === undefined || (answer.confidence ?? 0) < CERTAIN)
    return `${quoted} was not understood. ${answer.questions.map((each) => each.question).join(" ")}`.trim();
  const problem = await misfit({ text, ask });
  return problem === "" ? { text, answer } : `${quoted}: ${problem}`;
}
