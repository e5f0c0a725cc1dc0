import type { VisibleModel } from "../../models/index.ts";
import type { Schema } from "../query/schema.ts";
import type { Understanding } from "./reading.ts";

/** Distinct values of a text dimension, as far as this caller sees them. */
export interface FieldValues {
  ds: string;
  field: string;
  values: string[];
  /** Whether there are more than were read. */
  isCut: boolean;
}

/** Everything that the rules know about a model. */
export interface Knowledge {
  model: VisibleModel;
  schema: Schema;
  values: FieldValues[];
}

/** Reads a question by rules alone: pure, and quick enough to be called for every keystroke. */
export function understand(
  question: { text: string; now: string; timeZone: string },
  { model, schema }: Knowledge,
): Understanding {
  const words = question.text.toLowerCase();
  const metric = model.metrics.find(({ name }) => words.includes(name.replaceAll("_", " ")));
  if (metric === undefined || !schema.metrics.has(metric.name)) {
    return { readings: [], missing: [], unclear: [], trace: [] };
  }
  const reading = {
    ask: { k: "table" as const, by: [], cols: [{ k: "metric" as const, name: metric.name }] },
    cost: 0,
    assumptions: [],
    said: metric.name.replaceAll("_", " "),
  };
  return { readings: [reading], missing: [], unclear: [], trace: [] };
}
