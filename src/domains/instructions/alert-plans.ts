import { bestCondition } from "./conditions.ts";
import type { AlertInfo } from "./inventory.ts";
import { anyOf } from "./lexicon.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { Reader, words } from "./reader.ts";
import { type Clause, fitAsset, takeDataset, takeDescribed } from "./references.ts";
import { FREQUENCIES } from "./timing.ts";
import { takeNewName } from "./widget-plans.ts";
import {
  NUMBER,
  numberOf,
  takeComparison,
  takeMails,
  takeName,
  takeQuoted,
  takeRecipients,
} from "./words.ts";

const WHEN = words(
  "when(?:ever)?|the moment|if|once(?! an? )|as soon as|in case|should|wenn|sobald|falls|sollte|bei(?= (?:mehr|weniger|über|unter|mindestens|höchstens))",
);
const TELL = anyOf(
  "told alert",
  "raise|schlag~|trigger|notify|notification|warn~|alarm~|ping|remind|shout|let (?:me|us|\\S+) know|give (?:me|us) a (?:shout|heads[- ]up)|tell|inform|e-?mail|message|benachrichtig~|informier~|meld~|(?:sag|gib|gebt)(?: (?:mir|uns))? (?:bitte )?bescheid|bescheid|sag|gib|schreib~|schick~|send",
);
const MAKES = anyOf("make want new", "add|möchte");
const FOR = words("for|on|about|für|bei|zu|über|auf");
const LIVE = words("(?:in )?real[- ]?time|live|(?:in )?echtzeit|instantly");
const FIRES = words(
  "(?:that |which |der |die )?(?:fires?|triggers?|goes off|auslöst|anschlägt|send~|tells?)|as well|too|also|sofort|immediately|straight away|mails?|check(?:s|ed)?|prüf~|look|watch|please|it",
);

/** Something is to be told when something is so; or "Alert:" and what. */
export async function planAlert(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory, assumptions, me } = clause;
  const isHead = /^\s*(?:alert|alarm|warnung)\s*:/i.test(reader.left);
  if (
    MAKES.test(reader.left.slice(0, 30)) &&
    reader.has(ALERT) &&
    takeComparison(reader.fork()) === undefined &&
    !reader.has(WHEN)
  )
    throw new AskBack("When should the alert tell you?", ["when daily orders drop below 50"]);
  const isNew = MAKES.test(reader.left.slice(0, 30)) && takeComparison(reader.fork()) !== undefined;
  if (!isHead && !(reader.has(TELL) && (reader.has(WHEN) || (reader.has(ALERT) && isNew)))) return undefined;
  const name = takeName(reader) ?? (reader.has(ALERT) ? takeQuoted(reader) : undefined);
  const addresses = takeRecipients(reader, me);
  const condition = takeCondition(reader);
  takeRecipients(reader, me);
  const isMine = words(
    "(?:i|ich)(?: \\p{L}+){1,3}(?: (?:alerted|notified|informed|told|warned|benachrichtigt|gewarnt|informiert))",
  ).test(reader.text);
  const own = addresses.length > 0 ? addresses : isMine ? [me] : [];
  const recipients = own.join(", ");
  if (recipients === "") assumptions.push("Nobody is told by mail: no recipients were named.");
  const told = recipients === "" ? "" : ` ${recipients}`;
  const frequency = takeFrequency(reader);
  const isLive = reader.take(LIVE) !== null;
  reader.takeAll(TELL);
  reader.takeAll(FIRES);
  reader.takeAll(MAKES);
  const shared = {
    ...(recipients !== "" && { recipients }),
    ...(frequency !== undefined && { frequency }),
    ...(isLive && { realtime: true }),
  };
  const watched = await staleIn(condition, clause);
  if (watched !== undefined) {
    const { dataset, type, says } = watched;
    const args = { dataset_id: dataset.id, name: name ?? `${dataset.name} ${says}`, type, ...shared };
    return oneStep("create_alert", args, `Tell${told} when ${dataset.name} ${says}`);
  }
  const { dataset, c9ql, says } = await bestCondition(condition, inventory, assumptions, frequency);
  return oneStep(
    "create_alert",
    { dataset_id: dataset.id, name: name ?? condition.slice(0, 100), condition: c9ql, ...shared },
    `Tell${told} when ${says}`,
  );
}

