import { z } from "zod";
import { LIMITS as ENGINE } from "../../../platform/analytics/limits.ts";
import { compactRows } from "../../../registry/compact-content.ts";
import { rowShape } from "../../../registry/define-tool.ts";
import { columnShape } from "../../data/index.ts";
import { LIMITS } from "../../data/limits.ts";
import { adaptIds, defineTool, idArguments, namedAsset } from "../define.ts";

const rows = z.int().min(1);
const said = "Most rows to return (default 100)";

/** The rows themselves. */
export const getData = defineTool({
  name: "get_data",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_get_data",
      description: "Retrieve data from a widget or dataset. One of widgetId or datasetId is required.",
      input: z.strictObject({
        widgetId: z.int().optional().describe("Widget ID to get data from"),
        datasetId: z.int().optional().describe("Dataset ID to get data from"),
        limit: rows.default(100).describe(said),
      }),
      adapt: (
        { widgetId, datasetId, limit }: { widgetId?: number; datasetId?: number; limit: number },
        assets,
      ) => ({
        ...adaptIds({ widgetId, datasetId }, assets, "rows"),
        // The contract knows no largest limit: totalRows and returnedRows tell that there is more.
        limit: Math.min(limit, LIMITS.data.readRows),
      }),
    },
  },
  title: "Get data",
  description:
    "Rows of a dataset, or what a C9QL query makes of them (filter, group, sort: SQL without FROM). Look at a few rows first to learn the columns; page on with offset.",
  permission: "bi:read",
  effect: "read",
  input: (assets) =>
    z.strictObject({
      ...idArguments(assets, "rows", { described: true }),
      limit: rows.max(LIMITS.data.readRows).default(100).describe(said),
      offset: z.int().min(0).default(0).describe("Rows to skip"),
      c9ql: z
        .string()
        .max(LIMITS.c9ql.textCharacters)
        .optional()
        .describe(
          "Work on the rows first, e.g. select sum(amount) as Total, region group by region order by Total desc",
        ),
      // Which values fit depends on the query, so C9QL checks them; a schema of them would cost tokens on every request.
      parameters: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("Values of $c9_name$ in c9ql, by name"),
    }),
  output: z.object({
    columns: z.array(columnShape),
    rows: z.array(rowShape),
    totalRows: z.int(),
    returnedRows: z.int(),
    note: z.string().optional(),
  }),
  compact: compactRows,

  async run({ limit, offset, c9ql, parameters, ...ids }, { assets, caller, signal, say }) {
    const { type, id } = namedAsset(ids);
    const rows = await assets.require(type, "rows").rows(caller, id);
    const { isCut, ...page } = await rows.read({ limit, offset, c9ql, parameters, signal });
    return isCut ? { ...page, note: say(noteOn(page.returnedRows, offset)) } : page;
  },
});

/** Whoever pages by the limit would skip rows without this. */
function noteOn(rows: number, offset: number): string {
  const { resultBytes, resultValues } = ENGINE.analytics;
  const most = `${resultBytes / 1024 / 1024} MiB and ${resultValues.toLocaleString("en")} values`;
  return rows === 0
    ? `The next row alone is larger than one answer (${most}): {tool:get_data(c9ql)} selects fewer columns with c9ql, {tool:export_data} makes a file.`
    : `Only ${rows} rows fit into one answer (${most}): {tool:get_data(offset)} goes on with offset ${offset + rows}, or selects fewer columns or rows with c9ql; {tool:export_data} makes a file.`;
}
