import { anyOf } from "./lexicon.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { type Reader, words } from "./reader.ts";
import { type Clause, fitAsset, type ReportInfo, takeDescribed, targetIn } from "./references.ts";
import { takeNewName } from "./widget-plans.ts";
import {
  COUNT_WORDS,
  countOf,
  MAIL,
  SOON,
  takeFormat,
  takeMails,
  takeName,
  takeOld,
  takeRecipients,
} from "./words.ts";

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

/** When a report is sent, as create_report takes it. */
export interface Timing {
  frequency?: string;
  every?: number;
  day_of_week?: string;
  day_of_month?: number;
  start_time?: string;
  timezone?: string;
}

const UNITS: Record<string, string> = {
  mi: "minutes",
  ho: "hours",
  st: "hours",
  da: "days",
  ta: "days",
  we: "weeks",
  wo: "weeks",
  mo: "months",
};
const EVERY = words(
  `(?:every|each|alle) (?:(\\d{1,3}|${COUNT_WORDS}|other|second|third) )?(minutes?|hours?|days?|weeks?|months?|minuten?|stunden?|tagen?|wochen?|monaten?)`,
);
const OTHER: Record<string, number> = { other: 2, second: 2, third: 3 };

const EACH = "(?:every|each|once an?|per|jede[nrs]?|pro|einmal (?:pro|am|die|im)) (?:single |full )?";
const often = (adverbs: string, nouns: string) => words(`${adverbs}|${EACH}(?:${nouns})`);
const DAYTIME = "morning|evening|night|morgen|abend";

/** How often something happens, as the tools call it. */
export const FREQUENCIES: readonly (readonly [RegExp, string])[] = [
  [often("minutely|minütlich", "minute"), "minutes"],
  [often("hourly|stündlich~", "hour|stunde"), "hours"],
  [often(`(?:once )?daily|täglich~|(?:every|each|jeden)(?= (?:${DAYTIME}))`, "day|tag"), "days"],
  [often("weekly|wöchentlich~", "week|woche"), "weeks"],
  [often("monthly|monatlich~", "month|monat"), "months"],
];

const DAYS: readonly (readonly [string, string])[] = [
  ["mon(?:day)?|montag", "MONDAY"],
  ["tue(?:s|sday)?|dienstag", "TUESDAY"],
  ["wed(?:nesday)?|mittwoch", "WEDNESDAY"],
  ["thu(?:rs|rsday)?|donnerstag", "THURSDAY"],
  ["fri(?:day)?|freitag", "FRIDAY"],
  ["sat(?:urday)?|samstag|sonnabend", "SATURDAY"],
  ["sun(?:day)?|sonntag", "SUNDAY"],
];
const AGAIN = "every|each|jeden|immer|always";
const SECOND = "(?: (other|second|zweiten|2\\.))?";
const day = (name: string) =>
  words(
    `(?:((?:${AGAIN})(?: (?:on|am))?)${SECOND} )?(?:(?:on|am|to|auf(?: den)?|den) )?(?:${name})(s)?(?:-?(?:morgens?|früh|vormittags?)|(-?(?:abends?|nachmittags?)))?`,
  );
const DAY_PATTERNS = DAYS.map(([name, day_of_week]) => [day(name), day_of_week] as const);

const NTH = "(?:(first|ersten?)|(\\d{1,2})(?:st|nd|rd|th|\\.)?)";
const OF_MONTH =
  "(?:of (?:the|each|every|any) month|of the month|each month|every month|(?:im|des|jeden|jedes|eines(?: jeden)?) monats?|monatlich)";
const MONTHDAY = words(
  `(?:(?:on|every|each|jede[nr]?|immer|am|zum) )*(?:the )?${NTH} (?:day |tag )?${OF_MONTH}`,
);
const ON_THE = words("(?:on the|am|zum|to the|auf den) (\\d{1,2})(?:st|nd|rd|th|\\.)(?!\\d)");
const LAST_MONTHDAY = 28;

const HALF = "(am|pm|a\\.m\\.|p\\.m\\.|uhr|o'?clock|h)";
const PART =
  "(?: (?:in the |am )?(mornings?|evenings?|afternoons?|nights?|morgens?|abends?|nachmittags?|vormittags?|früh|nachts?))?";
