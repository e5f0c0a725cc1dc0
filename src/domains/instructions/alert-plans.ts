import { bestFit, dateOf, type Filter, isNumeric, saidIn, usualOf } from "./fitting.ts";
import { anyOf } from "./lexicon.ts";
import { AskBack, oneStep, type PlannedStep } from "./plan.ts";
import { Reader, words } from "./reader.ts";
import {
  type AlertInfo,
  type Clause,
  type Column,
  type DatasetInfo,
  fitAsset,
  type Inventory,
  takeDataset,
  takeDescribed,
} from "./references.ts";
import { FREQUENCIES } from "./report-plans.ts";
import { takeNewName } from "./widget-plans.ts";
import {
  AGGREGATES,
  type Compared,
  formsOf,
  GRAINS,
  keyOf,
  NUMBER,
  numberOf,
  type Period,
  takeComparison,
  takeMails,
  takeName,
  takePeriod,
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
    ...(threshold !== undefined && { condition: changedCondition(alert, threshold) }),
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
function changedCondition(
  { name, about, c9ql }: AlertInfo,
  { sign, value }: { sign?: string; value: number },
): string {
  const end = /([<>]=?)\s*-?[\d.]+\s*$/.exec(c9ql ?? "");
  if (end === null || c9ql === null || (sign !== undefined && sign[0] !== end[1]?.[0]))
    throw new AskBack(`Which condition should the alert “${name}” have? Now it fires when ${about}.`);
  return `${c9ql.slice(0, end.index)}${end[1]} ${value}`;
}

/** Words of movement, which the comparison has in it already. */
const BESIDE_NUMBERS = words(
  "rutsch~|kletter~|stürz~|absack~|slips?|dips?|plunges?|any|irgende[ein]~|waits?|takes?|comes?|come|coming|arrives?|arrive|eingeh~|eintreff~|reinkomm~|rein|herein~|kommt|kommen|wartet|dauert|single|einzeln~|drops?|falls?|fall|rises?|sinks?|goes|go|climbs?|gets?|get|dips?|fällt|fallen|sinkt|sinken|steigt|steigen|liegt|liegen|gibt|beträgt|bleibt|geht|gehen|ever|jemals|mal|value|wert|level|it|there|less|than|als|only|nur|noch|just|more|mehr|wir|we|back|a drop in|a rise in|customers?' ",
);
const CHANGES = words(
  "by|um|compared|against|over week|week over week|month over month|than (?:last|the)|gegenüber|im vergleich|vergleich|as usual|than usual|als sonst|als üblich",
);

/** "daily orders drop below 10" as C9QL whose rows are there when it is so. */
async function bestCondition(
  text: string,
  inventory: Inventory,
  assumptions: string[],
  checked?: string,
): Promise<{ dataset: DatasetInfo; c9ql: string; says: string }> {
  const reader = new Reader(text);
  const isRelative = /\d\s*(?:%|percent|prozent)/i.test(text) && CHANGES.test(text);
  // What is looked at once a month is what the month came to.
  const grain = reader.oneOf(GRAINS) ?? (checked === "months" ? "month" : undefined);
  const compared = takeComparison(reader);
  const stretch = takePeriod(reader);
  if (compared === undefined && !isRelative)
    throw new AskBack(`When exactly? “${text}” names no number to compare with.`, [
      "… drop below 50",
      "… is more than 100",
    ]);
  if (compared === undefined || isRelative)
    throw new AskBack(
      "Changes against an earlier time cannot be watched yet. Below or above which number should it tell you?",
      ["… drop below 50000 a week"],
    );
  const aggregated = reader.oneOf(AGGREGATES);
  reader.takeAll(BESIDE_NUMBERS);
  const rest = reader.rest();
  const { fit, filters } = await bestFit(saidIn(rest), inventory, rest);
  const { dataset, measures } = fit;
  const date = dateOf(dataset);
  if (isOfOneRow(text, dataset))
    return rowCondition({ dataset, measures, filters, date }, compared, assumptions);
  const [column, ...more] = [...measures, ...(fit.against === undefined ? [] : [fit.against])];
  const [by, ...others] = fit.group === undefined ? fit.dims : [fit.group, ...fit.dims];
  const lost = [...more, ...others].map(({ name }) => name);
  if (lost.length > 0) throw new AskBack(`One number is watched at a time. What about ${lost.join(", ")}?`);
  const aggregate =
    column === undefined ? "count" : (aggregated ?? fit.aggregate ?? (isRate(column.name) ? "avg" : "sum"));
  const period = stretch ?? periodFor(aggregate, grain);
  if (date === undefined && (stretch ?? grain) !== undefined)
    throw new AskBack(`${dataset.name} has no dates. Which rows should be looked at?`);
  const conditions = filters.map(conditionOf);
  if (date !== undefined && period !== undefined) {
    conditions.push(`${quoted(date.name)} >= ${period.from}`);
    if (period.to !== undefined) conditions.push(`${quoted(date.name)} < ${period.to}`);
  }
  if (date !== undefined && (stretch ?? grain) === undefined)
    assumptions.push(
      period === undefined ? "It is looked at over all rows." : `It is looked at ${period.said}.`,
    );
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  const group = by === undefined ? ["", ""] : [`${quoted(by.name)}, `, ` group by ${quoted(by.name)}`];
  const { comparison, value } = compared;
  const number = `${aggregate}(${column === undefined ? "*" : quoted(column.name)}) as value`;
  const parts = [
    aggregate === "count" ? `the number of rows of ${dataset.name}` : `${aggregate} of ${column?.name}`,
    ...(by === undefined ? [] : [`of one ${by.name}`]),
    ...filters.map((each) => `, ${each.operator === "!=" ? "not " : ""}${[each.value].flat().join(", ")}`),
    ...(date === undefined || period === undefined ? [] : [period.said.trim()]),
  ];
  return {
    dataset,
    c9ql: `select ${group[0]}${number}${where}${group[1]}; select * where value ${comparison} ${value}`,
    says: `${parts.join(" ").replaceAll(" ,", ",")} is ${comparison} ${value}`,
  };
}

/** "a ticket", "any order", "ein Ticket": one row is meant, not what they come to together. */
function isOfOneRow(text: string, { name }: DatasetInfo): boolean {
  const noun =
    /\b(?:a|an|any|one|ein|eine[rsnm]?|jede[rsnm]?)\s+(?:single |new |neue[rsnm]? |einzelne[rsnm]? )?([\p{L}]+)/iu.exec(
      text,
    )?.[1];
  return noun !== undefined && formsOf(noun).some((form) => ` ${keyOf(name)}`.endsWith(` ${form}`));
}

/** Rows of late, each by itself. */
function rowCondition(
  {
    dataset,
    measures,
    filters,
    date,
  }: { dataset: DatasetInfo; measures: Column[]; filters: Filter[]; date: Column | undefined },
  { comparison, value }: Compared,
  assumptions: string[],
): { dataset: DatasetInfo; c9ql: string; says: string } {
  const column = measures[0] ?? usualOf(dataset);
  if (column === undefined)
    throw new AskBack(`Which number of ${dataset.name} do you mean?`, dataset.columns.filter(isNumeric));
  if (measures.length === 0) assumptions.push(`It is about ${column.name}.`);
  if (date !== undefined) assumptions.push("It looks at rows of today and yesterday.");
  const conditions = [
    `${quoted(column.name)} ${comparison} ${value}`,
    ...filters.map(conditionOf),
    ...(date === undefined ? [] : [`${quoted(date.name)} >= $c9_yesterday`]),
  ];
  return {
    dataset,
    c9ql: `select * where ${conditions.join(" and ")}`,
    says: `a row of ${dataset.name} has ${column.name} ${comparison} ${value}`,
  };
}

/** A sum is of the last day that is over, an average of all rows, unless it is said otherwise. */
function periodFor(aggregate: string, grain: string | undefined): Period | undefined {
  if (grain === undefined && /^(?:avg|min|max|median)$/.test(aggregate)) return undefined;
  if (grain === undefined || grain === "day")
    return { said: "over the last full day", from: "$c9_yesterday", to: "$c9_today" };
  return { said: `over the last full ${grain}`, from: `$c9_last${grain}`, to: `$c9_this${grain}` };
}

function isRate(name: string): boolean {
  return /rate|ratio|share|percent|price|score|satisfaction|average|avg|hours/i.test(name);
}

export function conditionOf({ field, operator, value }: Filter): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return Array.isArray(value)
    ? `${quoted(field)} in (${value.map(literal).join(", ")})`
    : `${quoted(field)} ${operator} ${literal(value)}`;
}

export function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
