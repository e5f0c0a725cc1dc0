import { planAlert, planAlertChange } from "./alert-plans.ts";
import { placeIn, planDashboard, planPlace, planWidget } from "./board-plans.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import { type Clause, widgetIn } from "./references.ts";
import { planExport, planRename, planReport, targetOf } from "./sharing-plans.ts";
import { planChart, planFilter } from "./widget-plans.ts";
import { ADD, BOARD, CHART_WORDS, FREQUENCIES, MAIL, WIDGET } from "./words.ts";

/** One sort of thing that can be asked for: when a clause is about it, and which calls it comes to. */
interface Intent {
  name: string;
  tools: readonly string[];
  isMeant(clause: Clause): boolean;
  plan(clause: Clause): Promise<PlannedStep[]>;
}

const MAKE =
  /\b(?:create|make|build|set up|need|want|generate|design|new|erstell\w*|bau\w*|leg\w*|mach\w*|neues?|brauche)\b/i;
const CHANGE = /\b(?:change|turn|convert|switch|make|änder\w*|wandle\w*|verwandle\w*|mach\w*|stell\w*)\b/i;

const ADDS = /\b(?:add|füg\w*|new|neue\w*|create|plot)\b|\bmake (?:me )?(?:a|an)\b/i;

const hasChart = (text: string) => CHART_WORDS.some(([pattern]) => pattern.test(text));

/** In this order: the first that is meant is taken. */
export const INTENTS: readonly Intent[] = [
  {
    name: "make an alert",
    tools: ["create_alert"],
    isMeant: ({ text }) =>
      /\b(?:alerts?|notify|warn|let (?:me|us) know|tell (?:me|us)|inform|benachrichtig\w*|warn\w*|informier\w*|melde\w*|bescheid)\b/i.test(
        text,
      ) && /\b(?:when(?:ever)?|if|once|as soon as|wenn|sobald|falls)\b/i.test(text),
    plan: planAlert,
  },
  {
    name: "change or test an alert",
    tools: ["update_alert", "test_alert"],
    isMeant: ({ text }) =>
      /\balerts?\b|\balarm\w*/i.test(text) &&
      /\b(?:pause|mute|resume|unmute|reactivate|activate|test|try|pausier\w*|aktivier\w*|teste?|rename)\b/i.test(
        text,
      ),
    plan: planAlertChange,
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
      /\b(?:export\w*|download\w*|herunterlad\w*)\b|\b(?:as|als) (?:an? )?(?:pdf|png|csv|excel|image|bild)/i.test(
        text,
      ),
    plan: planExport,
  },
  {
    name: "share by a link",
    tools: ["get_embed_url"],
    isMeant: ({ text }) => /\b(?:embed\w*|share|einbett\w*|teile\w*)\b|\blink\b/i.test(text),
    async plan(clause) {
      const target = await targetOf(clause);
      return [{ tool: "get_embed_url", args: target.args, says: `Make a link that shows ${target.name}` }];
    },
  },
  {
    name: "list dashboards",
    tools: ["list_dashboards"],
    isMeant: ({ text }) => /\b(?:which|what|list|welche)\b.*\bdashboards\b/i.test(text),
    plan: async () => [{ tool: "list_dashboards", args: {}, says: "List the dashboards" }],
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
    name: "change a chart",
    tools: ["update_widget"],
    isMeant: ({ text, widgetId }) =>
      CHANGE.test(text) &&
      !ADDS.test(text) &&
      (widgetId !== undefined ||
        /\b(?:change|turn|convert|switch|änder\w*|wandle\w*|verwandle\w*|swap|tausch\w*)\b|\bmake (?:it|this|the)\b/i.test(
          text,
        )),
    plan: planChart,
  },
  {
    name: "filter or group a chart",
    tools: ["update_widget"],
    isMeant: ({ text, widgetId }) =>
      /\b(?:only show|show only|filter\w*|nur|restrict|limit)\b/i.test(text) ||
      (/\b(?:group|split|break)\w*\b.*\bby\b|\bgruppier\w*\b/i.test(text) &&
        (widgetId !== undefined || WIDGET.test(text))),
    plan: planFilter,
  },
  {
    name: "add a chart",
    tools: ["create_widget"],
    isMeant: ({ text }) =>
      /^\s*(?:please |bitte )?(?:add|put|include|füg\w*)\b/i.test(text) ||
      (ADD.test(text) && (WIDGET.test(text) || hasChart(text) || /\bdashboard\b/i.test(text))),
    plan: planWidget,
  },
  {
    name: "change something",
    tools: [],
    isMeant: ({ text }) => /\b(?:change|swap|adjust|update|modify|ändere?|anpassen)\b/i.test(text),
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
    isMeant: ({ text }) => /^\s*(?:please )?(?:find|search|look for|suche?|finde?)\b/i.test(text),
    async plan({ text }) {
      const query = text
        .replace(
          /^\s*(?:please )?(?:find|search|look for|suche?|finde?)\b(?: (?:me|everything|all|anything|alles|mir|nach|for|about|über|zu|zum thema))*/i,
          "",
        )
        .trim();
      return [{ tool: "search", args: { query: query || text }, says: `Search for “${query}”` }];
    },
  },
  {
    name: "ask",
    tools: ["ask_data"],
    isMeant: ({ text }) =>
      /\?\s*$|^\s*(?:what|how|which|who|when|where|why|is|are|did|was|were|wie|was|welche\w*|wer|wann|wo|warum|zeig\w*|show|tell|give|gib)\b/i.test(
        text,
      ),
    plan: async ({ text }) => [
      { tool: "ask_data", args: { question: text.trim() }, says: "Answer the question from the data" },
    ],
  },
];
