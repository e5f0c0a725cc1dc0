import type { Key, Window } from "./semantic-query.ts";

/** Weeks of two years are not the same ones. */
export function isYearly(by: readonly Key[]): boolean {
  return by.every(({ bucket }) => bucket !== "week" && bucket !== "day");
}

/** How many years a period is before the same one of another year. */
export function yearsBetween(
  earlier: Pick<Window, "from" | "to">,
  later: Pick<Window, "from" | "to">,
): number | undefined {
  const years = Number(later.from?.slice(0, 4)) - Number(earlier.from?.slice(0, 4));
  const isShifted = (a: string | null, b: string | null) =>
    a !== null && b?.slice(4) === a.slice(4) && Number(b.slice(0, 4)) - Number(a.slice(0, 4)) === years;
  return isShifted(earlier.from, later.from) && isShifted(earlier.to, later.to) ? years : undefined;
}
