import type { Num } from "../query/semantic-query.ts";
import { isYearly, yearsBetween } from "../query/years-apart.ts";
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
