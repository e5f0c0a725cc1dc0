export { buildModel, type InferredModel } from "./build-model.ts";
export type { Guess } from "./guess.ts";
export { type Examined, Inference, unpublished } from "./inference.ts";
export { addsUp } from "./roles.ts";
