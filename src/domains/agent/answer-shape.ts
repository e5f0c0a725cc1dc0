import { z } from "zod";
import { columnKind } from "../../kernel/values.ts";
import type { ContentBlock } from "../../registry/define-tool.ts";
import type { Answer } from "./answer.ts";

/** Values of ours are not looked into: with very many rows that takes long. */
const row = z.unknown().meta({ type: "array" }) as unknown as z.ZodType<Answer["rows"][number]>;

const chart = z.object({
  type: z.enum(["bar", "line", "pie", "scatter"]),
  title: z.string(),
  xAxisLabel: z.string().optional(),
  yAxisLabel: z.string().optional(),
  categories: z.array(z.string()).optional(),
  series: z.array(z.object({ label: z.string(), data: z.array(z.number()) })).optional(),
  slices: z.array(z.object({ label: z.string(), value: z.number() })).optional(),
  points: z.array(z.object({ x: z.number(), y: z.number(), label: z.string().optional() })).optional(),
  layout: z.enum(["vertical", "horizontal"]).optional(),
});

const lineage = z.object({
  datasets: z.array(z.object({ name: z.string(), source: z.string() })),
  joins: z.array(z.object({ left: z.string(), right: z.string(), on: z.array(z.string()) })),
  filters: z.array(z.object({ field: z.string(), operator: z.string(), value: z.unknown() })),
  timeWindow: z.object({ start: z.string(), end: z.string() }).optional(),
  grain: z.string(),
  sql: z.string(),
  metrics: z.array(z.object({ name: z.string(), definition: z.string() })),
  freshness: z.array(
    z.object({ dataset: z.string(), refreshedAt: z.string(), live: z.boolean().optional() }),
  ),
  reading: z.string(),
  assumptions: z.array(z.string()),
});

export const answerShape = z.object({
  id: z.uuid().describe("To read it again, to mark it, or to follow up on it"),
  outcome: z.enum(["answer", "clarify", "refuse"]),
  model: z.string(),
  narrative: z.string(),
  columns: z.array(z.string()),
  rows: z.array(row),
  rowCount: z.int().describe("All rows, also those that are left out here"),
  truncated: z.literal(true).optional(),
  sql: z.string().nullable(),
  reading: z.string().nullable().describe("How the question was understood"),
  assumptions: z.array(z.string()),
  confidence: z.number().nullable(),
  charts: z.array(chart),
  lineage: lineage.nullable(),
  caveats: z.array(z.string()),
  questions: z.array(z.object({ question: z.string(), suggestions: z.array(z.string()) })),
});

type Output = z.output<typeof answerShape>;

/** As many rows as there is room for: of what goes along time the newest, of anything else the first. */
export function shownOf({ rows, types }: Pick<Answer, "rows" | "types">, most: number): Answer["rows"] {
  const [first, last] = [rows[0]?.[0], rows.at(-1)?.[0]];
  const isAlongTime = columnKind(types[0] ?? "") === "date" && String(first) < String(last);
  return isAlongTime ? rows.slice(-most) : rows.slice(0, most);
}

export function outputOf(
  { totalRows, rows, picture: _, query: __, types, concealed: ____, ...answer }: Answer & { id: string },
  shownRows: number,
): z.input<typeof answerShape> {
  const shown = shownOf({ rows, types }, shownRows);
  return {
    ...answer,
    rows: shown,
    rowCount: totalRows,
    ...(shown.length < totalRows && { truncated: true as const }),
  };
}

/** The blocks of the agent endpoint's contract, in its order: narrative, charts, lineage, caveats. */
export function contentOf(output: Output): ContentBlock[] {
  const { outcome, narrative, charts, lineage: from, caveats, questions } = output;
  if (outcome === "clarify") return [json("clarification_request", { questions })];
  return [
    text(narrative),
    ...(charts.length === 0 ? [] : [json("chart_specs", { charts })]),
    ...(from === null ? [] : [json("data_lineage", from)]),
    ...(caveats.length === 0 ? [] : [text(caveats.map((caveat) => `⚠️ Note: ${caveat}`).join("\n"))]),
  ];
}

function json(type: string, value: object): ContentBlock {
  return text(JSON.stringify({ _type: type, ...value }));
}

function text(words: string): ContentBlock {
  return { type: "text", text: words };
}
