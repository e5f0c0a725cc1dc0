export { type Rule, timeOfDay, timeZoneName, UNITS, type Unit } from "./rule.ts";
export { type Due, type DueHandler, Schedules } from "./schedules.ts";
