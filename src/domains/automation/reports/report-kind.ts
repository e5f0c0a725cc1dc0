import { z } from "zod";
import type { AssetKind } from "../../../registry/asset-kind.ts";
import type { AutomationServices } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { looksAfter } from "../owner.ts";
import { reportRunOf, reportRunShape, reportsOf, sentenceOf } from "./report-shape.ts";

type Parts = Pick<AutomationServices, "reports" | "reportsStore" | "reportRuns" | "schedules" | "deliveries">;

/** Reports, as tools that span slices see them. */
export function reportKind({ reports, reportsStore, reportRuns, schedules, deliveries }: Parts): AssetKind {
  return {
    name: "report",
    idsFrom: "list_reports",
    async can(caller, id, verb) {
      if (!caller.permissions.includes(`bi:${verb}`)) return false;
      const report = await reportsStore.find(caller.workspace.id, id);
      return report !== undefined && (await reports.sees(caller, report));
    },

    async describe(caller, id) {
      const report = await reports.require(caller, id);
      const [[shown], runs] = await Promise.all([
        reportsOf({ schedules }, caller, [report]),
        reportsStore.runs(id, LIMITS.reports.listed),
      ]);
      const history = (await reportRuns.outcomes(runs)).map((outcome) =>
        reportRunOf(outcome, caller, report),
      );
      return { ...shown, id, name: report.name, history };
    },

    run: {
      answer: {
        report_id: z.int(),
        name: z.string(),
        report_run: reportRunShape,
        message: z.string(),
      },
      async start(caller, id, { waitMs, signal }) {
        const report = await reports.require(caller, id);
        await reports.assertMayChange(caller, report);
        const outcome = await reportRuns.start(caller, report, { waitMs, signal });
        return {
          report_id: id,
          name: report.name,
          report_run: reportRunOf(outcome, caller, report),
          message: sentenceOf(outcome, {
            mailsAreLocal: deliveries.mailsAreLocal,
            isTold: looksAfter(caller, report),
          }),
        };
      },
    },

    async delete(caller, id) {
      await reports.assertMayChange(caller, await reports.require(caller, id));
      await reportsStore.remove(caller.workspace.id, id);
    },
    restore: (caller, id) => reportsStore.restore(caller, id, (report) => reports.sees(caller, report)),
    search: (workspaceId) => reportsStore.searchTexts(workspaceId),
  };
}
