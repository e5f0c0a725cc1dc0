import { AppError } from "../../../kernel/errors.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Moment } from "../phases/plan.ts";
import type { Scope } from "../query/semantic-query.ts";

/** What the parts of one query are read with. */
export interface Scene {
  knowledge: Knowledge;
  moment: Moment;
  /** What stands in brackets behind a number: periods and conditions. */
  scopeIn: (text: string) => Scope;
  /** Counts what a query is made of, so that none of a few words is made of hundreds. */
  spend: (what: "queryNumbers" | "queryValues", n: number) => void;
}

export function counter(): Scene["spend"] {
  const spent = { queryNumbers: 0, queryValues: 0 };
  return (what, n) => {
    spent[what] += n;
    const most = LIMITS.agent[what];
    if (spent[what] <= most) return;
    const said =
      what === "queryValues"
        ? `The conditions of a query have at most ${most} values in all.`
        : `A query is calculated from at most ${most} numbers.`;
    throw new AppError("bad_request", said, { hint: "Ask for fewer of them at once." });
  };
}
