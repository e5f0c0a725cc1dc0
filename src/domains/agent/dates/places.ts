import { a, type Place } from "./chart.ts";
import { lacksMonth, lacksYear } from "./resolve.ts";
import type { Period, Unit, Value, ValueOf, Window } from "./values.ts";

/** Places that rules of several kinds have, by the names that they have in patterns. */
export const PLACES = {
  Unit: a("unit"),
  /** A unit in the singular. */
  One: a("unit", ({ plural }) => !plural),
  Month: unitOf("month"),
  YearUnit: unitOf("year"),
  /** How many: no year, and no zero. */
  Count: a("int", ({ n, digits }) => n > 0 && n < 1000 && digits < 4),
  Ord: a("ord"),
  /** The number of one of two halves, and of a day in a month. */
  OneOrTwo: ordinal(2),
  Nth: ordinal(31),
  Duration: a("duration"),
  Time: a("time"),
  Day: a("time", ({ unit }) => unit === "day"),
  Year: a("time", (time) => time.unit === "year" && time.part === undefined && !lacksYear(time)),
  Weekday: a("time", ({ weekday }) => weekday !== undefined),
  /** What adds up to in 2025 is not up to 2025. */
  Unled: a("time", ({ led }) => led !== true),
  DayOfMonth: a("time", lacksMonth),
  Window: a("window"),
  Stretch: timeOrWindow(),
};

export function ordinal(high: number): Place<ValueOf<"ord">> {
  return a("ord", ({ n }) => n >= 1 && n <= high);
}

export function unitOf(...units: Unit[]): Place<ValueOf<"unit">> {
  return a("unit", ({ unit }) => units.includes(unit));
}

function timeOrWindow(): Place<Period | Window> {
  const take = (value: Value) => (value.t === "time" || value.t === "window" ? value : undefined);
  return { keys: ["time", "window"], take };
}
