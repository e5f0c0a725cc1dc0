import { z } from "zod";
import { defineTool } from "../define.ts";
import { PREFERENCES } from "../preferences/preferences.ts";

const p = PREFERENCES;

/** What a person answers once, so that no question has to ask for it again. */
export const setPreferences = defineTool({
  name: "set_preferences",
  toolset: "models",
  title: "Set preferences",
  description:
    "Keep what the user always means, for questions that leave it open. Only what is named is changed; null takes it back. Returns all.",
  permission: "data_agent:write",
  effect: "write",
  input: z.strictObject({
    default_time_period: p.defaultTimePeriod.nullish(),
    high_value_threshold: p.highValueThreshold.nullish(),
    high_value_metric: p.highValueMetric.nullish().describe("Metric the threshold is of"),
    fiscal_year_start_month: p.fiscalYearStartMonth.nullish(),
    week_start: p.weekStart.nullish(),
    time_zone: p.timeZone.nullish(),
    preferred_region: p.preferredRegion.nullish(),
    default_provider: p.defaultProvider.nullish(),
  }),
  output: z.object({ preferences: z.record(z.string(), z.union([z.string(), z.number()])) }),

  async run(input, { preferences, caller }) {
    const patch = Object.fromEntries(
      Object.entries(input)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [camelCase(name), value]),
    );
    return { preferences: await preferences.change(caller, patch) };
  },
});

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
