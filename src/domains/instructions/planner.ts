import { checkDestructive, checkInstruction } from "../../kernel/prompt-injection.ts";
import { clip } from "../../kernel/text.ts";
import { planAlert, planAlertChange } from "./alert-plans.ts";
import { planFind, planList, planQuestion } from "./asking-plans.ts";
import { planBoardFilter, planDashboard, planWidget } from "./board-plans.ts";
import { LIMITS } from "./limits.ts";
import { AskBack, type OpenQuestion, type Plan, type PlannedStep } from "./plan.ts";
import { Reader, words, wordsIn } from "./reader.ts";
import { type Clause, type Inventory, markNames } from "./references.ts";
import { planReport, planReportChange } from "./report-plans.ts";
import {
  planBoardSettings,
  planClear,
  planExport,
  planInsights,
  planLink,
  planPlace,
  planRename,
} from "./sharing-plans.ts";
import { planChange } from "./widget-plans.ts";

export interface Instruction {
  text: string;
  dashboardId: number | undefined;
  widgetId: number | undefined;
  /** The mail address of whoever gives it. */
  me: string;
}

const CLEARS_FILTERS =
  /\b(?:remove|entfern\w*)\s+(?:(?:the|all|any|die|alle|den|sämtliche) )*filters?(?![\p{L}-])/iu;

/** Refuses what must not even be planned: too long, signs of prompt injection, or something to destroy. */
export function checkAll(text: string, deleteTool: string): void {
  checkInstruction(text);
  // Filters are settings, which can be had back: what is left of the text counts.
  checkDestructive(text.replace(CLEARS_FILTERS, " "), { deleteTool });
}

/** What an instruction comes to, by rules. Nothing is changed; assets and fields are looked up as its giver sees them. */
export async function planByRules({ text, ...about }: Instruction, inventory: Inventory): Promise<Plan> {
  const plan: Plan = { steps: [], assumptions: [], questions: [] };
  const tries = { left: LIMITS.instructions.readings };
  // A step that takes an address is made by none, and words of one (`….csv`) say nothing of what is wanted.
  if (text.search(ADDRESS) >= 0)
    return { ...plan, questions: [isAddress(text).open], unread: text.replaceAll(ADDRESS, " ") };
  for (const clause of clausesOf(text).slice(0, LIMITS.instructions.steps + 1)) {
    const read = await planClause(clause, { ...about, inventory, tries }, plan.steps);
    plan.steps.push(...read.steps);
    plan.assumptions.push(...read.assumptions);
    plan.questions.push(...read.questions);
    if (read.unread !== undefined) plan.unread = `${plan.unread ?? ""} ${read.unread}`;
  }
  return plan;
}

type About = Omit<Instruction, "text"> & {
  inventory: Inventory;
  /** How often more it may be read another way: a long list of anything has very many. */
  tries: { left: number };
};
type Attempt = Plan & { left: number };

/** As one, or else as two: "pause the alert and send the report". */
async function planClause(
  text: string,
  about: About,
  before: readonly PlannedStep[],
  isPart = false,
): Promise<Plan> {
  const whole = await attempt(text, about, before, isPart);
  if (whole.questions.length === 0) return whole;
  for (const { index, 0: joint } of text.matchAll(JOINTS)) {
    about.tries.left -= 1;
    if (about.tries.left < 0) break;
    const first = await attempt(text.slice(0, index), about, before, true);
    if (first.questions.length > 0) continue;
    const rest = text.slice(index + joint.length);
    const done = [...before, ...first.steps];
    let second = await planClause(rest, about, done, true);
    // "Pause the report and the alert": the verb is said once.
    if (second.questions.length > 0 && /^(?:the|den|die|das)\s/i.test(rest))
      second = await attempt(`${wordsIn(text)[0]} ${rest}`, about, done, true);
    if (second.questions.length > 0) continue;
    // "Export A and B as CSV": what is said behind B may be meant of A too.
    const isSame = first.steps.at(-1)?.tool === second.steps[0]?.tool;
    if (NOUN_FIRST.test(rest) && !isSame && first.steps.length > 0 && !isPaused(first, second)) continue;
    return {
      steps: [...first.steps, ...second.steps],
      assumptions: [...first.assumptions, ...second.assumptions],
      questions: [],
    };
  }
  return whole;
}

