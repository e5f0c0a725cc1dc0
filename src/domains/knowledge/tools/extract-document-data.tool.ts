import { z } from "zod";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { defineTool, documentIdArgument, documentKey, keyArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";

const fields = z
  .string()
  .max(2_000)
  .describe('Comma-separated field names, such as "company_name, contract_value"');
const prompt = z
  .string()
  .max(KERNEL.call.instructionCharacters)
  .optional()
  .describe('Guidance, such as "dates as YYYY-MM-DD, contract_value numeric"');
const depth = z.int().min(1).max(20).default(5).describe("Extraction thoroughness");
const datasetName = z.string().max(200).optional().describe("Made up if omitted");

/** Turns what documents say in labels, forms and tables into rows. */
export const extractDocumentData = defineTool({
  name: "extract_document_data",
  toolset: "library",
  wire: {
    bi: {
      name: "knowi_extract_document_data",
      description:
        "Extract structured data from documents into a dataset. Define the fields to extract; each document becomes a row that can be queried and visualized.",
      input: z.strictObject({
        fields,
        extractionPrompt: prompt,
        documentIds: z.array(documentIdArgument).max(LIMITS.knowledge.extractedDocuments).optional(),
        detailsDepth: depth,
        datasetName,
      }),
      adapt: (args: {
        fields: string;
        extractionPrompt?: string;
        documentIds?: z.infer<typeof documentIdArgument>[];
        detailsDepth: number;
        datasetName?: string;
      }) => ({
        fields: args.fields,
        prompt: args.extractionPrompt,
        document_ids: args.documentIds?.map(documentKey),
        depth: args.detailsDepth,
        dataset_name: args.datasetName,
      }),
    },
  },
  title: "Extract document data",
  description:
    "Reads named fields out of documents by their labels, forms and tables, one row a document, into a new dataset.",
  permission: ["knowledge:read", "bi:write"],
  effect: "write",
  timeoutMs: 300_000,
  input: z.strictObject({
    fields,
    prompt,
    document_ids: z.array(keyArgument("document_ids")).max(LIMITS.knowledge.extractedDocuments).optional(),
    depth,
    dataset_name: datasetName,
  }),
  output: z.object({
    dataset_id: z.int(),
    dataset_name: z.string(),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.int(),
    documents: z.array(
      z.object({
        document_id: z.int(),
        document: z.string(),
        values: z.array(
          z.object({
            field: z.string(),
            value: z.union([z.string(), z.number(), z.null()]),
            confidence: z.number(),
            page: z.int().nullable(),
            quote: z.string(),
            reason: z.string().optional(),
          }),
        ),
      }),
    ),
    notes: z.array(z.string()),
  }),

  run: (args, { extractions, caller, signal }) =>
    extractions.extract(
      caller,
      {
        fields: args.fields,
        prompt: args.prompt,
        documentIds: args.document_ids,
        depth: args.depth,
        datasetName: args.dataset_name,
      },
      signal,
    ),
});
