import type { Caller } from "../../../registry/caller.ts";
import type { PublishedModel } from "../../models/index.ts";
import { answerShape, outputOf } from "../answer-shape.ts";
import type { AgentServices } from "../define.ts";
import type { KeptAnswer } from "./conversations.store.ts";

interface Reading extends Pick<AgentServices, "agent" | "models" | "conversations" | "shownRows"> {
  caller: Caller;
  signal: AbortSignal;
}

/** What is said of a kept answer beside the answer itself. */
export const keptAnswerShape = answerShape.extend({
  question: answerShape.shape.model,
  conversation: answerShape.shape.model,
  askedAt: answerShape.shape.model,
  mark: answerShape.shape.sql,
  comment: answerShape.shape.sql,
});

/** An answer of the caller's, worked out again on the rows that they see now. */
export async function readAnswer(id: string, reading: Reading) {
  const { agent, conversations, caller, signal, shownRows } = reading;
  const kept = await conversations.require(caller, id);
  const model = await modelOf(kept, reading);
  const answer = await agent.again(caller, { model, query: kept.query, outcome: kept.outcome, signal });
  const { question, title, createdAt, mark, comment } = kept;
  return {
    ...outputOf({ ...answer, id }, shownRows),
    ...{ question, conversation: title, askedAt: createdAt.toISOString(), mark, comment },
  };
}

/** A token may be for other models, and then there is no such answer for it. */
export async function modelOf(
  { modelId }: KeptAnswer,
  { models, caller }: Pick<Reading, "models" | "caller">,
): Promise<PublishedModel> {
  return models.requirePublished(caller, { id: modelId });
}
