import { t } from "../../words/words.ts";
import type { Answer } from "./answer.ts";

export interface Chip {
  label: string;
  /** The whole question without it; what cannot be taken out is changed by hand. */
  without: string | null;
}

const KEPT = /^(?:kept from the question before|aus der Frage davor übernommen): (.+)$/i;

/** What an answer took from before or assumed, one by one: what is taken out is asked for no more. */
export function chipsOf(
  question: string,
  { assumptions, lineage }: Answer,
): { chips: Chip[]; notes: string[] } {
  const kept = assumptions.flatMap((each) => KEPT.exec(each)?.[1]?.split(/,\s+/) ?? []);
  const fromBefore = kept.map((part): Chip => {
    const rest = kept.filter((each) => each !== part);
    return { label: part, without: [question, rest.join(", ")].filter(Boolean).join(": ") };
  });
  const filters = (lineage?.filters ?? []).flatMap(({ field, operator, value }): Chip[] => {
    if (typeof value !== "string" || !(operator === "=" || operator === "<>") || isDate(value)) return [];
    const said = `${field} ${operator === "=" ? "=" : "≠"} ${value}`;
    return kept.includes(value) ? [] : [{ label: said, without: withoutValue(question, value) }];
  });
  const notes = assumptions.filter((each) => !KEPT.test(each));
  return { chips: [...fromBefore, ...filters], notes };
}

function isDate(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}/.test(value);
}

/** Takes a value and the small word before it out of a question. */
function withoutValue(question: string, value: string): string | null {
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const before =
    "(?:\\s+(?:only|just|not|nur|nicht))?(?:\\s+(?:in|for|from|at|of|to|by|with|without|für|aus|bei|von|mit|ohne))?(?:\\s+(?:the|der|die|das|den|dem))?";
  const rest = question.replace(new RegExp(`${before}\\s+${escaped}(?![\\p{L}\\p{N}])`, "iu"), "");
  return rest === question || rest.trim() === "" ? null : rest.replace(/\s{2,}/g, " ").trim();
}

/** The phases of the server's own work, in the reader's words. */
export function phaseName(phase: string): string {
  const names: Record<string, string> = {
    Planner: t`Reading the question`,
    Navigator: t`Choosing tables and measures`,
    "SQL Builder": t`Writing the query`,
    Executor: t`Reading the rows`,
    Verifier: t`Checking the result`,
    Explainer: t`Writing the answer`,
  };
  return names[phase] ?? phase;
}
