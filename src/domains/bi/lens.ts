import type { Dashboard } from "./boards.store.ts";
import { LIMITS } from "./limits.ts";
import type { Lens } from "./query/source.ts";
import type { DashboardFilter, Filter } from "./shapes.ts";

/** What a viewer chose, by the name of the filter: nothing for one that is to filter nothing. */
export type Chosen = Readonly<Record<string, string | string[]>>;

export function nameOfFilter({ parameter, field }: DashboardFilter): string {
  return parameter ?? field ?? "";
}

/** The values of a dashboard's filters: those that were chosen, else those that they begin with. */
export function lensOf(dashboard: Pick<Dashboard, "filters" | "settings"> | null, chosen: Chosen = {}): Lens {
  const filters: Filter[] = [];
  const parameters: Record<string, Filter["value"]> = {};
  for (const filter of dashboard?.filters ?? []) {
    const value = chosenValue(filter, chosen);
    if (value === undefined) continue;
    if (filter.parameter !== undefined) parameters[filter.parameter] = value;
    else if (filter.field !== undefined)
      filters.push({ field: filter.field, operator: filter.operator, value });
  }
  return { filters, parameters, timeZone: dashboard?.settings.time_zone ?? "UTC" };
}

export function chosenValue(filter: DashboardFilter, chosen: Chosen): Filter["value"] | undefined {
  const name = nameOfFilter(filter);
  const own = Object.hasOwn(chosen, name) ? chosen[name] : undefined;
  if (own === undefined) return filter.value;
  const values = [own]
    .flat()
    .map((value) => value.trim())
    .filter((value) => value !== "");
  if (values.length === 0) return undefined;
  if (filter.operator === "between") return values.length === 2 ? values : undefined;
  const several = values.slice(0, LIMITS.bi.filterValues);
  return filter.operator === "in" ? several : several[0];
}