/** The first intent that accounts for every word; without one, the question of the one that is nearest. */
async function attempt(
  text: string,
  about: About,
  before: readonly PlannedStep[],
  isPart = false,
): Promise<Plan> {
  const read = await attemptWith(await readerOf(text, about.inventory), about, before, isPart);
  // "What stands out on the dashboard?" is no chart, although one is called that.
  if (read.questions.length === 0) return read;
  const exact = new Reader(text);
  await markNames(exact, about.inventory, true);
  const plain = await attemptWith(exact, about, before, isPart);
  return plain.questions.length === 0 && !plain.steps.some(({ tool }) => tool === "ask_data") ? plain : read;
}

async function attemptWith(
  base: Reader,
  about: About,
  before: readonly PlannedStep[],
  isPart: boolean,
): Promise<Plan> {
  base.takeAll(MANNERS);
  const failed: Attempt[] = [];
  for (const intent of INTENTS) {
    const reader = base.fork();
    const assumptions: string[] = [];
    const fail = (open: OpenQuestion, left: number, unread?: string) =>
      failed.push({
        steps: [],
        assumptions: [],
        questions: [open],
        left,
        ...(unread !== undefined && { unread }),
      });
    try {
      const steps = await intent.plan({
        ...about,
        reader,
        assumptions,
        before,
        isElse: isPart || failed.length > 0,
      });
      if (steps === undefined) continue;
      const left = reader.words();
      if (left.length === 0) return { steps, assumptions, questions: [] };
      fail(
        new AskBack(`What do you mean by “${left.join(" ")}”? I would ${says(steps)}.`).open,
        left.length,
        left.join(" "),
      );
    } catch (error) {
      if (!(error instanceof AskBack)) throw error;
      fail(error.open, reader.words().length + error.lost + 0.5);
    }
  }
  const [nearest] = failed.toSorted((a, b) => a.left - b.left);
  return (
    nearest ?? { steps: [], assumptions: [], questions: [notUnderstood(base.text).open], unread: base.text }
  );
}

/** The names of things set apart, and German compounds in two: "Montagsbericht" is a report of Monday. */
async function readerOf(text: string, inventory: Inventory): Promise<Reader> {
  const first = new Reader(text);
  await markNames(first, inventory);
  const parted = first.left.replaceAll(COMPOUND, "$1 $2");
  if (parted === first.left) return first;
  // The marks are as long as what they stand for: the text is put together again around them.
  let at = 0;
  const names = [...first.left.matchAll(/·+/g)].map(({ index, 0: mark }) =>
    text.slice(index, index + mark.length),
  );
  const second = new Reader(parted.replaceAll(/·+/g, () => names[at++] ?? ""));
  await markNames(second, inventory);
  return second;
}

const COMPOUND =
  /(?<!\p{L})(?!linien|kreis|balken|säulen|torten|flächen|ring|streu|trichter|kachel|punkt|kuchen|kurven)(\p{L}{3,}?)-?(bericht(?:e[sn]?|s)?|alarm(?:e[sn]?|s)?|diagramm(?:e[ns]?|s)?|dashboards?|verlauf|entwicklung|daten)(?!\p{L})/giu;

