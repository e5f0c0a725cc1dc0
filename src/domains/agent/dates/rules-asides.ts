import { a, type Place, type Rule, rulesOf } from "./chart.ts";
import { PLACES } from "./places.ts";
import { present } from "./resolve.ts";
import type { Compare, Grain, Period, Unit, Value, Window } from "./values.ts";

const GRAINS: readonly Unit[] = ["day", "week", "month", "quarter", "year"];
export function isGrain(unit: Period["unit"]): unit is Grain {
  return (GRAINS as readonly string[]).includes(unit);
}

const grainUnit: Place<{ grain: Grain; fiscal: true | undefined }> = {
  keys: ["unit"],
  take: (value: Value) =>
    value.t === "unit" && isGrain(value.unit)
      ? { grain: value.unit, fiscal: value.fiscal === true || undefined }
      : undefined,
};

const { rule } = rulesOf({
  ...PLACES,
  Grain: grainUnit,
  Away: a("time", ({ away }) => away !== undefined),
  SureTime: a("time", ({ latent, weak }) => latent !== true && weak !== true),
  Compare: a("compare"),
});

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
  rule("by|per Grain", ([grain]) => ({ t: "grain", ...grain })),
  // by year and quarter: the finer one has the other in it
  rule("by|per Grain and Grain", ([one, two]) => ({
    t: "grain",
    ...(GRAINS.indexOf(one.grain) < GRAINS.indexOf(two.grain) ? one : two),
  })),
  rule("Grain by|through Grain", ([{ grain }, two]) =>
    grain === two.grain ? { t: "grain", grain } : undefined,
  ),
  ...Object.entries(ADVERBS).map(([adverb, grain]) => rule(adverb, () => ({ t: "grain", grain }))),
  // The day of the week is a part of a date, not a stretch of time.
  rule("[by|per] Grain of [the] Grain", ([one, two]) =>
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

/** What says that something is compared with the period before. */
const WITH_PRIOR = ["versus [dot]", "[compared] with", "than [in|of]", "same period [in|of]"];

const COMPARING: readonly Rule[] = [
  rule("Grain [dash] over [dash] Grain", ([{ grain }, two]) =>
    grain === two.grain ? { ...back(grain), series: true } : undefined,
  ),
  ...Object.entries(SHORT).map(([short, grain]) => rule(short, () => ({ ...back(grain), series: true }))),
  // the year before
  rule("[the] One before", ([{ unit }], { business }) =>
    isGrain(unit) && business ? back(unit) : undefined,
  ),
  rule("[in|of] [the] prioryear", () => back("year")),
  // the same period last year, im gleichen Zeitraum des Vorjahres
  rule("[in|of] [the] same period [in|of] [the] Away", ([time]) => shiftOnly(against(time))),
  rule("[in|of] [the] same Unit [in|of] [the] Away", ([, time]) => shiftOnly(against(time))),
  ...(["year", "quarter", "month", "week", "day"] as const).flatMap((grain) => [
    rule(`prior:${grain}`, () => back(grain)),
    rule(`in|of [the] prior:${grain}`, (_, calendar) => ({
      ...present(grain, calendar, false, -1),
      led: true,
    })),
    ...WITH_PRIOR.map((said) => rule(`${said} [the] prior:${grain}`, () => back(grain))),
  ]),
  rule("versus [dot] [the] Stretch", ([stretch]) => against(stretch)),
  rule("compared with [the] Stretch", ([stretch]) => against(stretch)),
  rule("than SureTime", ([time]) => against(time)),
  rule("versus [dot] Compare", ([compare]) => compare),
  rule("[in] compared with Compare", ([compare]) => compare),
];

/** What is said beside a window: how results are grouped, and what they are compared with. */
export const ASIDE_RULES: readonly Rule[] = [...GROUPING, ...COMPARING];
