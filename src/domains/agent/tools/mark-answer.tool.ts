import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import type { Caller, CallMeta } from "../../../registry/caller.ts";
import { requireModel } from "../../models/index.ts";
import type { KeptAnswer } from "../conversations/conversations.store.ts";
import { modelOf } from "../conversations/kept-answer.ts";
import { type AgentServices, defineTool } from "../define.ts";

/** What people think of an answer. */
export const markAnswer = defineTool({
  name: "mark_answer",
  toolset: "models",
  title: "Mark an answer",
  description:
    "Keep the user's verdict on an answer of ask_question: right or wrong, with a comment; none takes it back. A right answer is used first when the same question is asked again, by anybody. To take back a verified question without its answer, give question and model instead of answer_id.",
  permission: ["data_agent:write", "ontologies:read"],
  effect: "write",
  within: ["models"],
  input: z.strictObject({
    answer_id: z.uuid().optional(),
    mark: z.enum(["right", "wrong", "none"]),
    comment: z.string().max(2_000).optional(),
    question: z.string().min(1).max(2_000).optional(),
    model: z.string().min(1).max(200).optional(),
  }),
  output: z.object({
    answer_id: z.string().nullable(),
    mark: z.enum(["right", "wrong", "none"]),
    verified: z.boolean().describe("Whether the same question is answered like this from now on"),
    note: z.string().optional().describe("Why it is not, although it is right"),
  }),

  async run({ answer_id, mark, comment = null, ...pair }, context) {
    if (answer_id === undefined) return takeBack({ ...pair, mark }, context);
    const { conversations, verified, caller } = context;
    const kept = await conversations.require(caller, answer_id);
    await modelOf(kept, context);
    await conversations.mark(answer_id, mark === "none" ? null : mark, comment);
    if (mark !== "right") await verified.remove(caller, kept);
    const note = mark === "right" ? await verify(kept, context) : undefined;
    return {
      answer_id,
      mark,
      verified: mark === "right" && note === undefined,
      ...(note !== undefined && { note }),
    };
  },
});

type Marking = Pick<AgentServices, "verified" | "models"> & { caller: Caller; meta: CallMeta };

/** Undefined when the question is verified by it, or else why not. */
async function verify(
  { modelId, modelVersion, question, query }: KeptAnswer,
  { verified, caller }: Marking,
): Promise<string | undefined> {
  if (query === null) return "It is no answer with data.";
  if (query.isPlain) return verified.add(caller, { modelId, modelVersion, question, query });
  return (
    query.why ??
    "It depends on your preferences, your answers or a question before it, so it holds for you alone."
  );
}

interface Taken {
  mark: "right" | "wrong" | "none";
  question?: string | undefined;
  model?: string | undefined;
}

/** A verified question, by its words: whoever verified it may be gone, and their answers with them. */
async function takeBack({ mark, question, model }: Taken, marking: Marking) {
  if (question === undefined || model === undefined || mark === "right")
    throw new AppError("bad_request", "answer_id is required.", {
      hint: "Only a verified question can be taken back without it: mark wrong or none, question and model.",
    });
  const { verified, models, caller } = marking;
  const { record, document } = await requireModel(marking, model);
  const pair = { modelId: record.id, question };
  if (await verified.remove(caller, pair)) return { answer_id: null, mark, verified: false };
  const other = await verified.find(record.id, question);
  // What others have asked about may be hidden from this caller.
  if (other === undefined || !(await models.isUnrestricted(caller, document)))
    throw new AppError("not_found", "There is no such verified question of this model.", {
      hint: "{tool:list_verified_questions} shows what there is.",
    });
  throw new AppError("forbidden", "Somebody else has verified this question.", {
    hint: "They, or an admin, can take it back.",
  });
}
