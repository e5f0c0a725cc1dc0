export { type Chart, chartShape } from "./chart.ts";
export type { Drawing, Hover, Subject } from "./drawing.ts";
export { Drawings } from "./drawings.ts";
export { lookShape } from "./look.ts";
export type { Picture } from "./render-svg.ts";
