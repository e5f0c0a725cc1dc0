import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { BasesStore, KnowledgeBase } from "../bases.store.ts";
import { boundedArgument, defineTool, textArgument } from "../define.ts";
import type { Passage } from "../knowledge.ts";
import { LIMITS } from "../limits.ts";
import { estimateTokens } from "../reading/split.ts";

const { searchedBases, results, queryCharacters, searchContext } = LIMITS.knowledge;
const baseIds = z.array(z.int({ error: "knowledge_base_ids must contain only integers" }), {
  error: ({ input }) =>
    input === undefined ? "knowledge_base_ids is required" : "knowledge_base_ids must be a list of integers",
});
const query = textArgument("query", queryCharacters);
const max_results = boundedArgument("max_results", 1, results).default(10);

/** Finds passages in documents. */
export const searchContent = defineTool({
  name: "search_documents",
  toolset: "knowledge",
  wire: {
    knowledge: {
      name: "wegent_kb_search_content",
      input: z.strictObject({ query, knowledge_base_ids: baseIds, max_results }),
    },
  },
  title: "Search documents",
  description: "The passages of documents that fit a question best, with the document each is from.",
  permission: "knowledge:read",
  effect: "read",
  within: ["knowledgeBases"],
  input: z.strictObject({
    query,
    knowledge_base_ids: baseIds.optional().describe("All that you can read, if left out"),
    max_results,
    context: boundedArgument("context", 0, searchContext)
      .default(0)
      .describe("Passages before and after each hit to merge into it"),
    explain: z.boolean().default(false).describe("Add page, section, and what words and meaning say"),
  }),
  output: z.object({
    query: z.string(),
    total: z.int(),
    total_estimated_tokens: z.int(),
    searched_knowledge_base_ids: z.array(z.int()),
    ignored_knowledge_base_ids: z.array(z.int()),
    warnings: z.array(z.string()),
    records: z.array(
      z.object({
        content: z.string(),
        title: z.string(),
        score: z.number(),
        knowledge_base_id: z.int(),
        knowledge_base_name: z.string(),
        document_id: z.int(),
        also_in: z
          .array(z.object({ knowledge_base_id: z.int(), document_id: z.int() }))
          .optional()
          .describe("Other documents with the same passage"),
        page: z.int().nullable().optional(),
        section: z.string().optional(),
        /** 0 to 1 each: by its words, by direction, by its tokens against the question's. */
        legs: z
          .object({ words: z.number(), meaning: z.number().optional(), tokens: z.number().optional() })
          .optional(),
      }),
    ),
  }),

  async run(args, { knowledge, bases, knowledgeLimits, caller, meta }) {
    const { query, knowledge_base_ids, max_results, context, explain } = args;
    if (meta.surface === "knowledge") await knowledgeLimits.search(caller.user.id);
    const text = query.trim();
    if (text === "") throw new AppError("bad_request", "query must not be empty");
    const { searched, ignored } = await chosenBases(bases, caller, knowledge_base_ids);
    const passages = await knowledge.search(caller, {
      query: text,
      baseIds: searched.map(({ id }) => id),
      limit: max_results,
      context,
    });
    return {
      query: text,
      total: passages.length,
      total_estimated_tokens: passages.reduce((sum, { content }) => sum + estimateTokens(content), 0),
      searched_knowledge_base_ids: searched.map(({ id }) => id),
      ignored_knowledge_base_ids: ignored,
      warnings: [
        ...(ignored.length === 0
          ? []
          : ["Some knowledge bases were ignored: they are not there, or not yours to read."]),
        ...(passages.some(({ alsoIn = [] }) => alsoIn.length > 0)
          ? ["Passages that stand in several documents are shown once; also_in names the others."]
          : []),
      ],
      records: passages.map((passage) => ({
        content: passage.content,
        title: passage.documentName,
        score: passage.score,
        knowledge_base_id: passage.baseId,
        knowledge_base_name: passage.baseName,
        document_id: passage.documentId,
        ...(passage.alsoIn?.length && {
          also_in: passage.alsoIn.map(({ baseId, documentId }) => ({
            knowledge_base_id: baseId,
            document_id: documentId,
          })),
        }),
        ...(explain && explained(passage)),
      })),
    };
  },
});

function explained({ page, titlePath, legs: { lexical, dense, tokens } }: Passage) {
  const meaning = { ...(dense !== undefined && { meaning: dense }), ...(tokens !== undefined && { tokens }) };
  return { page, section: titlePath.join(" > "), legs: { words: lexical, ...meaning } };
}

/** Those of the wanted bases that the caller may read, in the order in which they were named. */
async function chosenBases(
  bases: BasesStore,
  caller: Caller,
  wanted: readonly number[] | undefined,
): Promise<{ searched: KnowledgeBase[]; ignored: number[] }> {
  if (wanted === undefined) return { searched: await bases.allReadable(caller), ignored: [] };
  const ids = [...new Set(wanted)];
  if (ids.length === 0) throw new AppError("bad_request", "knowledge_base_ids must not be empty");
  if (ids.length > searchedBases)
    throw new AppError("bad_request", `knowledge_base_ids must contain at most ${searchedBases} items`);
  const readable = new Map((await bases.readable(caller, ids)).map((base) => [base.id, base]));
  const searched = ids.map((id) => readable.get(id)).filter((base) => base !== undefined);
  if (searched.length === 0)
    throw new AppError("not_found", "None of these knowledge bases can be read by you.");
  return { searched, ignored: ids.filter((id) => !readable.has(id)) };
}
