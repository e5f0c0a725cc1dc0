export type { Drawing, Hover, Subject } from "./drawing.ts";
export { Drawings } from "./drawings.ts";
export type { Picture } from "./render-svg.ts";
export { subjectShape } from "./subject.ts";
