import { checkDestructive, checkInstruction } from "../../kernel/instructions.ts";
import { INTENTS } from "./intents.ts";
import type { CallTool } from "./inventory.ts";
import { Inventory } from "./inventory.ts";
import { AskBack, type Plan } from "./plan.ts";

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
export async function planByRules({ text, ...about }: Instruction, call: CallTool): Promise<Plan> {
  const plan: Plan = { steps: [], assumptions: [], questions: [] };
  const inventory = new Inventory(call);
  for (const clause of clausesOf(text)) {
    const read = { ...about, text: clause, inventory, assumptions: plan.assumptions, before: plan.steps };
    const intent = INTENTS.find((each) => each.isMeant(read));
    try {
      if (intent === undefined) throw notUnderstood(clause);
      plan.steps.push(...(await intent.plan(read)));
    } catch (error) {
      if (!(error instanceof AskBack)) throw error;
      plan.questions.push(error.open);
    }
  }
  return plan;
}

function clausesOf(text: string): string[] {
  const clauses = text.split(/[,;.]?\s+(?:and then|then|und dann|dann|danach|anschließend|afterwards)\s+/i);
  return clauses.map((clause) => clause.trim()).filter((clause) => clause !== "");
}

function notUnderstood(clause: string): AskBack {
  const known = INTENTS.filter(({ tools }) => tools.length > 0).map(({ name }) => name);
  return new AskBack(
    `What should be done? “${clause.slice(0, 200)}” was not understood. I can ${known.join(", ")}.`,
    ["Create a dashboard with revenue per month", "Alert me when daily orders drop below 50"],
  );
}
