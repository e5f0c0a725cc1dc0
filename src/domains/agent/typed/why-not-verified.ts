import { redated, windowsOf } from "../verified/redated.ts";
import type { Queried } from "../work.ts";

const LEAST_WORDS = 3;

/** A question means the query whenever and by whomever it is asked, as long as its periods are read off the question. */
export function whyNotVerified(question: string | undefined): NonNullable<Queried["whyTheirs"]> {
  return (ask, knowledge, moment) => {
    if (question === undefined) return "No question was given with the query, so there is none to verify.";
    // "yes" and "by month" are said of what was asked before.
    if (question.split(/\s+/).length < LEAST_WORDS)
      return "The question is too short to mean the same to everybody.";
    if (redated(ask, question, { from: moment, to: moment, knowledge }) !== undefined) return undefined;
    const said = windowsOf(ask).map((win) => win.said);
    return `The question does not say the period ${said.join(" or ")}, so that it would mean other days later.`;
  };
}
