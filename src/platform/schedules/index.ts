export { nextAfter } from "./occurrences.ts";
export { type Rule, timeOfDay, timeZoneName, type Unit } from "./rule.ts";
export { type Due, type DueHandler, Schedules } from "./schedules.ts";
