import { closedIn } from "../verified/open-to.ts";
import { hasPeriods } from "../verified/query-text.ts";
import { redated, windowsOf } from "../verified/redated.ts";
import { hasOwnPeriod } from "../verified/verified-reading.ts";
import type { Queried } from "../work.ts";

const LEAST_WORDS = 3;

/** A question means the query whenever and by whomever it is asked, as long as all of it is read off the question. */
export function whyNotVerified(question: string | undefined): NonNullable<Queried["whyTheirs"]> {
  return (ask, { knowledge, moment, preferences }) => {
    if (question === undefined) return "No question was given with the query, so there is none to verify.";
    // "yes" and "by month" are said of what was asked before.
    if (question.split(/\s+/).length < LEAST_WORDS)
      return "The question is too short to mean the same to everybody.";
    if (redated(ask, question, { from: moment, to: moment, knowledge }) === undefined) {
      const said = windowsOf(ask).map((win) => win.said);
      return `The question does not say the period ${said.join(" or ")}, so that it would mean other days later.`;
    }
    if (hasOwnPeriod(preferences) && !hasPeriods(ask))
      return "Your preferences have a period for questions that say none, so you would not get this answer.";
    const closed = closedIn(ask, knowledge, question);
    if (closed.length === 0) return undefined;
    return `The question does not say ${closed.join(" or ")}, or the data have no such value, so it would not be used.`;
  };
}
