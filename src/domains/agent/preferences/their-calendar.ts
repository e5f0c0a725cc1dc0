import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Preferences } from "./preferences.ts";

/** One for each calendar, so that whoever reads questions with it knows it again. */
const made = new WeakMap<Knowledge, Map<string, Knowledge>>();

/** The weeks of whoever asks, and their fiscal year where the model says nothing of its own. */
export function inTheirCalendar(
  knowledge: Knowledge,
  { fiscalYearStartMonth, weekStart = "monday" }: Preferences,
): Knowledge {
  const { rules } = knowledge.definitions;
  const fiscalMonth = rules.fiscalMonth ?? fiscalYearStartMonth;
  if (fiscalMonth === rules.fiscalMonth && weekStart === "monday") return knowledge;
  const known = made.get(knowledge) ?? new Map<string, Knowledge>();
  made.set(knowledge, known);
  const key = `${fiscalMonth} ${weekStart}`;
  const theirs = known.get(key) ?? {
    ...knowledge,
    schema: { ...knowledge.schema, fiscalMonth: fiscalMonth ?? 1, weekStart },
    definitions: {
      ...knowledge.definitions,
      rules: { ...rules, ...(fiscalMonth !== undefined && { fiscalMonth }) },
    },
  };
  known.set(key, theirs);
  return theirs;
}
