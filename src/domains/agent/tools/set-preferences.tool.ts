import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool } from "../define.ts";
import { PREFERENCES } from "../preferences/preferences.ts";

const p = PREFERENCES;

/** What a person answers once, so that no question has to ask for it again. */
export const setPreferences = defineTool({
  name: "set_preferences",
  toolset: "modeling",
  title: "Set preferences",
  description: "Keep what the user always means, for questions that leave it open. Returns all of them.",
  permission: "data_agent:write",
  effect: "write",
  input: z.strictObject({
    default_time_period: p.defaultTimePeriod.optional(),
    high_value_threshold: p.highValueThreshold.optional(),
    high_value_metric: p.highValueMetric.optional().describe("Metric the threshold is of"),
    fiscal_year_start_month: p.fiscalYearStartMonth.optional(),
    week_start: p.weekStart.optional(),
    time_zone: p.timeZone.optional(),
    preferred_region: p.preferredRegion.optional(),
    default_provider: p.defaultProvider.optional(),
    clear: z.array(z.string().max(40)).max(20).default([]).describe("Names to take back"),
  }),
  output: z.object({ preferences: z.record(z.string(), z.union([z.string(), z.number()])) }),

  async run({ clear, ...input }, { preferences, caller }) {
    const unknown = clear.find((name) => !Object.hasOwn(PREFERENCES, camelCase(name)));
    if (unknown !== undefined) {
      throw new AppError("bad_request", `There is no preference ${unknown}.`, {
        hint: `Those that there are: ${Object.keys(PREFERENCES).map(snakeCase).join(", ")}.`,
      });
    }
    const set = Object.entries(input).filter(([, value]) => value !== undefined);
    const patch = Object.fromEntries([
      ...set.map(([name, value]) => [camelCase(name), value]),
      ...clear.map((name) => [camelCase(name), null]),
    ]);
    return { preferences: await preferences.change(caller, patch) };
  },
});

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
