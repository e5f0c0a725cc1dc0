import { clip } from "../../../kernel/clip.ts";
import type { Message } from "../../../platform/delivery/index.ts";
import { LIMITS as DELIVERY } from "../../../platform/delivery/limits.ts";
import { escapeHtml } from "../html.ts";
import type { ReportFiles } from "./report-files.ts";
import type { Report, ReportRun } from "./reports.store.ts";

interface Made extends ReportFiles {
  insights: readonly string[];
  at: Date;
  appUrl: string;
}

/** What recipients of a report get, made once for all of them. */
export function messageOf(report: Report, run: ReportRun, made: Made): Message {
  const { attachments, sent, notes, insights, at, appUrl } = made;
  const link = report.dashboardId === null ? appUrl : `${appUrl}/d/${report.dashboardId}`;
  const when = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: report.zone,
  }).format(at);
  const lines = [
    report.body ?? `${report.name}, as of ${when} (${report.zone}).`,
    ...(insights.length === 0 ? [] : ["", "What stands out:", ...insights.map((each) => `• ${each}`)]),
    ...(notes.length === 0 ? [] : ["", ...notes]),
    ...(run.missed === 0 ? [] : ["", `${run.missed} earlier reports were missed, for no server ran.`]),
    "",
    `Kenning: ${link}`,
  ];
  const pictures = attachments.flatMap(({ name, cid }) =>
    cid === undefined
      ? []
      : [`<p><img src="cid:${cid}" alt="${escapeHtml(name)}" style="max-width: 100%"></p>`],
  );
  const html = lines.map((line) => (line === "" ? "<br>" : `<div>${escapeHtml(line)}</div>`));
  return {
    subject: clip(report.subject ?? `Report: ${report.name}`, DELIVERY.delivery.subjectCharacters),
    text: lines.join("\n"),
    html: `<div style="font: 14px/1.5 system-ui, sans-serif">${html.join("")}${pictures.join("")}</div>`,
    attachments,
    topic: `report:${report.id}`,
    event: {
      type: "report.sent",
      data: {
        report_id: report.id,
        report_name: report.name,
        run_id: run.id,
        due_at: run.occurrenceAt?.toISOString() ?? null,
        made_at: at.toISOString(),
        link,
        files: sent,
        insights,
      },
    },
  };
}
