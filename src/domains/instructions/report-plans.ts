import type { ReportInfo } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Reader, words } from "./reader.ts";
import { type Clause, fitAsset, takeDescribed, targetIn } from "./references.ts";
import { askWhen, SPEAKS_OF_TIME, saidOf, takeSchedule, takeTiming } from "./timing.ts";
import { takeNewName } from "./widget-plans.ts";
import { MAIL, SOON, takeMails, takeName, takeOld, takeRecipients } from "./words.ts";

const SEND = words(
  "(?:can you |please )?(?:(?:re-?)?send(?: out| off)?|e-?mails?|mail(?:en|e|st)?|deliver|forward|share|remind|shoot|fire off|schick~|versend~|verschick~|sende~|zusende~|leite|weiterleit~|zukommen lassen|zu)",
);
const SET_UP = words(
  "create|make|set(?: \\p{L}+)? up|schedule|build|need|want|would like|i'd like|erstell~|richte|einricht~|leg~|brauche|bräuchte|plan~|have|get|receive|bekomm~|erhalte?n?",
);
const REPORT = words(
  "(?:scheduled )?reports?|bericht(?:e[sn]?|s)?|newsletter|summary|digest|mailing|e-?mail|mail|zusammenfassung",
);
const SUBJECT = words(
  "(?:(?:and|und) )?(?:(?:with|mit) )?(?:the |dem |einem )?(?:subject(?: line)?|betreff(?:zeile)?) ?:?",
);
const BODY = words("(?:(?:with|mit) )?(?:the |dem |einem )?(?:message|text|note|body|nachricht|notiz) ?:?");
const EXTRA = words(
  "gehen|geht|go|goes|weiter|raus|ein|an|zu|out|off|over|across|auch|team|the team|everyone|copy|version|regularly|copy of|snapshot|always|immer|attached|anhang|im anhang|as an attachment|inbox|team's inbox",
);
const INSIGHTS = words(
  "(?:with|including|mit|samt|inklusive) (?:the |den )?(?:insights?|recommendations?|findings?|erkenntnisse~?|empfehlungen)",
);

/** Sends a dashboard or a chart: once and now, or on a schedule. */
export async function planReport(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, me } = clause;
  const isMeant =
    (reader.has(SEND) || (reader.has(SET_UP) && reader.has(REPORT))) &&
    !/\?\s*$/.test(reader.left.replace(/^.*\b(?:can|could|would|kannst|könntest)\b/i, "!"));
  if (!isMeant && !reader.has(MAIL)) return undefined;
  const subject = takeQuotedBehind(reader, SUBJECT);
  const body = takeQuotedBehind(reader, BODY);
  const recipients = takeRecipients(reader, me).join(", ");
  const name = takeName(reader);
  const withInsights = reader.take(INSIGHTS) !== null;
  const format = takeFormat(reader);
  const target = await targetIn(clause);
  for (const pattern of [SEND, SET_UP, REPORT]) reader.takeAll(pattern);
  const timing = takeSchedule(reader);
  reader.takeAll(EXTRA);
  const left = reader.words();
  if (left.some((word) => SPEAKS_OF_TIME.test(word))) throw askWhen(left);
  if (target.kind === "dataset")
    throw new AskBack(`Which dashboard or chart of ${target.name} should be sent?`);
  if (recipients === "") throw new AskBack("To whom should it be sent? Give mail addresses.");
  return [
    {
      tool: "create_report",
      args: {
        ...(target.kind === "widget" ? { widget_ids: [target.id] } : { dashboard_id: target.id }),
        recipients,
        ...timing,
        // What is sent once leaves no schedule behind.
        ...(timing.frequency === undefined && { send_now: true, paused: true }),
        ...(format !== undefined && formatOf(format, target.kind)),
        ...(name !== undefined && { name }),
        ...(subject !== undefined && { subject }),
        ...(body !== undefined && { body }),
        ...(withInsights && { include_recommendations: true }),
      },
      says: `Send the ${target.kind === "widget" ? "chart" : "dashboard"} “${target.name}” to ${recipients}, ${saidOf(timing)}`,
    },
  ];
}

function formatOf(format: string, kind: string): object {
  if (format !== "csv") return { format };
  if (kind === "widget") return { export_csv: true };
  throw new AskBack("Only charts can be sent as CSV. As PDF or as image?", ["as PDF", "as image"]);
}

