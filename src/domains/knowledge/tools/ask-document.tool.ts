import { z } from "zod";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { defineTool, documentIdArgument, documentKey, keyArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";

const question = z
  .string()
  .max(KERNEL.call.instructionCharacters)
  .describe("Natural language question to ask");

/** Answers with what documents say, and where. */
export const askDocument = defineTool({
  name: "ask_documents",
  toolset: "knowledge",
  wire: {
    bi: {
      name: "knowi_ask_document",
      description:
        "Ask a natural language question against ingested documents. Returns an answer with source citations.",
      input: z.strictObject({
        question,
        documentIds: z
          .array(documentIdArgument)
          .max(LIMITS.knowledge.askedDocuments)
          .optional()
          .describe("Specific document IDs to search. If omitted, searches all documents."),
      }),
      adapt: (args: { question: string; documentIds?: z.infer<typeof documentIdArgument>[] }) => ({
        question: args.question,
        document_ids: args.documentIds?.map(documentKey),
      }),
    },
  },
  title: "Ask documents",
  description:
    "Answers a question with sentences quoted from documents and their places (by a language model where the workspace has one that may see texts), or says that they do not tell.",
  permission: "knowledge:read",
  effect: "read",
  within: ["knowledgeBases"],
  input: z.strictObject({
    question,
    document_ids: z.array(keyArgument("document_ids")).max(LIMITS.knowledge.askedDocuments).optional(),
    knowledge_base_ids: z
      .array(keyArgument("knowledge_base_ids"))
      .max(LIMITS.knowledge.searchedBases)
      .optional(),
  }),
  output: z.object({
    answer: z.string(),
    status: z.enum(["answered", "uncertain", "not_found"]),
    confidence: z.number(),
    citations: z.array(
      z.object({
        document_id: z.int(),
        document: z.string(),
        page: z.int().nullable(),
        section: z.string(),
        quote: z.string(),
      }),
    ),
    llm: z.string().nullable(),
    notes: z.array(z.string()),
  }),

  run: ({ question, document_ids, knowledge_base_ids }, { answers, caller, signal }) =>
    answers.ask(caller, { question, documentIds: document_ids, baseIds: knowledge_base_ids }, signal),
});
