import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { timeOfDay, timeZoneName } from "../../../platform/schedules/index.ts";
import { LIMITS as SCHEDULES } from "../../../platform/schedules/limits.ts";
import { defineTool } from "../define.ts";
import { type RefreshRule, refreshOf, refreshShape } from "../runs/query-refresh.ts";

const refreshFields = {
  every: z.int().min(0).max(SCHEDULES.schedules.every).describe("0: no longer"),
  unit: z.enum(["minutes", "hours", "days", "weeks", "months"]).default("days"),
  time: timeOfDay.default("06:00").describe("HH:MM"),
  timezone: timeZoneName.default("UTC"),
  weekday: z.int().min(1).max(7).optional().describe("With weeks; 1 is Monday"),
  monthday: z.int().min(1).max(31).optional().describe("With months"),
  incremental_by: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe("Column that grows: only newer rows are added"),
  key: z.array(z.string().min(1).max(500)).min(1).max(10).optional().describe("New rows replace these"),
};

export const refreshWish = z.strictObject(refreshFields);

/** Keeps the dataset of a query fresh without anybody who asks for it. */
export const setRefresh = defineTool({
  name: "set_refresh",
  toolset: "datasources",
  title: "Set when a query runs",
  description:
    "Lets a query run by itself, with your rights as they are then. list_queries tells how it goes.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({ query_id: z.int(), ...refreshFields }),
  output: z.object({
    query_id: z.int(),
    name: z.string(),
    refresh: refreshShape.nullable(),
    message: z.string(),
  }),

  async run({ query_id, ...wish }, { queries, refresh, caller }) {
    const query = await queries.require(caller, query_id);
    const next = await refresh.set(caller, query, ruleOf(wish));
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

/** As `set_refresh` and `create_query` take it; null where it shall run no longer. */
export function ruleOf(wish: z.output<typeof refreshWish>): RefreshRule | null {
  const { every, unit, time, timezone: zone, weekday, monthday, incremental_by: column, key } = wish;
  if (weekday !== undefined && unit !== "weeks") throw unused("weekday", "weeks");
  if (monthday !== undefined && unit !== "months") throw unused("monthday", "months");
  if (key !== undefined && column === undefined)
    throw new AppError("bad_request", "key is for incremental_by.", { hint: "Name the column that grows." });
  if (every === 0) return null;
  return {
    every,
    unit,
    time,
    zone,
    ...(unit === "weeks" && { weekday: weekday ?? 1 }),
    ...(unit === "months" && { monthday: monthday ?? 1 }),
    ...(column !== undefined && { incremental: { column, ...(key !== undefined && { key }) } }),
  };
}

function unused(field: string, unit: string): AppError {
  return new AppError("bad_request", `${field} is for unit ${unit}.`, {
    hint: `Leave it out, or set unit to ${unit}.`,
  });
}
