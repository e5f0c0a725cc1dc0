import { isAlert, isAlertChange, planAlert, planAlertChange } from "./alert-plans.ts";
import { placeIn, planBoardFilter, planDashboard, planPlace, planWidget } from "./board-plans.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, widgetIn } from "./references.ts";
import { isReportChange, planReport, planReportChange } from "./report-plans.ts";
import { planExport, planRename, targetOf } from "./sharing-plans.ts";
import { isAdjusted, planAdjusted, planChart, planFilter } from "./widget-plans.ts";
import { ADD, BOARD, CHART_WORDS, FREQUENCIES, keyOf, MAIL, WIDGET } from "./words.ts";

/** One sort of thing that can be asked for: when a clause is about it, and which calls it comes to. */
interface Intent {
  name: string;
  tools: readonly string[];
  isMeant(clause: Clause): boolean;
  plan(clause: Clause): Promise<PlannedStep[]>;
}

const MAKE =
  /\b(?:create|make|build|set (?:\w+ )?up|need|want|generate|design|new|erstell\w*|bau\w*|leg\w*|mach\w*|neues?|brauche)\b/i;
const CHANGE =
  /\bshould be\b|\bsoll\w* .* (?:sein|werden)\b|\b(?:change|turn|convert|switch|make|wandle\w*|verwandle\w*|mach\w*|stell\w*)\b|(?<!\p{L})änder\w*/iu;

const ADDS = /\b(?:add|füg\w*|new|neue\w*|create|plot)\b|\bmake (?:me )?(?:a|an)\b/i;

const hasChart = (text: string) => CHART_WORDS.some(([pattern]) => pattern.test(text));

const QUESTION =
  /\?\s*$|^\s*(?:what|how|which|who|when|where|why|is|are|did|was|were|wie|was|welche\w*|wer|wann|wo|warum|zeig\w*|show|tell|give|gib)\b/i;
const FIND =
  /^\s*(?:please )?(?:find|search|look for|suche?|finde?|where (?:can|do) (?:i|we) (?:find|see)|wo finde (?:ich|wir)|which of (?:our|the|my) (?:charts?|widgets?|dashboards?) (?:use|show|have|are about))\b/i;
const LISTED =
  /\b(?:which|what|list|welche|any|are there|gibt es|do we have)\b(?! of).*\b(?:dashboards|alerts|alarme|reports|berichte)\b(?!.*\b(?:pdf|csv|now|jetzt)\b)/i;

const LIST =
  /^\s*(?:please |bitte )?(?:show|list\w*|zeig\w*|nenn\w*|give|gib)(?: (?:me|us|mir|uns|all|alle|of|the|die|our|my|unsere|meine))* (?:dashboards|alerts|alarme|reports|berichte)\b(?: auf| an)?\s*[.!?]*$/i;
const CLEARS =
  /\b(?:clear|reset|remove|entfern\w*|leer\w*|hebe?|setze?)\b.*\bfilters?\b|\bfilter\b.*\b(?:zurücksetzen|aufheben)\b/i;

/** The dashboards, alerts or reports; of alerts those on a dataset that is named. */
async function planList({ text, inventory }: Clause): Promise<PlannedStep[]> {
  if (/\breports|berichte/i.test(text)) return [{ tool: "list_reports", args: {}, says: "List the reports" }];
  if (!/\balerts|alarme/i.test(text))
    return [{ tool: "list_dashboards", args: {}, says: "List the dashboards" }];
  const about = /\b(?:for|on|of|für|auf|von)\b(.*)$/i.exec(text)?.[1] ?? "";
  const datasets = await inventory.datasets();
  const named = datasets.find(({ name }) => keyOf(about).includes(keyOf(name)));
  return [
    {
      tool: "list_alerts",
      args: named === undefined ? {} : { dataset_id: named.id },
      says: `List the alerts${named === undefined ? "" : ` on ${named.name}`}`,
    },
  ];
}

