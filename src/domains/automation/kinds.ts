import { z } from "zod";
import type { AssetKind } from "../../registry/asset-kind.ts";
import { type AutomationServices, alertsOf } from "./define.ts";
import { LIMITS } from "./limits.ts";
import { looksAfter } from "./owner.ts";
import { reportRunOf, reportRunShape, reportsOf, sentenceOf } from "./reports/report-shape.ts";

type AlertKindParts = Pick<AutomationServices, "alerts" | "alertsStore" | "schedules">;

/** Alerts, as tools that span slices see them. */
export function alertKind({ alerts, alertsStore, schedules }: AlertKindParts): AssetKind {
  return {
    name: "alert",
    idsFrom: "list_alerts",
    can: async ({ workspace, permissions }, id, verb) =>
      permissions.includes(`bi:${verb}`) && (await alertsStore.find(workspace.id, id)) !== undefined,

    async describe(caller, id) {
      const alert = await alerts.require(caller, id);
      const [[shown], events, sees, seesAll] = await Promise.all([
        alertsOf({ alerts, schedules }, caller, [alert]),
        alertsStore.events(id, LIMITS.alerts.listed),
        alerts.sees(caller, alert),
        alerts.seesAll(caller, alert),
      ]);
      const history = events.map(({ at, happening, rows, summary }) => {
        const isTold = seesAll || (sees && looksAfter(caller, alert, at));
        return {
          at: at.toISOString(),
          happening,
          rows: isTold ? rows : null,
          summary: isTold ? summary : null,
        };
      });
      return { ...shown, id, name: alert.name, condition: sees ? alert.condition : null, history };
    },

    async delete(caller, id) {
      await alerts.assertMayChange(caller, await alerts.require(caller, id));
      await alertsStore.remove(caller.workspace.id, id);
    },
    restore: (caller, id) => alertsStore.restore(caller, id, (alert) => alerts.sees(caller, alert)),
    search: (workspaceId) => alertsStore.searchTexts(workspaceId),
  };
}

type ReportKindParts = Pick<
  AutomationServices,
  "reports" | "reportsStore" | "reportRuns" | "schedules" | "deliveries"
>;

/** Reports, as tools that span slices see them. */
export function reportKind({
  reports,
  reportsStore,
  reportRuns,
  schedules,
  deliveries,
}: ReportKindParts): AssetKind {
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
