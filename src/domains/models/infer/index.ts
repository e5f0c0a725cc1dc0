export { buildModel } from "./build-model.ts";
export { type Examined, Inference, unpublished } from "./inference.ts";
export { addsUp } from "./roles.ts";
