import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { rowShape } from "../../../registry/define-tool.ts";
import { type Dataset, type DatasetPolicy, datasetPolicy } from "../dataset.ts";
import { columnShape, defineTool } from "../define.ts";
import { columnsNamedBy } from "../policies.ts";

/** Lets an admin see through the eyes of a member what policies leave, before they are set and afterwards. */
export const previewPolicies = defineTool({
  name: "preview_policies",
  toolset: "admin",
  title: "View a dataset as a member",
  description: "Columns and first rows of a dataset as a member sees them; with policies, as they would.",
  permission: "admin",
  effect: "read",
  input: z.strictObject({
    dataset_id: z.int(),
    email: z.string().max(320).describe("Of a member"),
    policies: z.array(z.unknown().pipe(datasetPolicy)).max(50).optional().describe("As set_dataset_policies"),
    limit: z.int().min(1).max(200).default(20),
  }),
  output: z.object({
    member: z.object({ email: z.string(), role: z.string() }),
    columns: z.array(columnShape),
    rows: z.array(rowShape),
    total_rows: z.int(),
    hidden_columns: z.array(z.string()),
    all_rows: z.int(),
  }),

  async run({ dataset_id, email, policies, limit }, { data, members, caller, signal }) {
    const dataset = await data.require(caller, dataset_id);
    const workspace = caller.workspace.slug;
    const member = (await members.list({ workspace })).find(
      (each) => each.email.toLowerCase() === email.trim().toLowerCase(),
    );
    if (member === undefined)
      throw new AppError("not_found", `There is no member ${email} in this workspace.`, {
        hint: "{tool:list_members} lists them.",
      });
    const viewer = await members.callerFor({ workspaceId: caller.workspace.id, userId: member.userId });
    assertColumns(dataset, policies ?? []);
    const seen = policies === undefined ? dataset : { ...dataset, policies };
    const { columns, rows, totalRows } = await data.read(viewer, seen, { limit, signal });
    const visible = new Set(columns.map(({ name }) => name));
    return {
      member: { email: member.email, role: viewer.role },
      columns,
      rows,
      total_rows: totalRows,
      hidden_columns: dataset.columns.flatMap(({ name }) => (visible.has(name) ? [] : [name])),
      all_rows: dataset.rowCount,
    };
  },
});

function assertColumns({ name, columns }: Dataset, policies: readonly DatasetPolicy[]): void {
  const known = new Set(columns.map((column) => column.name.toLowerCase()));
  const unknown = columnsNamedBy(policies).filter((each) => !known.has(each.toLowerCase()));
  if (unknown.length > 0) throw new AppError("bad_request", `${name} has no column ${unknown.join(", ")}.`);
}
