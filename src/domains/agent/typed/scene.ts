import { AppError, isAppError } from "../../../kernel/errors.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Moment } from "../phases/plan.ts";
import type { Scope, Window } from "../query/semantic-query.ts";
import { isAllTime, momentFor } from "../settle/period.ts";
import { datesIn } from "../understand/candidates/dates.ts";

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

const MOST = 5;

/** All that is wrong with a query, said at once, so that it is mended at once. */
export class Faults {
  readonly #found: { at: string; error: AppError }[] = [];

  get isFree(): boolean {
    return this.#found.length === 0;
  }

  /** What the work gives; undefined where it fails, which is said later. */
  tried<T>(at: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#found.push({ at, error });
      return undefined;
    }
  }

  /** Each of a list, those that fail left out. */
  each<T, U>(at: string, all: readonly T[], work: (one: T) => U): U[] {
    return all.flatMap((one, i) => this.tried(`${at}[${i}]`, () => [work(one)]) ?? []);
  }

  require(): void {
    const [only, ...others] = this.#found;
    if (only === undefined) return;
    if (others.length === 0) throw only.error;
    const said = [
      ...new Map(this.#found.toReversed().map(({ at, error }) => [error.advice, at])),
    ].toReversed();
    const lines = said.slice(0, MOST).map(([advice, at]) => `${at}: ${advice}`);
    if (said.length > MOST) lines.push(`And ${said.length - MOST} more.`);
    throw new AppError("bad_request", lines.join("\n"));
  }
}

/** Words beside a period that say nothing. */
const IDLE = /^(in|on|for|during|the)*$/i;

/** Days as programs write them. */
const MIDNIGHT = /(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?(?![\d:])/gi;

/** A text that is one period and nothing else, on the clock of whoever asks; null means all times. */
export function periodIn(said: string, knowledge: Knowledge, moment: Moment): Window | null {
  const text = said
    .replaceAll("_", " ")
    .replaceAll(MIDNIGHT, "$1")
    .replace(/(?<=\d)\s*\/\s*(?=\d{4}-)/, " to ")
    .trim();
  if (isAllTime(text, knowledge)) return null;
  const isShort = text.length <= LIMITS.agent.datedCharacters;
  const [found] = isShort ? datesIn({ text, ...momentFor(text, moment, knowledge) }, knowledge) : [];
  const rest =
    found && `${text.slice(0, found.start)}${text.slice(found.end)}`.replaceAll(/[^\p{L}\p{N}]/gu, "");
  if (found?.kind === "window" && IDLE.test(rest as string)) return { ...found.window, said: found.said };
  throw new AppError("bad_request", `"${said}" is no period.`, {
    hint: "Say one, such as last quarter, 2025, 2025-03, last 30 days, 2025-01-01 to 2025-03-31, or all time.",
  });
}
