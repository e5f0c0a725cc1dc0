export { buildModel } from "./build-model.ts";
export { type Examined, Inference, unpublished, whyLeftOut } from "./inference.ts";
export { addsUp, isNumbering, isYearName, tellsYears } from "./roles.ts";
