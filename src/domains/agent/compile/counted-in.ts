import type { Ask, Window } from "../query/semantic-query.ts";

/** The period of what is counted: the same months, whether it is said of the rows or of their number. */
export function countedIn({ cols, by: [key] }: Extract<Ask, { k: "table" }>): Window | undefined {
  const [num] = cols;
  const cond = num?.k === "agg" && num.in?.k === "where" ? num.in.if : undefined;
  if (cond?.k !== "during") return undefined;
  const { on } = cond.win;
  return on === undefined || on.field === key?.field ? cond.win : undefined;
}
