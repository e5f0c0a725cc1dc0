import { AppError } from "../../../kernel/errors.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Moment } from "../phases/plan.ts";
import type { Window } from "../query/semantic-query.ts";
import { isAllTime, momentFor } from "../settle/period.ts";
import { datesIn } from "../understand/candidates/dates.ts";

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
