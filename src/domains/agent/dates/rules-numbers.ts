import { a, maybe, type Rule, rule, tightRule, word } from "./chart.ts";
import { count } from "./places.ts";
import type { Step, Unit, Value } from "./values.ts";

const spelled = (low: number, high: number) =>
  a("int", ({ n, digits }) => digits === 0 && n >= low && n <= high);

const int = (n: number, digits = 0): Value => ({ t: "int", n, digits });
const unit = (name: Unit, plural: boolean, fiscal = false): Value => ({
  t: "unit",
  unit: name,
  plural,
  ...(fiscal && { fiscal }),
});

const GROUPABLE: readonly Unit[] = ["month", "quarter", "half", "year"];

/** Numbers, ordinals, units of time and durations. */
export const NUMBER_RULES: readonly Rule[] = [
  // twenty-five, twenty-fifth
  rule(
    [
      a("int", ({ n, digits }) => digits === 0 && n >= 20 && n % 10 === 0),
      maybe(word("dash")),
      spelled(1, 9),
    ],
    ([tens, , ones]) => int(tens.n + ones.n),
  ),
  rule(
    [
      a("int", ({ n, digits }) => digits === 0 && n >= 20 && n % 10 === 0),
      maybe(word("dash")),
      a("ord", ({ n }) => n < 10),
    ],
    ([tens, , ones]) => ({ t: "ord", n: tens.n + ones.n }),
  ),
  // two thousand and fifteen, nineteen ninety-five
  rule([spelled(2, 2), word("thousand"), maybe(word("and")), spelled(1, 99)], ([, , , rest]) =>
    int(2000 + rest.n, 4),
  ),
  rule([spelled(18, 20), spelled(10, 99)], ([century, rest]) => int(century.n * 100 + rest.n, 4)),
  rule([spelled(18, 19), word("hundred"), maybe(word("and")), spelled(1, 99)], ([century, , , rest]) =>
    int(century.n * 100 + rest.n, 4),
  ),
  // 3rd, and German 3.
  tightRule([a("int", ({ digits }) => digits === 1 || digits === 2), word("ordinal", "dot")], ([{ n }]) => ({
    t: "ord",
    n,
  })),
  rule([maybe(word("a")), word("couple"), maybe(word("of"))], () => int(2)),
  rule([maybe(word("a")), word("few")], () => int(3)),

  rule([word("fiscal"), maybe(word("calendar")), a("unit", (u) => GROUPABLE.includes(u.unit))], ([, , u]) =>
    unit(u.unit, u.plural, true),
  ),
  rule([word("calendar"), a("unit")], ([, u]) => unit(u.unit, u.plural)),
  rule([word("business"), a("unit", (u) => u.unit === "day")], ([, u]) => unit("workday", u.plural)),
  rule([word("business"), a("unit", (u) => u.unit === "week")], ([, u]) => unit("workweek", u.plural)),
  rule([word("half"), maybe(word("dash")), a("unit", (u) => u.unit === "year")], ([, , u]) =>
    unit("half", u.plural),
  ),

  rule([word("half"), maybe(word("dash")), a("unit", (u) => u.unit === "year")], () =>
    duration([{ unit: "month", n: 6 }]),
  ),
  rule([count, maybe(word("dash")), a("unit")], ([{ n }, , u]) =>
    duration([{ unit: u.unit, n, ...(u.fiscal && { fiscal: true }) }]),
  ),
  rule(
    [a("duration"), word("and", "comma"), a("duration", ({ steps }) => steps.length < 3)],
    ([one, , more]) => duration([...one.steps, ...more.steps]),
  ),
];

function duration(steps: Step[]): Value | undefined {
  return steps.length > 3 ? undefined : { t: "duration", steps };
}
