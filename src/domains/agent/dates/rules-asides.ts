import { a, maybe, type Place, type Rule, rule, word } from "./chart.ts";
import { inside, one, the } from "./places.ts";
import { present } from "./resolve.ts";
import type { Compare, Grain, Period, Unit, Value, Window } from "./values.ts";

const GRAINS: readonly Unit[] = ["day", "week", "month", "quarter", "year"];
export function isGrain(unit: Period["unit"]): unit is Grain {
  return (GRAINS as readonly string[]).includes(unit);
}

const grainUnit: Place<{ grain: Grain; fiscal: boolean; plural: boolean }> = {
  keys: ["unit"],
  take: (value: Value) =>
    value.t === "unit" && isGrain(value.unit)
      ? { grain: value.unit, fiscal: value.fiscal === true, plural: value.plural }
      : undefined,
};

const ADVERBS = {
  daily: "day",
  weekly: "week",
  monthly: "month",
  quarterly: "quarter",
  yearly: "year",
} as const;
const SHORT = { yoy: "year", qoq: "quarter", mom: "month", wow: "week" } as const;

/** By month, monthly, month by month. */
const GROUPING: readonly Rule[] = [
  rule([word("by", "per"), grainUnit], ([, { grain, fiscal }]) => ({
    t: "grain",
    grain,
    ...(fiscal && { fiscal }),
  })),
  // by year and quarter: the finer one has the other in it
  rule([word("by", "per"), grainUnit, word("and"), grainUnit], ([, one, , two]) => {
    const finer = GRAINS.indexOf(one.grain) < GRAINS.indexOf(two.grain) ? one : two;
    return { t: "grain", grain: finer.grain, ...(finer.fiscal && { fiscal: true }) };
  }),
  rule([grainUnit, word("by", "through"), grainUnit], ([one, , two]) =>
    one.grain === two.grain ? { t: "grain", grain: one.grain } : undefined,
  ),
  ...Object.entries(ADVERBS).map(([adverb, grain]) => rule([word(adverb)], () => ({ t: "grain", grain }))),
  // The day of the week is a part of a date, not a stretch of time.
  rule([maybe(word("by", "per")), grainUnit, word("of"), the, grainUnit], ([, one, , , two]) =>
    one.grain === "day" && two.grain !== "day" ? { t: "none" } : undefined,
  ),
];

const back = (grain: Grain, by = -1): Compare => ({ t: "compare", shift: { grain, by } });

/** Last year, the Vormonat: a comparison with it is a shift of what it is compared with. */
function against(value: Period | Window): Compare {
  const away = value.t === "time" ? value.away : undefined;
  const grain = away?.unit;
  if (away === undefined || grain === undefined || !isGrain(grain) || away.n >= 0)
    return { t: "compare", with: value };
  return { t: "compare", with: value, shift: { grain, by: away.n } };
}

/** The same quarter of last year: the shift says it all. */
function shiftOnly({ shift }: Compare): Compare | undefined {
  return shift && { t: "compare", shift };
}

const versus = word("versus");
const dot = maybe(word("dot"));
const dash = maybe(word("dash"));
const COMPARING: readonly Rule[] = [
  rule([grainUnit, dash, word("over"), dash, grainUnit], ([one, , , , two]) =>
    one.grain === two.grain ? { ...back(one.grain), series: true } : undefined,
  ),
  ...Object.entries(SHORT).map(([short, grain]) =>
    rule([word(short)], () => ({ ...back(grain), series: true })),
  ),
  // the year before
  rule([the, one, word("before")], ([, { unit }], { business }) =>
    isGrain(unit) && business ? back(unit) : undefined,
  ),
  rule([maybe(inside), the, word("prioryear")], () => back("year")),
  // the same period last year, im gleichen Zeitraum des Vorjahres
  rule(
    [
      maybe(inside),
      the,
      word("same"),
      word("period"),
      maybe(inside),
      the,
      a("time", ({ away }) => away !== undefined),
    ],
    ([, , , , , , time]) => shiftOnly(against(time)),
  ),
  rule(
    [
      maybe(inside),
      the,
      word("same"),
      a("unit"),
      maybe(inside),
      the,
      a("time", ({ away }) => away !== undefined),
    ],
    ([, , , , , , time]) => shiftOnly(against(time)),
  ),
  ...(["year", "quarter", "month", "week", "day"] as const).flatMap((grain) => {
    const prior = word(`prior ${grain}`);
    return [
      rule([prior], () => back(grain)),
      rule([inside, the, prior], (_, calendar) => ({ ...present(grain, calendar, false, -1), led: true })),
      rule([versus, dot, the, prior], () => back(grain)),
      rule([word("with"), the, prior], () => back(grain)),
      rule([word("compared"), word("with"), the, prior], () => back(grain)),
      rule([word("than"), maybe(inside), the, prior], () => back(grain)),
      rule([word("same"), word("period"), maybe(inside), the, prior], () => back(grain)),
    ];
  }),
  rule([versus, dot, the, a("time")], ([, , , time]) => against(time)),
  rule([versus, dot, the, a("window")], ([, , , window]) => against(window)),
  rule([word("compared"), word("with"), the, a("time")], ([, , , time]) => against(time)),
  rule([word("compared"), word("with"), the, a("window")], ([, , , window]) => against(window)),
  rule([word("than"), a("time", ({ latent, weak }) => latent !== true && weak !== true)], ([, time]) =>
    against(time),
  ),
  rule([versus, dot, a("compare")], ([, , compare]) => compare),
  rule([word("compared"), word("with"), a("compare")], ([, , compare]) => compare),
  rule([word("in"), word("compared"), word("with"), a("compare")], ([, , , compare]) => compare),
];

/** What is said beside a window: how results are grouped, and what they are compared with. */
export const ASIDE_RULES: readonly Rule[] = [...GROUPING, ...COMPARING];
