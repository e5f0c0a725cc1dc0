export type { Chart } from "./chart.ts";
export type { Drawing, Hover, Subject } from "./drawing.ts";
export { Drawings } from "./drawings.ts";
export { FONT_PATHS } from "./font-metrics.ts";
export { formatter, knownLocale } from "./formats.ts";
export { COLOURS, HEAT, HEAT_TEXT, type Look } from "./look.ts";
export type { Picture } from "./render-svg.ts";
export { subjectShape } from "./subject.ts";
export { escapeXml } from "./text.ts";
