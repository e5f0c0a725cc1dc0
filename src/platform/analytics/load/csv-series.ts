/** Of the steps between dates, how many have to be the same: a month may be missing. */
const MOST = 0.9;
const LEAST_DATES = 3;

/**
 * The order of day and month in which dates follow each other in regular steps, where the other order does not make such
 * steps. 8/1/98, 9/1/98, 10/1/98 are three days of January, or the first days of three months: where both are regular,
 * a series of first days of months is meant. Dates are in ISO 8601, each once, sorted.
 */
export function seriesOrder(dates: {
  day: readonly string[];
  month: readonly string[];
}): "day" | "month" | undefined {
  const [day, month] = [stepsOf(dates.day), stepsOf(dates.month)];
  if (day === month) return undefined;
  if (day === "firsts" || month === "none") return "day";
  if (month === "firsts" || day === "none") return "month";
  return undefined;
}

type Steps = "firsts" | "regular" | "none";

/** First days of months in steps of as many months each; other regular steps; or none. */
function stepsOf(dates: readonly string[]): Steps {
  if (dates.length < LEAST_DATES) return "none";
  const days = new Set(dates.map((date) => date.slice(8)));
  const months = dates.map((date) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)));
  if (days.size === 1 && isRegular(months)) return days.has("01") ? "firsts" : "regular";
  return isRegular(dates.map((date) => Date.parse(date))) ? "regular" : "none";
}

function isRegular(places: readonly number[]): boolean {
  const steps = places.slice(1).map((place, index) => place - places[index]!);
  const most = Math.max(
    ...Map.groupBy(steps, (step) => step)
      .values()
      .map((same) => same.length),
  );
  return most >= steps.length * MOST;
}
