import { planAlert, planAlertChange } from "./alert-plans.ts";
import { planFind, planList, planQuestion } from "./asking-plans.ts";
import { planBoardFilter, planDashboard, planWidget } from "./board-plans.ts";
import { planPlace } from "./place-plans.ts";
import type { PlannedStep } from "./plan.ts";
import type { Clause } from "./references.ts";
import { planReport, planReportChange } from "./report-plans.ts";
import {
  planBoardSettings,
  planClear,
  planExport,
  planInsights,
  planLink,
  planRename,
} from "./sharing-plans.ts";
import { planChange } from "./widget-plans.ts";

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
  { name: "find", tools: ["search"], plan: planFind },
  { name: "ask data or documents", tools: ["ask_data", "ask_documents"], plan: planQuestion },
];
