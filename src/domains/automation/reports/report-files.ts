import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError, isAppError, isNotFound } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import {
  type Attachment,
  type Deliveries,
  htmlOf,
  type Letter,
  type Message,
  textOf,
} from "../../../platform/delivery/index.ts";
import { LIMITS as DELIVERY } from "../../../platform/delivery/limits.ts";
import type { AssetKinds } from "../../../registry/asset-kind.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { BiServices } from "../../bi/index.ts";
import { exportText } from "../../data/index.ts";
import type { SentFile } from "../automation.tables.ts";
import { LIMITS } from "../limits.ts";
import { momentOf } from "../notice.ts";
import type { Report, ReportRun } from "./reports.store.ts";

interface MadeFile {
  name: string;
  mimeType: string;
  content: Buffer;
  pages?: number;
  /** Notes for the recipients. */
  note?: string;
}

interface ReportFiles {
  attachments: Attachment[];
  sent: SentFile[];
  /** Parts that could not be included. */
  notes: string[];
}

export interface FilesParts {
  exports: BiServices["exports"];
  assets: AssetKinds;
  deliveries: Deliveries;
}

/** Files of a report, rendered once for all recipients, with its owner's rights. */
export async function filesOf(
  parts: FilesParts,
  caller: Caller,
  report: Report,
  signal: AbortSignal,
): Promise<ReportFiles> {
  const { deliveries } = parts;
  const drawn = await drawnOf(parts, caller, report, signal);
  const files: ReportFiles = { attachments: [], sent: [], notes: [] };
  const rows = report.withCsv ? await csvFiles(parts, caller, report.widgetIds, files.notes, signal) : [];
  const names = new Set<string>();
  let bytes = 0;
  for (const [at, { name: wanted, mimeType, content, pages, note }] of [...drawn, ...rows].entries()) {
    if (bytes + content.length > LIMITS.reports.fileBytes) {
      files.notes.push(`${wanted} is too large to be sent.`);
      continue;
    }
    bytes += content.length;
    if (note !== undefined && !files.notes.includes(note)) files.notes.push(note);
    const name = names.has(wanted) ? wanted.replace(/(\.\w+)$/, ` ${at + 1}$1`) : wanted;
    names.add(name);
    const isPicture = mimeType === "image/png";
    const kept = await deliveries.keep(content);
    files.attachments.push({ name, mimeType, ...kept, ...(isPicture && { cid: `picture-${at}` }) });
    files.sent.push({ name, bytes: content.length, ...(pages !== undefined && { pages }) });
  }
  return files;
}

/** Without widgets that its owner finds no more; they do not keep the others from being sent. */
export async function withoutGone(
  boards: BiServices["boards"],
  caller: Caller,
  report: Report,
): Promise<{ left: Report; notes: string[] }> {
  if (report.dashboardId !== null) return { left: report, notes: [] };
  const isThere = await Promise.all(
    report.widgetIds.map((id) =>
      boards.widget(caller, id).then(
        () => true,
        (error: unknown) => {
          if (isNotFound(error)) return false;
          throw error;
        },
      ),
    ),
  );
  const widgetIds = report.widgetIds.filter((_, i) => isThere[i]);
  const gone = report.widgetIds.length - widgetIds.length;
  if (widgetIds.length === 0) throw new AppError("not_found", "All widgets of this report are gone.");
  const says = gone === 1 ? "1 widget of this report is gone." : `${gone} widgets of this report are gone.`;
  return { left: { ...report, widgetIds }, notes: gone === 0 ? [] : [says] };
}

/** A dashboard or a widget, several widgets in one PDF, or a picture of each. */
async function drawnOf(
  { exports }: FilesParts,
  caller: Caller,
  { dashboardId, widgetIds, format, name }: Report,
  signal: AbortSignal,
): Promise<MadeFile[]> {
  if (format === "pdf" && widgetIds.length > 1)
    return [await exports.together(caller, { title: name, widgetIds }, signal)];
  const type = dashboardId === null ? ("widget" as const) : ("dashboard" as const);
  const ids = dashboardId === null ? widgetIds : [dashboardId];
  const kind = format === "pdf" ? ("pdf" as const) : ("png" as const);
  return mapBounded(ids, 2, (id) => exports.make(caller, { type, id, format: kind, theme: "light" }, signal));
}

/** Insights for a report, with its owner's rights. */
export async function insightsOf(
  { boards, insights }: Pick<BiServices, "boards" | "insights">,
  caller: Caller,
  { dashboardId, widgetIds }: Report,
): Promise<string[]> {
  if (dashboardId !== null) {
    const dashboard = await boards.dashboard(caller, dashboardId);
    const found = await insights.ofWidgets(caller, dashboard, await boards.store.widgetsOf(dashboardId));
    return found.insights.map(({ sentence }) => sentence);
  }
  const widgets = await Promise.all(widgetIds.map((id) => boards.widget(caller, id)));
  const found = await insights.ofWidgets(
    caller,
    null,
    widgets.map(({ widget }) => widget),
  );
  return found.insights.map(({ sentence }) => sentence);
}

const LEFT_OUT: readonly string[] = ["forbidden", "bad_request", "not_found"];

async function csvFiles(
  { assets }: FilesParts,
  caller: Caller,
  widgetIds: readonly number[],
  notes: string[],
  signal: AbortSignal,
): Promise<MadeFile[]> {
  const kind = assets.require("widget", "rows");
  const files: MadeFile[] = [];
  for (const id of widgetIds) {
    try {
      const { name, stream } = await kind.rows(caller, id);
      const batches = stream({ limit: LIMITS.reports.csvRows, signal });
      const { content } = await exportText(batches, { format: "csv", escapeFormulas: true });
      files.push({ name: `${name.replace(/[^\p{L}\p{N} ._-]/gu, "_")}.csv`, mimeType: "text/csv", content });
    } catch (error) {
      // Permanent errors of one part do not keep the rest from being sent; transient ones are retried.
      if (!isAppError(error) || !LEFT_OUT.includes(error.code)) throw error;
      notes.push(`Rows are left out: ${error.message}`);
    }
  }
  return files;
}

interface Made extends ReportFiles {
  insights: readonly string[];
  at: Date;
  appUrl: string;
}

/** Message to the recipients of a report, made once for all of them. */
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