/** In this order: the first that is meant is taken. */
export const INTENTS: readonly Intent[] = [
  {
    name: "make an alert",
    tools: ["create_alert"],
    isMeant: ({ text }) => isAlert(text),
    plan: planAlert,
  },
  {
    name: "list what there is",
    tools: ["list_dashboards", "list_alerts", "list_reports"],
    isMeant: ({ text }) => LIST.test(text) || LISTED.test(text),
    plan: planList,
  },
  {
    name: "change or test an alert",
    tools: ["update_alert", "test_alert"],
    isMeant: ({ text }) => isAlertChange(text),
    plan: planAlertChange,
  },
  {
    name: "change or send a report",
    tools: ["update_report", "run"],
    isMeant: ({ text }) => isReportChange(text),
    plan: planReportChange,
  },
  {
    name: "send a report",
    tools: ["create_report"],
    isMeant: ({ text }) =>
      text.match(MAIL) !== null ||
      (/\b(?:send|mail|e-?mail|schick\w*|send\w*|report)\b/i.test(text) &&
        FREQUENCIES.some(([pattern]) => pattern.test(text))),
    plan: planReport,
  },
  {
    name: "rename",
    tools: ["update_dashboard", "update_widget"],
    isMeant: ({ text }) => /\brename\b|\bbenenn\w*|\bumbenenn\w*|\bnenn\w* .* um\b/i.test(text),
    plan: planRename,
  },
  {
    name: "export",
    tools: ["export_dashboard", "export_data"],
    isMeant: ({ text }) =>
      /\b(?:export\w*|download\w*|herunterlad\w*)\b|\b(?:as|als|an?|eine?n?) (?:an? )?(?:pdf|png|csv|excel|image|bild)\b/i.test(
        text,
      ),
    plan: planExport,
  },
  {
    name: "share by a link",
    tools: ["get_embed_url"],
    isMeant: ({ text }) => /\b(?:embed\w*|share|einbett\w*|bette|teile\w*)\b|\blink\b/i.test(text),
    async plan(clause) {
      const target = await targetOf(clause);
      return [{ tool: "get_embed_url", args: target.args, says: `Make a link that shows ${target.name}` }];
    },
  },
  {
    name: "place",
    tools: ["layout_dashboard"],
    isMeant: ({ text }) => placeIn(text) !== undefined,
    plan: planPlace,
  },
  {
    name: "what stands out",
    tools: ["get_insights"],
    isMeant: ({ text }) =>
      /\b(?:stands? out|insights?|anomal\w*|recommendations?|auffällig\w*|fällt auf|erkenntnisse)\b/i.test(
        text,
      ) &&
      (BOARD.test(text) || WIDGET.test(text)),
    async plan(clause) {
      const target = await targetOf(clause);
      return [{ tool: "get_insights", args: target.args, says: `Say what stands out in ${target.name}` }];
    },
  },
  {
    name: "make a dashboard",
    tools: ["create_dashboard"],
    isMeant: ({ text }) =>
      BOARD.test(text) &&
      (/\bnew dashboard\b|\bneues dashboard\b/i.test(text) ||
        (MAKE.test(text.slice(0, 40)) &&
          !/\b(?:to|on|onto|in|auf|zu|zum) (?:the |my |our |dem |das |das |this )?(?:[\p{L}]+[- ])?dashboard/iu.test(
            text,
          ))),
    plan: planDashboard,
  },
  {
    name: "clear filters",
    tools: ["update_widget", "update_dashboard"],
    isMeant: ({ text }) => CLEARS.test(text),
    async plan(clause) {
      const target = await targetOf(clause);
      const [tool, change] =
        "widget_id" in target.args
          ? ["update_widget", { options: { filters: [] } }]
          : ["update_dashboard", { filters: [] }];
      return [{ tool, args: { ...target.args, ...change }, says: `Clear the filters of ${target.name}` }];
    },
  },
  {
    name: "add a filter to a dashboard",
    tools: ["update_dashboard"],
    isMeant: ({ text }) =>
      /\badd (?:a |another )?filter\b|\bfilter\b.*\bhinzu\b/i.test(text) && BOARD.test(text),
    plan: planBoardFilter,
  },
  {
    name: "change periods, time or target of a chart",
    tools: ["update_widget"],
    isMeant: isAdjusted,
    plan: planAdjusted,
  },
  {
    name: "change a chart",
    tools: ["update_widget"],
    isMeant: ({ text, widgetId }) =>
      CHANGE.test(text) &&
      !ADDS.test(text) &&
      (widgetId !== undefined ||
        /\b(?:change|turn|convert|switch|wandle\w*|verwandle\w*|swap|tausch\w*|should be|soll\w*)\b|(?<!\p{L})änder\w*|\bmake (?:it|this|the)\b|\bmach\w* aus\b/iu.test(
          text,
        )),
    plan: planChart,
  },
  {
    name: "filter or group a chart",
    tools: ["update_widget"],
    isMeant: ({ text, widgetId }) =>
      /\b(?:only show|show only|filter\w*|nur|restrict|limit|exclude|leave out|ausblend\w*)\b/i.test(text) ||
      (/\b(?:group|split|break)\w*\b.*\bby\b|\bgruppier\w*\b/i.test(text) &&
        (widgetId !== undefined || WIDGET.test(text))),
    plan: planFilter,
  },
  {
    name: "add a chart",
    tools: ["create_widget"],
    isMeant: ({ text }) =>
      /^\s*(?:please |bitte )?(?:add|put|include|füg\w*)\b/i.test(text) ||
      (hasChart(text.split(":")[0] ?? "") && /^\s*[\p{L} ]{3,20}:/u.test(text)) ||
      (ADD.test(text) && (WIDGET.test(text) || hasChart(text) || /\bdashboard\b/i.test(text))),
    plan: planWidget,
  },
  {
    name: "change something",
    tools: [],
    isMeant: ({ text }) =>
      /\b(?:change|swap|adjust|update|modify|anpassen)\b|(?<!\p{L})ändere?(?!\p{L})/iu.test(text),
    async plan(clause) {
      const { name } = await widgetIn(clause);
      throw new AskBack(`What should become of “${name}”?`, [
        "another type of chart",
        "a filter",
        "another name",
      ]);
    },
  },
  {
    name: "find",
    tools: ["search"],
    isMeant: ({ text }) => FIND.test(text),
    async plan({ text }) {
      const query = text
        .replace(FIND, "")
        .replace(
          /^(?: (?:me|everything|all|anything|alles|mir|nach|for|about|on|the|über|zu|zum thema))*/i,
          "",
        )
        .replace(/[?.!]+\s*$/, "")
        .trim();
      return [{ tool: "search", args: { query: query || text }, says: `Search for “${query}”` }];
    },
  },
  {
    name: "ask documents",
    tools: ["ask_documents"],
    isMeant: ({ text }) =>
      /\b(?:polic(?:y|ies)|handbooks?|manuals?|guidelines?|documents?|contracts?|richtlinien?|handb[uü]ch\w*|dokument\w*|vertr[aä]g\w*)\b/i.test(
        text,
      ) && QUESTION.test(text),
    plan: async ({ text }) => [
      { tool: "ask_documents", args: { question: text.trim() }, says: "Answer the question from documents" },
    ],
  },
  {
    name: "ask",
    tools: ["ask_data"],
    isMeant: ({ text }) => QUESTION.test(text),
    plan: async ({ text }) => [
      { tool: "ask_data", args: { question: text.trim() }, says: "Answer the question from the data" },
    ],
  },
];
