import { z } from "zod";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { adaptShared, changeOf, savedReport, savedShape, shared, wireShared } from "./report-arguments.ts";

const wireInput = z.strictObject({
  reportId: z.int().describe("ID of the report to update"),
  ...wireShared,
});

/** Changes a report; whoever does becomes its owner. */
export const updateReport = defineTool({
  name: "update_report",
  toolset: "alerts",
  wire: {
    bi: {
      name: "knowi_update_report",
      description:
        "Update an existing scheduled report's configuration. Only specified fields are changed; recipients replace the existing ones.",
      input: wireInput,
      adapt: ({ reportId, ...rest }: z.output<typeof wireInput>) => ({
        report_id: reportId,
        ...adaptShared(rest),
      }),
    },
  },
  title: "Change a report",
  description:
    "Changes what is given. Whoever changes more than the pause becomes the owner, whose rights it is made with.",
  permission: ["bi:read", "bi:write"],
  effect: "write",
  timeoutMs: LIMITS.reports.waitMs + KERNEL.call.defaultTimeoutMs,
  input: z.strictObject({ report_id: z.int(), paused: z.boolean().optional(), ...shared }),
  output: savedShape,

  async run({ report_id, paused, send_now, ...rest }, context) {
    const { reports, caller } = context;
    const before = await reports.require(caller, report_id);
    if (send_now) await reports.assertMayChange(caller, before);
    const report = await reports.change(caller, before, { paused, ...changeOf(rest) });
    return savedReport(context, report, send_now);
  },
});
