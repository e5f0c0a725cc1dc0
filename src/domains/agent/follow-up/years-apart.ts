import type { Key, Num, Window } from "../query/semantic-query.ts";
import { type Table, undated, windowOf } from "./parts.ts";

/** Months of two years stand beside each other as each and the same a year before. */
export function asLag([a, b, ...more]: readonly Num[], { scope, by }: Table): Num[] | undefined {
  const [mine, theirs] = [windowOf(a), windowOf(b)];
  if (a === undefined || mine === undefined || theirs === undefined || more.length > 0) return undefined;
  const years = yearsBetween(theirs, mine);
  const isWhole = scope?.win?.from === mine.from && scope.win.to === mine.to;
  if (years === undefined || years <= 0 || !isYearly(by) || !isWhole) return undefined;
  const of = undated(a);
  return [of, { k: "lag", of, n: years, grain: "year" }];
}

/** Weeks of two years are not the same ones. */
export function isYearly(by: readonly Key[]): boolean {
  return by.every(({ bucket }) => bucket !== "week" && bucket !== "day");
}

function yearsBetween(earlier: Window, later: Window): number | undefined {
  const years = Number(later.from?.slice(0, 4)) - Number(earlier.from?.slice(0, 4));
  const isShifted = (a: string | null, b: string | null) =>
    a !== null && b?.slice(4) === a.slice(4) && Number(b.slice(0, 4)) - Number(a.slice(0, 4)) === years;
  return isShifted(earlier.from, later.from) && isShifted(earlier.to, later.to) ? years : undefined;
}
