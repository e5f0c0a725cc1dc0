import { type ReportInfo, requireAsset } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import type { Clause } from "./references.ts";
import { quotedIn, without } from "./references.ts";
import { targetOf } from "./sharing-plans.ts";
import { saidOf, scheduleIn, timingIn } from "./timing.ts";
import { MAIL, recipientsIn, SOON } from "./words.ts";

export async function planReport(clause: Clause): Promise<PlannedStep[]> {
  const { text, me } = clause;
  const recipients = recipientsIn(text, me);
  if (recipients === "") throw new AskBack("To whom should it be sent? Give mail addresses.");
  const bare = text.replace(MAIL, " ");
  const { subject, rest } = subjectIn(bare);
  const target = await targetOf({ ...clause, text: rest });
  // "Weekly sales" is sent as often as is said beside its name.
  const timing = scheduleIn(without(rest, target.title));
  const isOnce = timing.frequency === undefined;
  const { widget_id, ...args } = target.args as { widget_id?: unknown };
  const isImage = /\bas (?:an? )?(?:image|picture|png)\b|\bals (?:ein )?bild\b/i.test(rest);
  return [
    {
      tool: "create_report",
      args: {
        ...args,
        ...(widget_id !== undefined && { widget_ids: [widget_id] }),
        recipients,
        ...timing,
        // What is sent once leaves no schedule behind.
        ...(isOnce && { send_now: true, paused: true }),
        ...(isImage ? { format: "image" } : /\bpdf\b/i.test(rest) && { format: "pdf" }),
        ...(subject !== undefined && { subject }),
      },
      says: `Send ${target.name} to ${recipients}, ${saidOf(timing)}`,
    },
  ];
}

function subjectIn(text: string): { subject: string | undefined; rest: string } {
  const at = text.search(/\b(?:with (?:the )?subject|subject|(?:mit (?:dem )?)?betreff)\b/i);
  const subject = at === -1 ? undefined : quotedIn(text.slice(at));
  return { subject, rest: subject === undefined ? text : text.slice(0, at) };
}

const PAUSE = /\b(?:pause|stop|halt|suspend|mute|cancel|pausier\w*|stopp\w*|anhalten)\b/i;
const RESUME = /\b(?:resume|restart|continue|reactivate|unpause|fortsetz\w*|wieder)\b/i;
const SEND = /\b(?:send|run|trigger|schick\w*|verschick\w*|sende\w*|starte)\b/i;
const ALSO = /\b(?:add|include|also|too|füg\w*|auch|zusätzlich)\b/i;

/** Whether a report that there is should be paused, sent, or changed. */
export function isReportChange(text: string): boolean {
  const isAbout = /\breports?\b|bericht(?:e[sn]?|s)?\b/i.test(text);
  const isNew = /^\s*(?:please |bitte )?(?:create|make|set up|new|erstell\w*|neue\w*|leg\w*)\b/i.test(text);
  if (!isAbout || isNew) return false;
  const isNow = SEND.test(text) && (SOON.test(text) || text.match(MAIL) === null);
  const isTimed = Object.keys(timingIn(text)).length > 1 && text.match(MAIL) === null;
  return (
    PAUSE.test(text) ||
    RESUME.test(text) ||
    isNow ||
    isTimed ||
    (text.match(MAIL) !== null && ALSO.test(text))
  );
}

export async function planReportChange({ text, inventory }: Clause): Promise<PlannedStep[]> {
  const addresses = text.match(MAIL) ?? [];
  // "Montagsbericht" is the report of Monday.
  const bare = text.replace(MAIL, " ").replace(/(\p{L}+?)s?bericht(?:e[sn]?|s)?\b/giu, "$1 report");
  const report = reportIn(bare, await inventory.reports());
  const change = (args: object, says: string): PlannedStep[] => [
    { tool: "update_report", args: { report_id: report.id, ...args }, says: `${says} “${report.name}”` },
  ];
  if (addresses.length > 0)
    return change(
      { recipients: [...report.recipients, ...addresses].join(", ") },
      `Also send to ${addresses.join(", ")} the report`,
    );
  if (PAUSE.test(text)) return change({ paused: true }, "Pause the report");
  if (SEND.test(text) && SOON.test(text))
    return [{ tool: "run", args: { report_id: report.id }, says: `Send the report “${report.name}” now` }];
  const { rest: _, ...timing } = timingIn(bare.replace(report.name, " "));
  if (Object.keys(timing).length > 0) return change(timing, "Change when it is sent of the report");
  if (RESUME.test(text)) return change({ paused: false }, "Resume the report");
  throw new AskBack(`What should become of the report “${report.name}”?`, ["send it now", "pause it"]);
}

function reportIn(text: string, reports: readonly ReportInfo[]): ReportInfo {
  const noise =
    /\b(?:reports?|send|schick\w*|out|raus|now|right|again|nochmal|stop\w*|sending|go|want|would|like|als|empfänger|hinzu|füg\w*|add|recipients?)\b/gi;
  const words = text.replace(noise, " ");
  if (reports.length === 1 && words.trim().length < 4) return reports[0] as ReportInfo;
  return requireAsset(words, reports, "report");
}
