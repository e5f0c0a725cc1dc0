import { AppError } from "../../../kernel/errors.ts";
import type { Grain, Key, Num, Window } from "../query/semantic-query.ts";
import { upToToday } from "../understand/readings/finish.ts";

export const COMPARED = ["previous_period", "previous_year"] as const;
export type Compare = (typeof COMPARED)[number];

/** By how much the numbers are earlier that others are held against. */
export interface Earlier {
  n: number;
  grain: Grain;
  said: string;
}

const DAY_MS = 86_400_000;
const WEEKS_OF_YEAR = 52;

/** What is earlier by a period of the rows, or else by the period that all of them are of; or by a year. */
export function earlierOf(
  compare: Compare,
  { keys, win, isList }: { keys: readonly Key[]; win: Window | null | undefined; isList: boolean },
): Earlier {
  const grain = keys.find(({ bucket }) => bucket !== undefined)?.bucket;
  if (isList) throw new AppError("bad_request", "Only metrics can be compared.", { hint: "Give metrics." });
  // Weeks do not begin on the same days of each year.
  if (compare === "previous_year" && grain === "week") return earlier(WEEKS_OF_YEAR, "week");
  if (grain !== undefined) return earlier(1, compare === "previous_year" ? "year" : grain);
  if (win?.from == null || win.to == null)
    throw new AppError("bad_request", "To compare, a period with a beginning and an end is needed.", {
      hint: "Give period, or a date with a grain in by.",
    });
  return compare === "previous_year"
    ? earlier(1, "year")
    : lengthOf(win.from.slice(0, 10), win.to.slice(0, 10));
}

/** In years, quarters or months where it is made of whole ones; else in days. */
function lengthOf(from: string, to: string): Earlier {
  const [start, end] = [from, to].map((day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1);
  const months = (end as number) - (start as number);
  if (!from.endsWith("-01") || !to.endsWith("-01") || months === 0)
    return earlier(Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)), "day");
  if (months % 12 === 0) return earlier(months / 12, "year");
  return months % 3 === 0 && (start as number) % 3 === 0
    ? earlier(months / 3, "quarter")
    : earlier(months, "month");
}

function earlier(n: number, grain: Grain): Earlier {
  return { n, grain, said: n === 1 ? `the ${grain} before` : `the ${n} ${grain}s before` };
}

/** A number, the same earlier, the change and the growth. */
export function besideEarlier(of: Num, { n, grain }: Earlier): Num[] {
  const b: Num = { k: "lag", of, n, grain };
  return [of, b, { k: "calc", op: "-", a: of, b }, { k: "calc", op: "growth", a: of, b }];
}

/** What is not over is held against as many days: of a month that has just begun, and of all that there is. */
export function soFar(win: Window | null | undefined, now: string): Window {
  const all = { from: null, to: "9999-12-31", said: "" };
  const { said, ...cut } = upToToday(win ?? all, now) ?? (win as Window);
  return { ...cut, said: said.trim() };
}
