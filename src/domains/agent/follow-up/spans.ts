import type { Window } from "../query/semantic-query.ts";

/** The year that a window is. */
export function yearOf({ from, to }: Pick<Window, "from" | "to">): string | undefined {
  const year = from?.slice(0, 4) ?? "";
  return from === `${year}-01-01` && to === `${Number(year) + 1}-01-01` ? year : undefined;
}

export function days({ from, to }: Window): number {
  return (Date.parse(to ?? "") - Date.parse(from ?? "")) / 86_400_000;
}

/** From its first to its last day. */
export function spanOf({ from, to }: Pick<Window, "from" | "to">): string {
  return `${(from ?? "").slice(0, 10)} to ${lastDay(to) ?? ""}`;
}

export function lastDay(to: string | null): string | undefined {
  if (to === null) return undefined;
  const last = new Date(`${to.slice(0, 10)}T00:00:00Z`);
  last.setUTCDate(last.getUTCDate() - 1);
  return last.toISOString().slice(0, 10);
}
