import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import type { Caller, CallMeta } from "../../../registry/caller.ts";
import type { ClientLink } from "../../../registry/context.ts";
import type { PublishedModel } from "../../models/index.ts";
import type { Answer } from "../answer.ts";
import { answerShape, contentOf, outputOf } from "../answer-shape.ts";
import type { ModelTask } from "../assist/fill-in.ts";
import { withoutValues } from "../conversations/question-event.ts";
import { type AgentServices, defineTool } from "../define.ts";
import { isSentence } from "../explain/words.ts";
import { LIMITS } from "../limits.ts";
import { isSuggestion } from "../phases/question.ts";
import { WHICH_READING } from "../phases/refuse.ts";
import { PICTURE_APP, showPicture } from "../picture/show-picture.ts";
import { type Asked, PHASES } from "../work.ts";
import { findModel, requireReading } from "./asked-model.ts";

const { instructionCharacters } = KERNEL.call;
const UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

/** The contract has its own words for its bounds. */
const question = z
  .string()
  .refine(isOfAllowedLength, `Question must be between 1 and ${instructionCharacters} characters`)
  .meta({ minLength: 1, maxLength: instructionCharacters })
  .describe("Natural language question about the data");

function isOfAllowedLength(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && Array.from(trimmed).length <= instructionCharacters;
}

/** For the language model behind a client, which may say more surely what is wanted. */
const BY_NAMES = "With such names {tool:query_metrics} runs it as a query that needs no reading.";

/** A plain question about the data of one semantic model. */
export const askQuestion = defineTool({
  name: "ask_question",
  toolset: "models",
  wire: {
    agent: {
      name: "ask_question",
      description:
        "Execute a natural language query against an ontology using the multi-phase Data Agent pipeline.",
      input: z.strictObject({
        // An id of another form is one that does not exist, and is told as such.
        ontologyId: z.string().meta({ pattern: UUID }).describe("UUID of the ontology to query"),
        question,
      }),
      adapt: ({ ontologyId, question }: { ontologyId: string; question: string }) => ({
        model: ontologyId,
        question,
      }),
    },
  },
  title: "Ask a question",
  description:
    'Answer a question in plain words about the data of a semantic model, with SQL and lineage. Ask one whole question in the words of the model, with period, filters and grouping each time. When it asks back, add answers in brackets ("… [Time period: last quarter]") or "proceed anyway"; when it refuses, use query_metrics.',
  permission: "data_agent:write",
  effect: "read",
  isMetered: true,
  within: ["models"],
  timeoutMs: LIMITS.agent.totalMs + 10_000,
  app: PICTURE_APP,
  input: z.strictObject({
    question,
    model: z.string().min(1).max(200).optional().describe("Name or id, unless there is only one"),
    image: z.boolean().default(false).describe("Add a PNG of the chart"),
    sql_only: z.boolean().optional(),
    follow_up_to: z.uuid().optional().describe("Id of the answer it builds on"),
  }),
  output: answerShape,
  content: contentOf,

  async run(
    input,
    { agent, models, conversations, drawings, elsewhere, otherSources, shownRows, ...context },
  ) {
    const { caller, meta, client, signal, note, conceal, say } = context;
    requireReading(caller);
    const text = input.question.trim();
    const model = await findModel({ models, elsewhere, caller, meta }, input.model);
    const {
      answer: before,
      earlier,
      asked,
      waiting,
      suggested,
      refused,
    } = await previousOf(input.follow_up_to, model, {
      conversations,
      caller,
      meta,
    });
    const ask = (answers: NonNullable<Asked["answers"]>) => {
      let done = 0;
      return agent.ask(caller, {
        model,
        question: text,
        isDry: input.sql_only === true,
        answers,
        previous: before?.query && {
          ...before.query,
          earlier: earlier.flatMap(({ query }) => query?.ask ?? []),
          asked,
          refused,
        },
        waiting: waiting.map((each) => each.question),
        suggested,
        word: meta.surface === "agent" ? "ontology" : "semantic model",
        signal,
        ...lentBy(client),
        onPhase(phase) {
          client.progress(done, { total: PHASES.length, message: phase });
          done += 1;
        },
      });
    };
    let answer = await ask([]);
    let answers: Answers = [];
    // Somebody whose answer was not understood is asked once more, and then told as whoever cannot be asked.
    for (const key of ["clarification", "clarification-2"]) {
      const more = answer.outcome === "clarify" ? await answersOf(client, key, answer, answers) : [];
      if (more.length === 0) break;
      answers = [...answers.filter(({ label }) => !more.some((each) => each.label === label)), ...more];
      answer = await ask(answers);
    }
    await showPicture(answer.picture, input.image, { drawings, caller, meta, client, signal });
    const id = await conversations.keep(caller, meta, {
      model,
      question: text,
      answer,
      previous: waiting.at(-1) ?? before,
    });
    const { outcome, confidence, sql } = answer;
    const reading = answer.reading && withoutValues(answer.reading, answer.query);
    conceal(answer.concealed ?? []);
    note({ answerId: id, model: answer.model, outcome, reading, confidence, rows: answer.rows.length, sql });
    const isRefused = outcome === "refuse";
    const hints = isRefused ? [say(BY_NAMES), ...(await otherSources.pointersFor(caller, text, say))] : [];
    const narrative = [answer.narrative, ...hints].join("\n\n");
    return outputOf({ ...answer, narrative, id }, shownRows);
  },
});

