import { a, type Rule, rulesOf } from "./chart.ts";
import { PLACES, unitOf } from "./places.ts";
import type { Step, Unit, Value } from "./values.ts";

const spelled = (low: number, high: number) =>
  a("int", ({ n, digits }) => digits === 0 && n >= low && n <= high);

const int = (n: number, digits = 0): Value => ({ t: "int", n, digits });
const unit = (name: Unit, plural: boolean, fiscal?: true): Value => ({
  t: "unit",
  unit: name,
  plural,
  fiscal,
});

const { rule, tight } = rulesOf({
  ...PLACES,
  Tens: a("int", ({ n, digits }) => digits === 0 && n >= 20 && n % 10 === 0),
  Ones: spelled(1, 9),
  Ninth: a("ord", ({ n }) => n < 10),
  Two: spelled(2, 2),
  Century: spelled(18, 20),
  Hundreds: spelled(18, 19),
  TenOrMore: spelled(10, 99),
  BelowHundred: spelled(1, 99),
  Digits: a("int", ({ digits }) => digits === 1 || digits === 2),
  FiscalUnit: unitOf("month", "quarter", "half", "year"),
  DayUnit: unitOf("day"),
  WeekUnit: unitOf("week"),
});

/** Numbers, ordinals, units of time and durations. */
export const NUMBER_RULES: readonly Rule[] = [
  // twenty-five, twenty-fifth
  rule("Tens [dash] Ones", ([tens, ones]) => int(tens.n + ones.n)),
  rule("Tens [dash] Ninth", ([tens, ones]) => ({ t: "ord", n: tens.n + ones.n })),
  // two thousand and fifteen, nineteen ninety-five
  rule("Two thousand [and] BelowHundred", ([, rest]) => int(2000 + rest.n, 4)),
  rule("Century TenOrMore", ([century, rest]) => int(century.n * 100 + rest.n, 4)),
  rule("Hundreds hundred [and] BelowHundred", ([century, rest]) => int(century.n * 100 + rest.n, 4)),
  // 3rd, and German 3.
  tight("Digits ordinal|dot", ([{ n }]) => ({ t: "ord", n })),
  rule("[a] couple [of]", () => int(2)),
  rule("[a] few", () => int(3)),

  rule("fiscal [calendar] FiscalUnit", ([u]) => unit(u.unit, u.plural, true)),
  rule("calendar Unit", ([u]) => unit(u.unit, u.plural)),
  rule("business DayUnit", ([{ plural }]) => unit("workday", plural)),
  rule("business WeekUnit", ([{ plural }]) => unit("workweek", plural)),
  rule("half [dash] YearUnit", ([{ plural }]) => unit("half", plural)),

  rule("half [dash] YearUnit", () => duration([{ unit: "month", n: 6 }])),
  rule("Count [dash] Unit", ([{ n }, { unit, fiscal }]) => duration([{ unit, n, fiscal }])),
  rule("Duration and|comma Duration", ([one, more]) => duration([...one.steps, ...more.steps])),
];

function duration(steps: Step[]): Value | undefined {
  return steps.length > 3 ? undefined : { t: "duration", steps };
}
