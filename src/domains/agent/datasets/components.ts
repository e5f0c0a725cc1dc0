import type { Examined } from "../../models/index.ts";

/** Datasets that are joined with each other, directly or by others: only they can be asked about together. */
export function componentsOf({ looked, joins }: Examined): Examined[] {
  const component = new Map(looked.map((each) => [each, each]));
  const rootOf = (one: Examined["looked"][number]): Examined["looked"][number] => {
    const above = component.get(one) ?? one;
    return above === one ? one : rootOf(above);
  };
  for (const { from, to } of joins) component.set(rootOf(from), rootOf(to));
  return [...Map.groupBy(looked, rootOf).values()].map((those) => ({
    looked: those,
    joins: joins.filter(({ from }) => those.includes(from)),
  }));
}
