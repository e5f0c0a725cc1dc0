import { z } from "zod";
import { parseType, typeText } from "../types/column-types.ts";
import type { ConvertAnswer, WriteAnswer } from "../wire.ts";

/**
 * What the loading process says, read as carefully as what comes from outside: it has had the files of strangers
 * in its hands. Types come in one spelling and can only be types.
 */
const count = z.int().min(0);
const column = z.object({
  name: z.string(),
  type: z.string().transform((text) => typeText(parseType(text))),
});
const written = z.object({ rows: count, columns: z.array(column) });

const dateFormats = z.union([z.string(), z.array(z.object({ column: z.string(), format: z.string() }))]);

const detected = z.object({
  format: z.enum(["csv", "tsv", "json", "ndjson", "parquet"]),
  encoding: z.string(),
  delimiter: z.string().exactOptional(),
  quote: z.string().exactOptional(),
  escape: z.string().exactOptional(),
  header: z.boolean().exactOptional(),
  decimal: z.enum([".", ","]).exactOptional(),
  thousands: z
    .union([
      z.string(),
      z.array(z.object({ column: z.string(), thousands: z.string(), decimal: z.string() })),
    ])
    .exactOptional(),
  dateFormat: dateFormats.exactOptional(),
  timestampFormat: dateFormats.exactOptional(),
  skippedLines: count.exactOptional(),
  renamed: z.array(z.object({ position: count, from: z.string(), to: z.string() })).exactOptional(),
});

const converted = written.extend({
  rejected: z.array(z.object({ line: count, reason: z.string() })),
  rejectedRows: count,
  detected,
  notes: z.array(z.string()).exactOptional(),
});

const progress = z.object({ fraction: z.number().min(0).max(1) });

export function parseWritten(answer: unknown): WriteAnswer {
  return written.parse(answer);
}

export function parseConverted(answer: unknown): ConvertAnswer {
  return converted.parse(answer);
}

export function parseProgress(value: unknown): { fraction: number } {
  return progress.parse(value);
}
