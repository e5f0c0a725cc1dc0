export { measureOf, type Quantity, type Unit, unitCalled, unitsPer } from "./quantities.ts";
