import { z } from "zod";
import { LIMITS as ENGINE } from "../../platform/analytics/limits.ts";
import type { CallMeta } from "../../registry/caller.ts";
import { resourcesOf } from "../../registry/define-resource.ts";
import { rowShape, toolsOf } from "../../registry/define-tool.ts";
import type { DraftInfo } from "./authoring.ts";
import type { ImprovementsStore } from "./improvements.store.ts";
import type { Inference } from "./infer/inference.ts";
import { LIMITS } from "./limits.ts";
import type { ModelsStore } from "./models.store.ts";
import type { Models, QueryAnswer } from "./models.ts";
import type { StoredQueriesStore } from "./stored-queries.store.ts";

/** Services that the tools and resources of this slice work with. */
export interface ModelsServices {
  models: Models;
  modelsStore: ModelsStore;
  storedQueries: StoredQueriesStore;
  improvements: ImprovementsStore;
  inference: Inference;
}

export const defineTool = toolsOf<ModelsServices>();
export const defineResource = resourcesOf<ModelsServices>();

export const modelName = z
  .string()
  .min(1)
  .max(200)
  .describe("The semantic model name (filename without .yaml)");

export const problemShape = z.object({
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  hint: z.string().optional(),
  path: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
});

/** Answer about a draft. */
export const draftShape = z.object({
  saved_by: z.string().nullable(),
  saved_at: z.string().describe("Also its mark for publish_semantic_model"),
});

export function draftFacts({ savedBy, savedAt }: DraftInfo): z.output<typeof draftShape> {
  return { saved_by: savedBy, saved_at: savedAt.toISOString() };
}

/** The contract has texts; a number that a model writes as one means the same. */
export const queryParams = z
  .array(z.union([z.string().max(LIMITS.models.paramCharacters), z.number()]).transform(String))
  .max(LIMITS.models.params);

/** Result of execute_query and execute_stored_query. */
export const queryResult = z.object({
  columns: z.array(z.string()),
  types: z.array(z.string()).optional().describe("Of the columns, in their order"),
  rows: z.array(rowShape),
  rowCount: z.int(),
  truncated: z.literal(true).optional(),
  note: z.string().optional(),
});

/** With the types of columns on `/mcp`, where no contract says how it looks. */
export function resultOf(
  { columns, rows, isTruncated, isTooLarge }: QueryAnswer,
  { surface }: Pick<CallMeta, "surface">,
): z.input<typeof queryResult> {
  // The engine gives columns of the same name different ones; and this name is not for objects.
  const names = columns.map(({ name }) => (name === "__proto__" ? "__proto__:1" : name));
  return {
    columns: names,
    ...(surface === "all" && { types: columns.map(({ type }) => type) }),
    rows: rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))),
    rowCount: rows.length,
    ...(isTruncated && { truncated: true as const }),
    ...(isTooLarge && { note: noteOn(rows.length) }),
  };
}

function noteOn(rows: number): string {
  const { resultBytes, resultValues } = ENGINE.analytics;
  const most = `${resultBytes / 1024 / 1024} MiB and ${resultValues.toLocaleString("en")} values`;
  return rows === 0
    ? `The first row alone is larger than one answer (${most}): select fewer columns, or shorten them in SQL.`
    : `Only ${rows} rows fit into one answer (${most}): aggregate, select fewer columns, or go on with ORDER BY … LIMIT … OFFSET ${rows}.`;
}
