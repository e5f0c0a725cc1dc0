import { clip } from "../../../kernel/text.ts";
import { htmlOf, type Letter, type Message, textOf } from "../../../platform/delivery/index.ts";
import { LIMITS as DELIVERY } from "../../../platform/delivery/limits.ts";
import { momentOf } from "../moment.ts";
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
  const files = sent
    .filter(({ name }) => !attachments.some((each) => each.name === name && each.cid !== undefined))
    .map(({ name, pages }) => (pages === undefined || pages === 1 ? name : `${name} (${pages} pages)`));
  const subject = clip(report.subject ?? `Report: ${report.name}`, DELIVERY.delivery.subjectCharacters);
  const letter: Letter = {
    title: report.name,
    when: `As of ${momentOf(at, report.zone)}`,
    paragraphs: report.body === null ? [] : [report.body],
    list: insights.length === 0 ? undefined : { title: "What stands out:", items: insights },
    pictures: attachments.flatMap(({ name, cid }) => (cid === undefined ? [] : [{ cid, name }])),
    link: { label: report.dashboardId === null ? "Open Kenning" : "Open the dashboard", url: link },
    notes: [
      ...(files.length === 0 ? [] : [`Attached: ${files.join(", ")}.`]),
      ...notes,
      ...(run.missed === 0 ? [] : [`${run.missed} earlier reports were missed, for no server ran.`]),
    ],
  };
  return {
    subject,
    text: textOf(letter),
    html: htmlOf(letter),
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
