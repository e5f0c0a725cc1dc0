import { say } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Moment } from "../phases/plan.ts";
import { navigate } from "../phases/run-phases.ts";
import type { Preferences } from "../preferences/preferences.ts";
import type { Reading } from "../understand/reading.ts";
import { closedIn } from "./open-to.ts";
import { hasPeriods, queryShape } from "./query-text.ts";
import { redated } from "./redated.ts";
import type { VerifiedQuestion } from "./verified.store.ts";

interface Around {
  /** The version of the model that is asked. */
  version: number;
  /** The question as it was sent. */
  sent: string;
  /** How the rules read it today, for whoever asks. */
  readings: readonly Reading[];
  knowledge: Knowledge;
  preferences: Preferences;
  moment: Moment;
}

/**
 * The verified reading of a question, where it still holds: the model carries it, its periods can be read off the
 * question today, and it takes nothing into account that whoever asks does not see or has settled otherwise.
 */
export function verifiedReading(pair: VerifiedQuestion, around: Around): Reading | undefined {
  const { readings, knowledge } = around;
  if (readings.some(({ assumptions }) => assumptions.some(({ isTheirs }) => isTheirs === true)))
    return undefined;
  const shape = queryShape(pair.query.ask);
  const reading = readings.find(({ ask }) => queryShape(ask) === shape) ?? asItWas(pair, around);
  if (reading === undefined || navigate([reading], knowledge.schema, true).routes.length === 0)
    return undefined;
  const assumptions = reading.assumptions.map((each) => ({ ...each, others: [] }));
  return { ...reading, cost: 0, assumptions, verifiedBy: verdictOf(pair, around) };
}

/** A model that was changed may mean something else by the same names. */
function verdictOf({ verifiedBy, modelVersion }: VerifiedQuestion, { version }: Around): string {
  const name = verifiedBy ?? "a former member";
  if (modelVersion === null || modelVersion === version) return name;
  return `${name}, for version ${modelVersion} of the model, which has changed since`;
}

/** The query itself, where the rules read another one: with the periods that the question says today. */
function asItWas({ query }: VerifiedQuestion, { sent, knowledge, preferences, moment }: Around) {
  const isDated = hasPeriods(query.ask);
  const ask = isDated ? redated(query.ask, sent, { from: query, to: moment, knowledge }) : query.ask;
  if (
    ask === undefined ||
    (hasOwnPeriod(preferences) && !isDated) ||
    closedIn(ask, knowledge, sent).length > 0
  )
    return undefined;
  return { ask, said: isDated ? say(ask) : query.said, cost: 0, assumptions: [], isExact: true as const };
}

/** Whether numbers without a period are of one that whoever asks has settled. */
export function hasOwnPeriod({ defaultTimePeriod = "all_time" }: Preferences): boolean {
  return defaultTimePeriod !== "all_time";
}
