import type { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { explainIssues } from "../../registry/explain-issues.ts";

export function parseInput<T extends z.ZodObject>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", explainIssues(parsed.error.issues, schema));
}
