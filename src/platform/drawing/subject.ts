import { z } from "zod";
import { chartShape } from "./chart.ts";
import { FORMAT_NAME } from "./formats.ts";
import { LIMITS } from "./limits.ts";

const format = z.string().regex(FORMAT_NAME).optional();
const cells = z.array(z.union([z.string(), z.number(), z.null()])).max(20);

/** What can be handed over from outside to be drawn. */
export const subjectShape = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("spec"), chart: chartShape }),
  z.strictObject({
    kind: z.literal("number"),
    title: z.string(),
    label: z.string(),
    value: z.number(),
    format,
  }),
  z.strictObject({
    kind: z.literal("table"),
    title: z.string(),
    columns: z.array(z.strictObject({ label: z.string(), format })).max(20),
    rows: z.array(cells).max(LIMITS.drawing.tableRows),
    rowCount: z.int().min(0),
  }),
]);
