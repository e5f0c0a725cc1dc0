export type { BoundField } from "./bind-dataset.ts";
export { Binder, type BoundModel, type SeenDataset } from "./binder.ts";
export { isAggregate } from "./expression.ts";
export { reasonOf } from "./reason.ts";
