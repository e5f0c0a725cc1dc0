export { addsUp } from "../../../kernel/name-words.ts";
export { plainlyAddsUp } from "../infer/roles.ts";
export { measureOf, type Quantity, squared, type Unit, unitCalled, unitsPer } from "./quantities.ts";
