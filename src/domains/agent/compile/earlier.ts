import type { Grain, Window } from "../query/semantic-query.ts";

/** A period some periods earlier, called by its years where these are what tells the two apart. */
export function earlierWindow(win: Window, shift: { n: number; grain: Grain }): Window {
  const [from, to] = [win.from, win.to].map((day) => (day === null ? null : moved(day, shift)));
  const said =
    shift.grain === "year"
      ? win.said.replaceAll(/\b\d{4}\b/g, (year) => String(Number(year) - shift.n))
      : `${from ?? ""} to ${to ?? ""}`;
  return { ...win, from: from ?? null, to: to ?? null, said };
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** The engine's own rule: the last day of a month stands for one that the other month does not have. */
function moved(moment: string, { n, grain }: { n: number; grain: Grain }): string {
  const day = new Date(`${moment.slice(0, 10)}T00:00:00Z`);
  if (grain === "day" || grain === "week") day.setUTCDate(day.getUTCDate() - n * (grain === "day" ? 1 : 7));
  else {
    const wanted = day.getUTCDate();
    day.setUTCMonth(day.getUTCMonth() - n * MONTHS[grain], 1);
    const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
    day.setUTCDate(Math.min(wanted, last));
  }
  return `${day.toISOString().slice(0, 10)}${moment.slice(10)}`;
}