const AT = "(?:(?:at|um|@|to|auf|ab|from|by|gegen) )?(?:erst )?";
const TIMES: readonly RegExp[] = [
  words(`${AT}(\\d{1,2})[:.](\\d{2})(?: ?${HALF})?${PART}`),
  words(`${AT}(\\d{1,2})()(?: ?${HALF})(?: (?:\\d{2}))?${PART}`),
  words(`(?:at|um|@) (\\d{1,2})()()${PART}`),
];
const HOURS = `(\\d{1,2}|${COUNT_WORDS})`;
const SPOKEN: readonly (readonly [RegExp, (hour: number) => readonly [number, number]])[] = [
  [words(`${AT}halb ${HOURS}`), (hour) => [(hour + 23) % 24, 30]],
  [words(`${AT}half past ${HOURS}`), (hour) => [hour, 30]],
  [words(`${AT}(?:a )?(?:quarter past|viertel nach) ${HOURS}`), (hour) => [hour, 15]],
  [words(`${AT}(?:a )?(?:quarter to|viertel vor) ${HOURS}`), (hour) => [(hour + 23) % 24, 45]],
  [words(`(?:at|um) (${COUNT_WORDS})(?: uhr| o'?clock)?`), (hour) => [hour, 0]],
  [words(`(${COUNT_WORDS})(?: uhr| o'?clock)`), (hour) => [hour, 0]],
  [words("(?:at |um )?(?:noon|midday|mittags?)"), () => [12, 0]],
  [words("(?:at |um )?(?:midnight|mitternacht)"), () => [0, 0]],
];
const PARTS = words("mornings?|in the morning|morgens?|früh|vormittags?");
const LATE = words("(?:in the )?(?:evenings?|nights?|afternoons?|abends?|nachmittags?|nachts?)");
const ZONE =
  /(?<![\p{L}\p{N}])(?:\(?(?:in |timezone )?([A-Z][a-z]+\/[A-Z][A-Za-z_]+|UTC)(?: time)?\)?)(?![\p{L}\p{N}])/u;

/** How often, on which day, and at what time; and whether it was said that the day comes again. */
function takeTiming(reader: Reader): Timing & { isAgain: boolean } {
  const monthday = reader.take(MONTHDAY);
  const counted = reader.take(EVERY);
  const said = FREQUENCIES.filter(([pattern]) => reader.take(pattern) !== null).map(([, each]) => each);
  const often = said[0];
  const isMonthly = often === "months" || counted?.[2]?.slice(0, 2).toLowerCase() === "mo";
  const on = monthday ?? (isMonthly ? reader.take(ON_THE) : null);
  let weekday: string | undefined;
  let isSecond = false;
  let isLate = false;
  let isAgain = often !== undefined || counted !== null || monthday !== null;
  for (const [pattern, name] of on === null ? DAY_PATTERNS : []) {
    const found = reader.take(pattern);
    if (found === null) continue;
    weekday = name;
    isAgain ||= found[1] !== undefined || found[3] !== undefined;
    isSecond = found[2] !== undefined;
    isLate = found[4] !== undefined;
    break;
  }
  const start_time = takeTime(reader, isLate);
  if (isLate && start_time === undefined) throw askWhen();
  const timezone = reader.take(ZONE)?.[1];
  const unit = UNITS[counted?.[2]?.slice(0, 2).toLowerCase() ?? ""];
  const every = OTHER[counted?.[1]?.toLowerCase() ?? ""] ?? countOf(counted?.[1] ?? "");
  const frequency = on !== null ? "months" : (unit ?? (weekday !== undefined ? "weeks" : often));
  const date = on?.slice(1).find((each) => /^\d/.test(each ?? ""));
  return {
    ...(frequency !== undefined && { frequency }),
    ...(unit !== undefined && every !== undefined && { every }),
    ...(isSecond && { every: 2 }),
    ...(weekday !== undefined && { day_of_week: weekday }),
    ...(on !== null && { day_of_month: Number(date ?? 1) }),
    ...(start_time !== undefined && { start_time }),
    ...(timezone !== undefined && { timezone }),
    isAgain,
  };
}

