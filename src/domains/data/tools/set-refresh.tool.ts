import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { timeOfDay, timeZoneName } from "../../../platform/schedules/index.ts";
import { LIMITS as SCHEDULES } from "../../../platform/schedules/limits.ts";
import { defineTool } from "../define.ts";
import { refreshOf, refreshShape } from "../runs/query-refresh.ts";

/** Keeps the dataset of a query fresh without anybody who asks for it. */
export const setRefresh = defineTool({
  name: "set_refresh",
  toolset: "datasources",
  title: "Set when a query runs",
  description:
    "Lets a query run by itself, so that its dataset stays fresh. It runs with your rights as they are then. See list_queries for the next run and how the last one went.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    query_id: z.int(),
    every: z.int().min(0).max(SCHEDULES.schedules.every).describe("0: no longer"),
    unit: z.enum(["minutes", "hours", "days", "weeks", "months"]).default("days"),
    time: timeOfDay.default("06:00").describe("HH:MM, where steps begin"),
    timezone: timeZoneName.default("UTC"),
    weekday: z.int().min(1).max(7).optional().describe("With weeks; 1 is Monday"),
    monthday: z.int().min(1).max(31).optional().describe("With months"),
  }),
  output: z.object({
    query_id: z.int(),
    name: z.string(),
    refresh: refreshShape.nullable(),
    message: z.string(),
  }),

  async run(
    { query_id, every, unit, time, timezone: zone, weekday, monthday },
    { queries, refresh, caller },
  ) {
    const query = await queries.require(caller, query_id);
    if (weekday !== undefined && unit !== "weeks") throw unused("weekday", "weeks");
    if (monthday !== undefined && unit !== "months") throw unused("monthday", "months");
    const day = {
      ...(unit === "weeks" && { weekday: weekday ?? 1 }),
      ...(unit === "months" && { monthday: monthday ?? 1 }),
    };
    const next = await refresh.set(caller, query, every === 0 ? null : { every, unit, time, zone, ...day });
    const changed = await queries.require(caller, query_id);
    return {
      query_id,
      name: query.name,
      refresh: refreshOf(changed, next),
      message:
        next === null
          ? `${query.name} runs only when somebody asks for it.`
          : `${query.name} runs by itself, next at ${next.toISOString()}.`,
    };
  },
});

function unused(field: string, unit: string): AppError {
  return new AppError("bad_request", `${field} is for unit ${unit}.`, {
    hint: `Leave it out, or set unit to ${unit}.`,
  });
}