const FORMATS: readonly (readonly [RegExp, string])[] = [
  [
    words(
      "(?:(?:as|als|in) )?(?:(?:an?|eine?n?|the) )?pdf(?:s|[- ]?(?:files?|datei|format|attachment|anhang))?",
    ),
    "pdf",
  ],
  [
    words(
      "(?:(?:as|als|in) )?(?:(?:an?|eine?n?|the) )?(?:images?|pictures?|pngs?|screenshots?|bild(?:er)?|grafik)(?:[- ]?(?:file|datei))?",
    ),
    "image",
  ],
  [
    words(
      "(?:(?:as|als|in|with|mit) )?(?:(?:an?|eine?n?|the) )?(?:csvs?|excel|spreadsheet|xlsx)(?:[- ]?(?:files?|datei|anhang|attachment|sheet))?",
    ),
    "csv",
  ],
];

function takeFormat(reader: Reader): string | undefined {
  return reader.oneOf(FORMATS);
}

function takeQuotedBehind(reader: Reader, lead: RegExp): string | undefined {
  const at = lead.exec(reader.left);
  if (at === null) return undefined;
  const start = at.index + at[0].length;
  const behind = /["“„»«'‘]([^"”“„»«]+?)["”“»«'’]/u.exec(reader.left.slice(start));
  if (behind === null) return undefined;
  reader.drop(at.index, start);
  reader.drop(start + behind.index, start + behind.index + behind[0].length);
  return behind[1]?.trim();
}

const PAUSE = words(
  "put(?= .*on hold)|on hold|pause~|pausier~|stop(?:p~)?(?: sending(?: out)?)?|halt(?:e|en)?(?: an)?|suspend|mute|cancel|no longer send|don't send|hold|deaktivier~|disable|turn off|switch off|aussetz~|setz~(?= .*aus)|nicht mehr (?:ver)?(?:schick~|send~)",
);
const RESUME = words(
  "lass~(?= .*wieder laufen)|start(?= .*again)|starte?(?= .*wieder)|wake(?= .*up)|resume|restart|continue|re-?activate|activate|unpause|re-?enable|enable|turn (?:back )?on|fortsetz~|setz~ fort|nimm(?= .*wieder auf)|wieder (?:aktivier~|aufnehm~|einschalt~|starten|verschick~|senden)|aktivier~|reaktivier~",
);
const RUN = words(
  "(?:re-?)?send(?: out| off)?|run|trigger|fire off|push out|fire off|deliver|schick~(?: raus| ab| los)?|verschick~|versend~|sende~|löse?(?= .*aus)|raus",
);
const ALSO = words(
  "add|include|also|too|as well|cc|füg~|auch|zusätzlich|nimm|aufnehm~|ergänz~|hinzu|additionally|auf|extra|another",
);
const CHANGE = words(
  "change|move|switch|update|reschedule|shift|set|adjust|make|have|want|would like|go(?:es)? out|go|come|send|sent|deliver(?:ed)?|änder~|verschieb~|verleg~|stell~(?: um)?|setz~|leg~|soll(?:en|te)?|kommen|kommt|rausgeh~|rausgehn|geh~|verschick~|versend~|schick~|gesendet|send~|instead|stattdessen|künftig|from now on|in future|ab jetzt|erst|schon|later|already|recipients?|empfänger~|verteiler|als|list|time|schedule|day|zeit|uhrzeit|zeitzone|time ?zone|tag|format|wieder|auf|aus|rather|lieber|rename|again|wieder|laufen|up|anymore|mehr|out|raus|um",
);

const IT = words("it|ihn|den|es");