/** Of "if revenue > 100k, mail to ann@example.com, check every hour" the part that says when. */
function takeCondition(reader: Reader): string {
  const { left } = reader;
  const colon = left.indexOf(":");
  const from = WHEN.exec(left) ?? (colon === -1 ? FOR.exec(left) : null);
  const start = from === null ? colon + 1 : from.index;
  const told = left.slice(start);
  // It ends at a comma, or where something else was taken or begins.
  const end =
    /[·;]|,\s+(?![^,]*[<>]|[^,]*\d)|\s+(?:and|und)\s+(?:check|look|tell|notify|mail|send|prüf\p{L}*|schick\p{L}*|schau\p{L}*)(?!\p{L})|[.!?]+\s*$/iu.exec(
      told.slice(from?.[0].length ?? 0),
    );
  const first = from?.[0].length ?? 0;
  const condition = told.slice(first, end === null ? undefined : first + end.index);
  // "When revenue drops below 5, tell me": what comes behind it is not part of it.
  reader.drop(start, start + first + condition.length);
  return condition.trim();
}

function takeFrequency(reader: Reader): string | undefined {
  const found = FREQUENCIES.find(([pattern]) => reader.take(pattern) !== null)?.[1];
  if (found !== "weeks") return found;
  throw new AskBack("How often should it be checked?", [
    "every minute",
    "every hour",
    "every day",
    "every month",
  ]);
}

const STALE = words(
  "(?:has |have |was |were |is |are )*(?:not|n't|nicht)(?: been| mehr)*(?: \\p{L}+)? (?:updated|refreshed|aktualisiert|erneuert)(?: (?:wurden?|werden|worden))?|hasn't been (?:updated|refreshed)|isn't (?:being )?(?:updated|refreshed)|no (?:new|fresh) (?:data|rows)|keine neuen daten(?: mehr)?|stale|out of date|veraltet|stops? (?:being updated|updating|coming(?: in)?|arriving|refreshing)|(?:it |they )?stops?|no longer (?:comes?(?: in)?|arrives?|updated)|ausbleib~",
);
const FAILS = words(
  "(?:query|abfrage|refresh|import|load|update)(?: of)?(?: \\p{L}+)? (?:fails?|breaks|errors?|fehlschlägt|scheitert)|(?:fails?|has an error) to (?:load|refresh|update)",
);

const NOISE = anyOf("data it new", "coming|in|still|feed|kommen|comes?|any ?more|mehr|noch");

/** Data that no longer come in, or a query that fails. */
async function staleIn(condition: string, { reader, inventory }: Clause) {
  const isFailing = FAILS.test(condition);
  if (!isFailing && !STALE.test(condition)) return undefined;
  const datasets = await inventory.datasets();
  const said = new Reader(condition);
  said.take(isFailing ? FAILS : STALE);
  const dataset = takeDataset(said, datasets) ?? takeDataset(reader, datasets);
  if (dataset === undefined) throw new AskBack("Which dataset should be watched?", datasets);
  said.takeAll(NOISE);
  reader.takeAll(NOISE);
  const left = said.words();
  if (left.length > 0) throw new AskBack(`What do you mean by “${left.join(" ")}”?`);
  return isFailing
    ? { dataset, type: "query_error", says: "could not be loaded" }
    : { dataset, type: "data_not_updated", says: "was not updated" };
}

const ALERT = anyOf("alert");
const ABOUT = words("(?:about|on|for|über|zu|für|bei) (\\p{Lu}\\p{L}+)");
const TEST = words("test~|try(?: out)?|probier~|trial run");
const PAUSE = anyOf("pause", "(?:schalt~|stell~|mach~)(?=.*\\b(?:aus|ab|stumm))");
const RESUME = anyOf(
  "resume",
  "(?:turn|switch)(?=.* (?:back )?on\\b)|(?:schalt~|mach~)(?=.*\\b(?:ein|an)\\b)",
);
const REST_OF_VERB = words(
  "(?:back )?on|off|wieder|an|aus|ab|ein|stumm|for now|vorerst|erst ?mal|temporarily|vorübergehend|again|nochmal",
);
const CHANGE = anyOf(
  "change send only",
  "rename|benenn~|umbenenn~|raise|lower|increase|decrease|reduce|bump|check(?:ed)?|erhöh~|senk~|pass~ an|prüf~|look|should|noch|erst|mail|e-?mail|notify|gehen|geht|goes?|fires?|anschlag~|anschlägt|auslös~|greif~|trigger|go off|warn~|tell|i want|i'd like|use",
);
const MORE = anyOf("also", "add|recipients?|empfänger~|verteiler");
const LIMIT = words(
  "thresholds?|limits?|schwell(?:e|en|wert)|grenz(?:e|wert)|condition|bedingung|value|wert",
);
const TO = new RegExp(
  `(?<!\\p{L})(?:to|auf|at|bei|of|from\\s+[\\d.,k]+\\s+to|von\\s+[\\d.,]+\\s+auf)\\s+(?:€|\\$)?\\s*${NUMBER}\\s*(?:€|euros?|eur|%)?`,
  "iu",
);
const INSTEAD = words(
  "(?:instead of|rather than|statt|anstatt)(?: (?:in )?(?:live|real[- ]?time|echtzeit|hourly|daily|every (?:hour|day)|stündlich~|täglich~))?|instead",
);