function takeTime(reader: Reader, isLate: boolean): string | undefined {
  for (const [pattern, time] of SPOKEN) {
    const found = reader.take(pattern);
    if (found === null) continue;
    const [hour, minute] = time(countOf(found[1] ?? "") ?? 0);
    return clock(later(hour, takePart(reader) ?? (isLate ? "late" : undefined)), minute);
  }
  for (const pattern of TIMES) {
    const found = reader.take(pattern);
    if (found === null) continue;
    const [, hour = "", minute, half = "", part = ""] = found;
    const shift =
      /^p/i.test(half) || LATE.test(part) || takePart(reader) === "late" || isLate ? "late" : undefined;
    if (Number(hour) > 24) throw askWhen();
    const isMorning = /^a/i.test(half) && Number(hour) === 12;
    return clock(isMorning ? 0 : later(Number(hour), shift), Number(minute || 0));
  }
  // A part of the day alone is no time: "every evening" is asked about, and 8 in the morning is as usual.
  reader.take(PARTS);
  return undefined;
}

function takePart(reader: Reader): "late" | undefined {
  reader.take(PARTS);
  return reader.take(LATE) === null ? undefined : "late";
}

function later(hour: number, part: "late" | undefined): number {
  return (part === "late" && hour < 12 ? hour + 12 : hour) % 24;
}

function clock(hour: number, minute: number): string {
  if (hour > 23 || minute > 59) throw askWhen();
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** At once and not again. "Once a week" is something else. */
const ONCE = anyOf(
  "now",
  "(?:just )?(?:this )?once(?! an? )|one[- ]off|one[- ]time|today|einmal(?:ig)?(?! (?:pro|im|am|die|in))|heute",
);
const FROM_NOW = words("from now(?: on)?|starting (?:today|now)|ab (?:sofort|jetzt|heute)");
/** A report is something that comes again, unless it is said to be for once. */
const SETS_UP = words("(?:create|set up|schedule|erstell~|richte|leg~)[^·]*(?:reports?|bericht~)");

/** The schedule of something new, or none where it is sent once and at once. What is not understood is asked about. */
function takeSchedule(reader: Reader): Timing {
  const setsUp = SETS_UP.test(reader.text);
  reader.take(FROM_NOW);
  const { isAgain, ...timing } = takeTiming(reader);
  const isOnce = reader.takeAll(ONCE).length > 0;
  const { frequency, start_time, day_of_week, day_of_month = 1 } = timing;
  const isOpen =
    (frequency === undefined ? start_time !== undefined || (setsUp && !isOnce) : isOnce) ||
    (day_of_week !== undefined && !isAgain) ||
    day_of_month > LAST_MONTHDAY ||
    reader.has(LATE);
  if (isOpen) throw askWhen();
  return timing;
}

/** Words of time that are in no schedule that there is. */
const SPEAKS_OF_TIME =
  /^\d|day|week|month|quarter|year|hour|minute|morning|evening|night|noon|tomorrow|twice|thrice|times|until|next|last|later|tag|woche|monat|quart[ae]l|jahr|stund|morgen|abend|nacht|mal$|bis|nächst|letzt|später/iu;

function askWhen(left: readonly string[] = []): AskBack {
  const unknown = left.length > 0 ? ` “${left.join(" ")}” is no time that I know.` : "";
  return new AskBack(
    `When should it be sent?${unknown} I know: once and now; every so many minutes, hours, days, weeks or months; on one day of the week; on a day of the month up to the 28th; and at which time.`,
    ["once, now", "every day at 8:00", "every Monday at 8:00", "on the first of each month"],
  );
}

/** A schedule in words. */
export function saidOf({
  frequency,
  every = 1,
  day_of_week,
  day_of_month,
  start_time = "08:00",
}: Timing): string {
  if (frequency === undefined) return "once, now; what is sent cannot be taken back";
  const unit = frequency.replace(/s$/, "");
  const often = every === 1 ? `every ${unit}` : `every ${every} ${frequency}`;
  if (frequency === "minutes" || frequency === "hours") return often;
  const day = (day_of_week ?? "MONDAY").toLowerCase().replace(/^./, (first) => first.toUpperCase());
  const on =
    frequency === "weeks" ? ` on ${day}` : frequency === "months" ? ` on day ${day_of_month ?? 1}` : "";
  return `${often}${on} at ${start_time}`;
}