/** A handler that asks its client begins again, so that each text that a model writes has a key of its own. */
function lentBy(client: ClientLink): Pick<Asked, "sample" | "once"> {
  const keyOf = ({ key, text }: ModelTask) =>
    `${key}-${createHash("sha256").update(text).digest("base64url").slice(0, 16)}`;
  return {
    // A client's model is told the form of its answer in words: sampling knows no schema.
    sample: client.canSample
      ? ({ system, text: prompt, maxTokens, ...task }) =>
          client.sample(keyOf({ ...task, text: prompt, system, maxTokens }), { system, prompt, maxTokens })
      : undefined,
    once: client.canElicit ? (task, work) => client.step(keyOf(task), work) : undefined,
  };
}

/** What a question may build on: the answer that is named, or the last one of the session. */
async function previousOf(
  id: string | undefined,
  model: PublishedModel,
  { conversations, caller, meta }: Pick<AgentServices, "conversations"> & { caller: Caller; meta: CallMeta },
): ReturnType<AgentServices["conversations"]["latest"]> {
  if (id === undefined) return conversations.latest(caller, meta, model);
  const kept = await conversations.require(caller, id);
  if (kept.modelId === model.record.id) return conversations.upTo(caller, kept);
  throw new AppError("bad_request", "The answer to follow up on is of another semantic model.", {
    hint: "Name that model, or leave follow_up_to out.",
  });
}

type Answers = NonNullable<Asked["answers"]>;

/** Puts the questions to the person, where the client can; nothing when they do not want to answer. */
async function answersOf(
  client: ClientLink,
  key: string,
  { questions }: Answer,
  before: Answers,
): Promise<Answers> {
  if (!client.canElicit) return [];
  const fields = questions.map(
    ({ question, suggestions }, i) =>
      [`answer${i + 1}`, fieldOf(question, [...new Set(suggestions)])] as const,
  );
  const misread = questions.flatMap(({ question }) => before.filter(({ label }) => label === question));
  const message = [
    ...misread.map(({ text }) => `"${text}" was not understood.`),
    ...questions.map(({ question }) => question),
  ].join(" ");
  const answer = await client.elicit(key, { message, schema: z.object(Object.fromEntries(fields)) });
  if (answer.action !== "accept") return [];
  return questions.flatMap(({ question }, i) => {
    const text = String(answer.content[`answer${i + 1}`] ?? "").trim();
    return text === "" ? [] : [{ label: question, text }];
  });
}

/** Of several readings one is chosen; everything else can be said in one's own words. */
function fieldOf(question: string, suggestions: string[]): z.ZodType {
  const [first, ...others] = suggestions;
  const isChoice = isSentence(question, WHICH_READING) || isSuggestion(question);
  if (first !== undefined && isChoice) return z.enum([first, ...others]).describe(question);
  const such = first === undefined ? "" : ` For example: ${suggestions.join("; ")}.`;
  return z.string().max(LONGEST_ANSWER).optional().describe(`${question}${such}`);
}

const LONGEST_ANSWER = 200;
