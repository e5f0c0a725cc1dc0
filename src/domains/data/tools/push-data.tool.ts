import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { changedDataset, changeOf, defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

const rows = z
  .array(z.record(z.string(), z.unknown()))
  .max(LIMITS.data.pushRows)
  .describe("Data rows, each an object");

/** For programs that have rows in hand: appends, and makes the dataset the first time. */
export const pushData = defineTool({
  name: "push_data",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_push_data",
      description: "Push data rows to a dataset. Creates the dataset if it does not exist.",
      input: z.strictObject({
        datasetName: z.string().describe("Name of the dataset to push data to"),
        rows,
      }),
      adapt: ({ datasetName, rows }: { datasetName: string; rows: Record<string, unknown>[] }) => ({
        dataset_name: datasetName,
        rows,
      }),
    },
  },
  title: "Push data",
  description:
    "Appends rows to a dataset by its name, and creates it when there is none. New columns are added; numbers and dates are widened where that loses nothing. A column that cannot hold the new values is an error, and then no row is stored.",
  permission: "bi:write",
  effect: "write",
  longList: "rows",
  input: z.strictObject({
    dataset_name: z.string().describe("Name of the dataset"),
    rows,
    idempotency_key: z
      .string()
      .min(1)
      .max(LIMITS.data.idempotencyKeyCharacters)
      .optional()
      .describe("Your own: the same push sent again with it adds nothing"),
  }),
  output: changedDataset.extend({
    rows_pushed: z.int(),
    repeated: z.literal(true).optional().describe("An earlier push with this key had added the rows"),
  }),

  async run(
    { dataset_name, rows: few, idempotency_key: key },
    { data, caller, signal, longList: rows = few },
  ) {
    if (rows.length > LIMITS.data.pushRows) throw tooManyRows();
    const { dataset, wasRepeated } = await data.pushOnce(caller, dataset_name, rows, { signal, key });
    const rowsPushed = wasRepeated ? 0 : rows.length;
    const repeated = wasRepeated ? { repeated: true as const } : {};
    return { rows_pushed: rowsPushed, ...repeated, ...changeOf(caller, dataset) };
  },
});

function tooManyRows(): AppError {
  const most = LIMITS.data.pushRows.toLocaleString("en");
  return new AppError("bad_request", `There are more than ${most} rows.`, {
    hint: "Send them in several requests.",
  });
}
