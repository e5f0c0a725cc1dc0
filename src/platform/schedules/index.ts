export { nextAfter, type Rule, timeOfDay, timeZoneName } from "./occurrences.ts";
export { type Due, Schedules } from "./schedules.ts";