/** A report that there is: sent now, paused, or changed. */
export async function planReportChange(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory } = clause;
  const reports = await inventory.reports();
  // A dashboard and its report often have one name: the dashboard is meant, unless it says "report".
  const isNamed = reader.named("report") && !reader.named("dashboard");
  const noun = words("(?:scheduled )?reports?|bericht(?:e[sn]?|s)?");
  const spoken = clause.before.at(-1)?.args.report_id;
  if (!isNamed && !reader.has(noun) && !(typeof spoken === "number" && reader.has(IT))) return undefined;
  if (
    !isNamed &&
    words(
      "(?:create|make|set(?: \\p{L}+)? up|schedule|erstell~|leg~|einricht~|richte|need|want|would like)(?: (?:me|us|mir|uns))? (?:an?|eine?n?|new|neue[nrs]?)|new|neue[nrs]?",
    ).test(reader.left.slice(0, 50))
  )
    return undefined;
  const subject = takeQuotedBehind(reader, SUBJECT);
  const namedId = reader.takeNamed("report");
  const named = reports.find(({ id }) => id === namedId);
  const said = takeDescribed(reader, noun) ?? [];
  const report = named ?? reports.find(({ id }) => id === spoken) ?? pick(said, reports);
  const called = takeName(reader) ?? takeNewName(reader);
  const mails = takeMails(reader);
  const isOff = mails.length > 0 && reader.takeAll(OFF).length > 0;
  const isSwap = mails.length > 0 && reader.take(SWAP) !== null;
  const isPaused = reader.takeAll(PAUSE).length > 0;
  const isResumed = !isPaused && reader.take(RESUME) !== null;
  const old = takeOld(reader);
  const format = takeFormat(reader);
  const isNow = reader.has(RUN) && reader.takeAll(SOON).length > 0;
  const { isAgain: _, ...timing } = takeTiming(reader);
  const isTimed = Object.keys(timing).length > 0;
  const isSent =
    isNow ||
    (reader.has(RUN) &&
      format === undefined &&
      old === undefined &&
      !isTimed &&
      mails.length === 0 &&
      !isPaused &&
      !isResumed);
  const isAdded = reader.takeAll(ALSO).length > 0;
  reader.takeAll(RUN);
  reader.takeAll(CHANGE);
  if (isSent && (isTimed || mails.length > 0 || isPaused))
    throw new AskBack(`Should the report “${report.name}” be sent now, or changed?`, [
      "send it now",
      "change when it is sent",
    ]);
  if (isSent)
    return [{ tool: "run", args: { report_id: report.id }, says: `Send the report “${report.name}” now` }];
  if (mails.length > 0 && !isAdded && !isTimed && !isOff && !isSwap)
    throw new AskBack(
      `Should ${mails.join(", ")} get the report “${report.name}” too, or in the place of the others?`,
      [`Add ${mails[0]} to the report`],
    );
  if (format === "csv")
    throw new AskBack("A report is sent as PDF or as image. Which one?", ["as PDF", "as image"]);
  const args = {
    ...(isPaused && { paused: true }),
    ...(isResumed && { paused: false }),
    ...(mails.length > 0 && { recipients: recipientsOf(report, mails, isOff || isSwap) }),
    ...timing,
    ...(format !== undefined && { format }),
    ...(called !== undefined && { name: called }),
    ...(subject !== undefined && { subject }),
  };
  if (Object.keys(args).length === 0)
    throw new AskBack(`What should become of the report “${report.name}”?`, ["send it now", "pause it"]);
  const how = isPaused ? "Pause" : isResumed ? "Resume" : "Change";
  const more =
    mails.length > 0
      ? `; also to ${mails.join(", ")}`
      : isTimed
        ? `: ${Object.values(timing).join(" ")}`
        : "";
  return [
    {
      tool: "update_report",
      args: { report_id: report.id, ...args },
      says: `${how} the report “${report.name}”${more}`,
    },
  ];
}

const OFF = words(
  "take(?= .* off)|off|no longer to|nicht mehr an|nimm(?= .* (?:raus|aus|herunter))|raus|streich~|unsubscribe",
);
const SWAP = words("replace|swap|exchange|ersetz~|tausch~|by|durch");

/** Those who get it: more of them, or with some taken out, as far as they get it now. */
function recipientsOf({ name, recipients }: ReportInfo, mails: readonly string[], isOff: boolean): string {
  const gone = isOff ? mails.filter((mail) => recipients.includes(mail)) : [];
  if (isOff && gone.length === 0)
    throw new AskBack(`Nobody of ${mails.join(", ")} gets the report “${name}”. Who should?`);
  const left = recipients.filter((mail) => !gone.includes(mail));
  const all = [...new Set([...left, ...mails.filter((mail) => !gone.includes(mail))])];
  if (all.length === 0) throw new AskBack(`Then nobody would get the report “${name}”. Should it be paused?`);
  return all.join(", ");
}

/** By words of it; "the weekly report" is one that comes every week. */
function pick(said: readonly string[], reports: readonly ReportInfo[]): ReportInfo {
  if (said.length === 0 && reports.length === 1) return reports[0] as ReportInfo;
  return fitAsset(said, reports, "report");
}
