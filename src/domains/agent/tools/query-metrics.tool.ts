import { z } from "zod";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { checkInstruction } from "../../../kernel/prompt-injection.ts";
import type { Caller } from "../../../registry/caller.ts";
import { answerShape, contentOf, outputOf } from "../answer-shape.ts";
import { withoutValues } from "../conversations/question-event.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { PICTURE_APP, showPicture } from "../picture/show-picture.ts";
import { readingOf, wishShape, wishText } from "../typed/query-wish.ts";
import { whyNotVerified } from "../typed/remarks.ts";
import { PHASES } from "../work.ts";
import { findModel, requireReading } from "./asked-model.ts";

/** What stands in the place of a question that was not told. */
const FILLED_IN = "(a query without a question)";

/** Nobody but the caller has read the question, and whoever asks it later is told the number as verified. */
const BY_ADMINS = "A query that was filled in is verified by admins only.";

function isAdmin({ permissions }: Caller): boolean {
  return permissions.includes("admin");
}

/** Numbers of a model by a query that its caller fills in, where a sentence might be read otherwise. */
export const queryMetrics = defineTool({
  name: "query_metrics",
  toolset: "models",
  title: "Query metrics",
  description: "Prefer to ask_question: names as in get_datasets. No metrics: a list",
  permission: "data_agent:write",
  effect: "read",
  within: ["models"],
  timeoutMs: LIMITS.agent.totalMs + 10_000,
  app: PICTURE_APP,
  input: z.strictObject({
    model: wishText.optional(),
    ...wishShape.shape,
    question: z.string().trim().min(1).max(KERNEL.call.instructionCharacters).optional(),
    sql_only: z.boolean().optional(),
  }),
  output: answerShape,
  content: contentOf,

  async run({ model: wanted, question, sql_only: isDry, ...wish }, context) {
    const { agent, models, conversations, drawings, shownRows, caller, meta, client, signal, note } = context;
    requireReading(caller);
    if (question !== undefined) checkInstruction(question);
    const model = await findModel({ ...context, models, caller, meta }, wanted);
    let done = 0;
    const answer = await agent.query(caller, {
      model,
      question: question ?? FILLED_IN,
      isDry: isDry === true,
      signal,
      read: (knowledge, moment) => readingOf(wish, knowledge, moment),
      whyTheirs: isAdmin(caller) ? whyNotVerified(question) : () => BY_ADMINS,
      onPhase(phase) {
        client.progress(done, { total: PHASES.length, message: phase });
        done += 1;
      },
    });
    await showPicture(answer.picture, false, { drawings, caller, meta, client, signal });
    const asked = question ?? answer.query?.said ?? "";
    const id = await conversations.keep(caller, meta, {
      model,
      question: asked,
      answer,
      previous: undefined,
    });
    const { outcome, confidence, sql } = answer;
    const reading = answer.reading && withoutValues(answer.reading, answer.query);
    context.conceal(answer.concealed ?? []);
    note({ answerId: id, model: answer.model, outcome, reading, confidence, rows: answer.rows.length, sql });
    return outputOf({ ...answer, id }, shownRows);
  },
});
