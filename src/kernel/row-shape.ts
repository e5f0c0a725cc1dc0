import { z } from "zod";

/** A row by the names of its columns. Rows of ours are not looked into: with very many values that takes long. */
export const rowShape = z.unknown().meta({
  type: "object",
  propertyNames: { type: "string" },
  additionalProperties: {},
}) as unknown as z.ZodType<Record<string, unknown>>;
