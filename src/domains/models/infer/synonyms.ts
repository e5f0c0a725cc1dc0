/** Numbers that are named after their unit are asked for by what they measure. Other words are the questions' own matter. */
const UNITS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    milliseconds: ["duration", "length", "time"],
    seconds: ["duration", "length", "time"],
    minutes: ["duration", "length", "time"],
    hours: ["duration", "time"],
    bytes: ["size"],
    kilometers: ["distance"],
    km: ["distance"],
    miles: ["distance"],
    kg: ["weight"],
  }),
);

/** Behind a name they say what a number is counted in: of `body_mass_g` people ask for the body mass. */
const UNIT_SIGNS = new Set(
  `mm cm m km ft inch inches mi miles g kg mg lb lbs oz t tons ms s sec secs seconds min mins minutes hr hrs hours h days
  usd eur gbp chf jpy cad aud dollars euros pct percent c f celsius knots fahrenheit kw kwh mw mwh gwh l ml liters litres sqm
  sqft sqkm m2 km2 ha hectares acres kb mb gb tb bytes bpm rpm mph kmh kph psi bar hpa ppm mgdl mmhg`.split(
    /\s+/,
  ),
);

/** What a number in this unit measures, in place of its last word, and without the unit. */
export function measuredBy(words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  // What is per something is in neither unit, and a least value is in no minutes where it stands alone.
  if (words.includes("per")) return [];
  const rest = words.slice(0, words.at(-2) === "in" ? -2 : -1);
  const measures = UNITS.get(last) ?? [];
  return [
    ...measures.map((word) => [...rest, word].join(" ")),
    ...(UNIT_SIGNS.has(last) && rest.length > 0 ? [rest.join(" ")] : []),
  ];
}

/** What is asked for where a dataset is about selling. */
export const SALES = ["sales", "turnover", "spend", "spending"];
const SELLING = new Set(
  "order sale sales invoice transaction purchase item line detail booking payment receipt".split(" "),
);

export function isSelling(thing: readonly string[]): boolean {
  return thing.some((word) => SELLING.has(word));
}