export async function planAlertChange(clause: Clause): Promise<PlannedStep[] | undefined> {
  const { reader, inventory } = clause;
  const alerts = await inventory.alerts();
  const spoken = clause.before.at(-1)?.args.alert_id;
  const isIt = typeof spoken === "number" && reader.has(anyOf("it"));
  if (!reader.has(ALERT) && !reader.named("alert") && !isIt) return undefined;
  const verbs = [TEST, PAUSE, RESUME, CHANGE];
  if (!verbs.some((verb) => reader.has(verb)) && takeMails(reader.fork()).length === 0) return undefined;
  const namedId = reader.takeNamed("alert");
  const named = alerts.find(({ id }) => id === namedId);
  const [isTest, isPaused, isResumed] = [TEST, PAUSE, RESUME].map((verb) => reader.take(verb) !== null);
  const instead = reader.take(INSTEAD)?.[0] ?? "";
  const said = takeDescribed(reader, ALERT);
  const about = said?.length === 0 ? (reader.take(ABOUT)?.slice(1) ?? []) : [];
  const alert =
    named ??
    alerts.find(({ id }) => isIt && id === spoken) ??
    fitAsset([...(said ?? []), ...about] as string[], alerts, "alert");
  const called = takeName(reader) ?? takeNewName(reader);
  if (isPaused || isResumed) reader.takeAll(REST_OF_VERB);
  const step = (tool: string, args: object, says: string): PlannedStep => ({
    tool,
    args: { alert_id: alert.id, ...args },
    says: `${says} the alert “${alert.name}”`,
  });
  if (isTest) reader.takeAll(words("run|once|now|jetzt|einmal|mal|please|aus"));
  if (isTest) return [step("test_alert", {}, "Test")];
  const frequency = takeFrequency(reader);
  const isMore = reader.takeAll(MORE).length > 0;
  const mails = takeMails(reader);
  const isLive = reader.take(LIVE) !== null ? true : LIVE.test(instead) ? false : undefined;
  const threshold = takeThreshold(reader);
  reader.takeAll(CHANGE);
  reader.takeAll(LIMIT);
  const paused = isPaused ? true : isResumed ? false : undefined;
  const args = {
    ...(paused !== undefined && { paused }),
    ...(called !== undefined && { name: called }),
    ...(frequency !== undefined && { frequency }),
    ...(isLive !== undefined && { realtime: isLive }),
    ...(mails.length > 0 && { recipients: recipientsOf(alert, mails, isMore, instead) }),
    ...(threshold !== undefined && { condition: conditionOf(alert, threshold) }),
  };
  if (Object.keys(args).length === 0)
    throw new AskBack(`What should become of the alert “${alert.name}”? Now it fires when ${alert.about}.`, [
      "pause it",
      "another threshold",
      "check it every hour",
    ]);
  return [step("update_alert", args, paused === true ? "Pause" : paused === false ? "Resume" : "Change")];
}

/** Beside those who are told already, or in their place; it has to be said which. */
function recipientsOf(
  { name, recipients }: AlertInfo,
  mails: readonly string[],
  isMore: boolean,
  instead: string,
): string {
  if (!isMore && instead === "" && recipients.length > 0)
    throw new AskBack(
      `Should ${mails.join(", ")} be told of the alert “${name}” too, or in the place of the others?`,
    );
  return [...(isMore ? recipients : []), ...mails].join(", ");
}

function takeThreshold(reader: Reader): { sign?: string; value: number } | undefined {
  const compared = takeComparison(reader);
  if (compared !== undefined) return { sign: compared.comparison, value: compared.value };
  const to = reader.take(TO);
  return to === null ? undefined : { value: numberOf(to[1] as string, to[2]) };
}

/** The condition with another number at its end, where there is one; otherwise it is asked for. */
function conditionOf(
  { name, about, c9ql }: AlertInfo,
  { sign, value }: { sign?: string; value: number },
): string {
  const end = /([<>]=?)\s*-?[\d.]+\s*$/.exec(c9ql ?? "");
  if (end === null || c9ql === null || (sign !== undefined && sign[0] !== end[1]?.[0]))
    throw new AskBack(`Which condition should the alert “${name}” have? Now it fires when ${about}.`);
  return `${c9ql.slice(0, end.index)}${end[1]} ${value}`;
}
