import type { ReportInfo } from "./inventory.ts";
import { anyOf } from "./lexicon.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { type Reader, words } from "./reader.ts";
import { type Clause, fitAsset, takeDescribed, targetIn } from "./references.ts";
import { askWhen, SPEAKS_OF_TIME, saidOf, takeSchedule, takeTiming } from "./timing.ts";
import { takeNewName } from "./widget-plans.ts";
import { MAIL, SOON, takeFormat, takeMails, takeName, takeOld, takeRecipients } from "./words.ts";

const SEND = anyOf(
  "send",
  "e-?mails?|mail(?:en|e|st)?|forward|share|remind|shoot|zusende~|leite|weiterleit~|zukommen lassen|zu",
);
const SET_UP = anyOf("make want", "schedule|plan~|have|get|receive|bekomm~|erhalte?n?");
const REPORT = anyOf("report", "newsletter|summary|digest|mailing|e-?mail|mail|zusammenfassung");
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
  return oneStep(
    "create_report",
    {
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
    `Send the ${target.kind === "widget" ? "chart" : "dashboard"} “${target.name}” to ${recipients}, ${saidOf(timing)}`,
  );
}

const SENDABLE = ["pdf", "image"];
const SENDABLE_SAID = ["as PDF", "as image"];

function formatOf(format: string, kind: string): object {
  if (SENDABLE.includes(format)) return { format };
  if (format === "csv" && kind === "widget") return { export_csv: true };
  throw new AskBack("Only charts can be sent as CSV. As PDF or as image?", SENDABLE_SAID);
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

const PAUSE = anyOf("pause");
const RESUME = anyOf("resume", "turn (?:back )?on");
const RUN = anyOf("send", "run|trigger|push out|löse?(?= .*aus)|raus");
const ALSO = anyOf("also", "add|include|aufnehm~|ergänz~|auf|extra|another");
const CHANGE = anyOf(
  "change send instead future again",
  "reschedule|shift|have|want|would like|go(?:es)? out|go|come|sent|delivered|verschieb~|verleg~|leg~|kommen|kommt|rausgeh~|geh~|gesendet|send~|erst|schon|later|already|recipients?|empfänger~|verteiler|als|list|time ?zone|time|schedule|day|zeit|uhrzeit|zeitzone|tag|format|auf|aus|rename|laufen|up|anymore|mehr|out|raus|um",
);

const IT = anyOf("it", "den");

/** A report that there is: sent now, paused, or changed. */
export async function planReportChange(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory } = clause;
  const reports = await inventory.reports();
  // A dashboard and its report often have one name: the dashboard is meant, unless it says "report".
  const isNamed = reader.named("report") && !reader.named("dashboard");
  const noun = anyOf("report");
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
  const described = takeDescribed(reader, noun) ?? [];
  const report = named ?? reports.find(({ id }) => id === spoken) ?? fitAsset(described, reports, "report");
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
  if (isSent) return oneStep("run", { report_id: report.id }, `Send the report “${report.name}” now`);
  if (mails.length > 0 && !isAdded && !isTimed && !isOff && !isSwap)
    throw new AskBack(
      `Should ${mails.join(", ")} get the report “${report.name}” too, or in the place of the others?`,
      [`Add ${mails[0]} to the report`],
    );
  if (format !== undefined && !SENDABLE.includes(format))
    throw new AskBack("A report is sent as PDF or as image. Which one?", SENDABLE_SAID);
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
  return oneStep(
    "update_report",
    { report_id: report.id, ...args },
    `${how} the report “${report.name}”${more}`,
  );
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