function says(steps: readonly PlannedStep[]): string {
  const text = steps.map((step) => step.says).join("; ");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Ways to ask, which say nothing of what is asked. */
const MANNERS = words(
  "please|pls|plz|bitte|kindly|thanks|thank you|danke|hey|hi|hello|hallo|can you|could you|would you|will you|i want you to|i'd like you to|i would like you to|kannst du|könntest du|könnten sie|können sie|würdest du|go ahead and|for me|für mich(?! sichtbar)|let's|noch mal kurz|mal|quickly|kurz|schnell",
);

/** "Show revenue per month and put it on the dashboard" is one thing. */
const PUTS_IT = words(
  "(?:and|und)(?: then| dann)? (?:put|add|place|pin|pack~|leg~|setz~|häng~|stell~|füg~) (?:it|that|this|das|es|sie|ihn|dies)(?= (?:on|to|onto|in|into|auf|zu|zum|an)(?!\\p{L}))",
);
/** "und gib mir danach einen Link": what is done next, with its verb first. */
const AFTER =
  /,?\s+(?:and|und)\s+(\p{L}+(?:\s+(?:mir|uns|me|us|it|es|das))?)\s+(?:danach|dann|anschließend|afterwards|then)(?!\p{L})/giu;
const THEN =
  /[,;.]?\s+(?:and\s+then|and\s+afterwards|then|afterwards|und\s+dann|dann|danach|und\s+danach|anschließend|und\s+anschließend)\s+(?!drop|sink)|;\s+/giu;
const SENTENCE = /(?<=[\p{L}\p{N}”"“)])[.!]\s+(?=\p{Lu})/gu;
const NOUN_FIRST = /^(?:["“„»«'‘]|(?:the|den|die|das|dem)\s)/iu;
/** A report and an alert are paused by different tools. */
const isPaused = (...plans: Plan[]) =>
  plans.every(({ steps }) => steps.every(({ args }) => typeof args.paused === "boolean"));
const JOINTS = /\s*[,;]?\s+(?:and|und)\s+(?:also\s+|auch\s+|danach\s+|then\s+|dann\s+)?|\s*,\s+/giu;

function clausesOf(text: string): string[] {
  const ordered = text.replace(PUTS_IT, " ").replace(AFTER, "; $1 ");
  const clauses = ordered.split(SENTENCE).flatMap((sentence) => sentence.split(THEN));
  return clauses.map((clause) => clause.trim()).filter((clause) => clause !== "");
}

const ADDRESS = /(?<![\p{L}\p{N}])[a-z][a-z0-9+.-]*:\/\/[^\s<>"“”„]+/giu;

function isAddress(text: string): AskBack {
  const [address = ""] = text.match(ADDRESS) ?? [];
  return new AskBack(`What should be done with “${clip(address, 100)}”? I make no plans with addresses.`);
}

function notUnderstood(clause: string): AskBack {
  const known = INTENTS.map(({ name }) => name);
  return new AskBack(
    `What should be done? “${clause.slice(0, 200)}” was not understood. I can ${known.join(", ")}.`,
    ["Create a dashboard with revenue per month", "Alert me when daily orders drop below 50"],
  );
}

/** One sort of thing that can be asked for: which calls a clause comes to, or nothing where it is not about that. */
interface Intent {
  name: string;
  tools: readonly string[];
  plan(clause: Clause): Promise<PlannedStep[] | undefined>;
}

/** The first that accounts for every word is taken. */
export const INTENTS: readonly Intent[] = [
  { name: "make an alert", tools: ["create_alert"], plan: planAlert },
  {
    name: "list what there is",
    tools: ["list_dashboards", "list_alerts", "list_reports", "list_datasets"],
    plan: planList,
  },
  { name: "change or test an alert", tools: ["update_alert", "test_alert"], plan: planAlertChange },
  { name: "change or send a report", tools: ["update_report", "run"], plan: planReportChange },
  { name: "send a dashboard or chart", tools: ["create_report"], plan: planReport },
  { name: "rename", tools: ["update_dashboard"], plan: planRename },
  { name: "export", tools: ["export_dashboard", "export_data"], plan: planExport },
  { name: "share by a link", tools: ["get_embed_url"], plan: planLink },
  { name: "say who sees a dashboard", tools: ["update_dashboard"], plan: planBoardSettings },
  { name: "place", tools: ["layout_dashboard"], plan: planPlace },
  { name: "say what stands out", tools: ["get_insights"], plan: planInsights },
  { name: "clear filters", tools: ["update_widget", "update_dashboard"], plan: planClear },
  { name: "make a dashboard", tools: ["create_dashboard"], plan: planDashboard },
  { name: "filter a dashboard", tools: ["update_dashboard"], plan: planBoardFilter },
  { name: "change a chart", tools: ["update_widget"], plan: planChange },
  { name: "add a chart", tools: ["create_widget"], plan: planWidget },
  { name: "find", tools: ["search_assets"], plan: planFind },
  { name: "ask data or documents", tools: ["ask_data", "ask_documents"], plan: planQuestion },
];
