import type { BoundModel } from "./bind/index.ts";

/** What is left of a model where only some datasets of the workspace may be read: nothing of it comes from others. */
export function onlyDatasets(bound: BoundModel, only: ReadonlySet<number>): BoundModel {
  const datasets = bound.datasets.filter(({ bases }) => bases.every(({ dataset }) => only.has(dataset.id)));
  const left = new Set(datasets.map(({ dataset }) => dataset.name.toLowerCase()));
  const metrics = bound.metrics.filter((metric) =>
    metric.datasets.every((name) => left.has(name.toLowerCase())),
  );
  return { ...bound, datasets, metrics };
}
