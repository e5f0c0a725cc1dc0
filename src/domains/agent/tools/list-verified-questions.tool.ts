import { z } from "zod";
import { requireModel } from "../../models/index.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { checkVerified } from "../verified/check-verified.ts";

const { listedQuestions } = LIMITS.agent;

/** What has been confirmed about a model, and what of it has changed since. */
export const listVerifiedQuestions = defineTool({
  name: "list_verified_questions",
  toolset: "modeling",
  title: "List verified questions",
  description:
    "Questions of a semantic model whose answers people have marked as right: how each is read, who verified it, and whether model or data have changed since. With check they are run again. mark_answer takes one back.",
  permission: ["ontologies:write", "data_agent:read"],
  effect: "read",
  within: ["models"],
  timeoutMs: LIMITS.agent.totalMs,
  input: z.strictObject({
    model: z.string().min(1).max(200).describe("Name or id of the semantic model"),
    check: z.boolean().default(false).describe("Run them, and say which fail or are read otherwise by now"),
    limit: z.int().min(1).max(listedQuestions).default(listedQuestions),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    model: z.string(),
    version: z.int(),
    total: z.int(),
    questions: z.array(
      z.object({
        question: z.string(),
        reading: z.string(),
        verified_by: z.string().nullable(),
        verified_at: z.string(),
        model_changed: z.boolean().nullable().describe("Null where nobody wrote down the version"),
        data_changed: z.boolean(),
        failure: z.string().nullable().optional().describe("Why it cannot be answered any more"),
        read_otherwise: z.string().nullable().optional().describe("How the rules read it by now"),
      }),
    ),
  }),

  async run({ model: name, check, limit, offset }, context) {
    const { agent, models, verified, caller, signal } = context;
    const model = await requireModel(context, name);
    // Questions may name what is hidden from others.
    await models.assertUnrestricted(caller, model.document);
    const all = await verified.list(model.record.id);
    const { refreshedAt } = await models.seeRows(caller, model);
    const changedMs = Math.max(0, ...[...refreshedAt.values()].map((time) => time.getTime()));
    const questions = [];
    for (const pair of all.slice(offset, offset + limit)) {
      const { question, query, verifiedBy, verifiedAt, modelVersion } = pair;
      const checked = check ? await checkVerified(pair, { agent, caller, model, signal }) : undefined;
      questions.push({
        question,
        reading: query.said,
        verified_by: verifiedBy,
        verified_at: verifiedAt.toISOString(),
        model_changed: modelVersion === null ? null : modelVersion !== model.version,
        data_changed: changedMs > verifiedAt.getTime(),
        ...(checked !== undefined && { failure: checked.failure, read_otherwise: checked.otherwise }),
      });
    }
    return { model: model.record.name, version: model.version, total: all.length, questions };
  },
});
