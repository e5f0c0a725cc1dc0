export { nextAfter } from "./occurrences.ts";
export { type Rule, timeOfDay, timeZoneName } from "./rule.ts";
export { type Due, Schedules } from "./schedules.ts";
