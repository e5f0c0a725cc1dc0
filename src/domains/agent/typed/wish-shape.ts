import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { COMPARED } from "./earlier.ts";

const { queryMetrics, queryFields, queryConditions, queryCharacters, rows } = LIMITS.agent;
export const wishText = z.string().trim().min(1).max(queryCharacters);

function isLimit(n: number): boolean {
  return n >= 1 && n <= rows;
}

/** A query by names, as callers fill it in. */
export const wishShape = z.strictObject({
  metrics: z
    .array(wishText)
    .max(queryMetrics)
    .optional()
    .describe(
      "revenue, count(orders), a / b, share(a), running(a), avg(a per customers), a[2024, city = Rome]",
    ),
  by: z.array(wishText).max(queryFields).optional().describe("city, orders.date:month"),
  where: z
    .array(z.strictObject({ field: wishText, op: wishText.optional(), value: z.unknown().optional() }))
    .max(queryConditions)
    .optional()
    .describe('op as in SQL. Metrics: having, or "count(orders) per customers"'),
  period: wishText.optional().describe("last quarter, 2025-01"),
  compare: z.enum(COMPARED).optional(),
  order: wishText.optional().describe("a desc, a desc per city"),
  limit: z.int().refine(isLimit, `has to be 1 to ${rows}`).optional(),
});
