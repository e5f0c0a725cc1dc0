import { say } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { navigate } from "../phases/navigate.ts";
import type { Moment } from "../phases/plan.ts";
import type { Preferences } from "../preferences/preferences.ts";
import { isSameField } from "../query/parts.ts";
import type { Ask } from "../query/semantic-query.ts";
import { fold } from "../understand/languages/words.ts";
import type { Reading } from "../understand/reading.ts";
import { hasPeriods, queryShape, valuesIn } from "./query-text.ts";
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
  const hasOwnPeriod = (preferences.defaultTimePeriod ?? "all_time") !== "all_time";
  const isDated = hasPeriods(query.ask);
  const ask = isDated ? redated(query.ask, sent, { from: query, to: moment, knowledge }) : query.ask;
  if (ask === undefined || (hasOwnPeriod && !isDated) || !isOpenTo(ask, knowledge, sent)) return undefined;
  return { ask, said: isDated ? say(ask) : query.said, cost: 0, assumptions: [], isExact: true as const };
}

/** Whether every value of it is one that this caller sees, or could only have typed. */
function isOpenTo(ask: Ask, { values }: Knowledge, question: string): boolean {
  const typed = fold(question);
  return valuesIn(ask).every(({ key, values: wanted, match }) => {
    const known = values.find((each) => isSameField(each, key));
    return wanted.every((value) => {
      if (typeof value === "boolean") return true;
      if (match === "equal" && known?.values.includes(String(value)) === true) return true;
      const isListed = match === "equal" && known !== undefined && !known.isCut;
      return !isListed && typed.includes(fold(String(value)));
    });
  });
}
