import { z } from "zod";

/** What a file connector asks of its sandboxed process. Rows are fetched batch by batch: that holds it back. */
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const openCall = z.object({ path: z.string(), query: z.string(), values: z.array(scalar) });
export const nextCall = z.object({ maxRows: z.number(), maxBytes: z.number() });

/** The process reads a file of strangers, so its answers are checked. */
export const openAnswer = z.object({ columns: z.array(z.object({ name: z.string(), type: z.string() })) });
export const nextAnswer = z.object({
  rows: z.array(z.array(z.unknown())),
  bytes: z.number(),
  isLast: z.boolean(),
});

export type OpenCall = z.infer<typeof openCall>;
export type OpenAnswer = z.infer<typeof openAnswer>;
export type NextAnswer = z.infer<typeof nextAnswer>;

/** About as much as the value takes as JSON. */
export function sizeOfValue(value: unknown): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? JSON.stringify(value).length : 8;
}
