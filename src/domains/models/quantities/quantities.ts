/** What a number measures. Things are compared by it: the heaviest by weight, the fastest by speed or by how long it took. */
export type Quantity =
  | "money"
  | "duration"
  | "weight"
  | "length"
  | "height"
  | "depth"
  | "width"
  | "distance"
  | "area"
  | "volume"
  | "temperature"
  | "speed"
  | "power"
  | "energy"
  | "data"
  | "age"
  | "rating"
  | "share"
  | "people"
  | "count";

/** A way to count a quantity. */
export interface Unit {
  quantity: Quantity;
  /** How many of the quantity's plain unit it is; null where more than a factor lies between (°C and °F). */
  factor: number | null;
  /** As it stands behind a number. */
  sign: string;
  /** What it is called, first of all. */
  word: string;
}

export interface Measure {
  quantity: Quantity;
  unit?: Unit;
}

/** Units by quantity: how they are written, how many of the plain one they are, and how they are shown. */
const UNITS_OF: readonly [
  Quantity,
  readonly (readonly [words: string, factor: number | null, sign: string])[],
][] = [
  [
    "duration",
    [
      ["ms msec millisecond milliseconds millisekunde millisekunden", 0.001, "ms"],
      ["s sec secs second seconds sek sekunde sekunden", 1, "s"],
      ["min mins minute minutes minuten", 60, "min"],
      ["h hr hrs hour hours std stunde stunden", 3_600, "h"],
      ["day days tag tage tagen", 86_400, "days"],
    ],
  ],
  [
    "weight",
    [
      ["mg milligram milligrams milligramm", 0.001, "mg"],
      ["g gram grams gramm", 1, "g"],
      ["kg kilo kilos kilogram kilograms kilogramm", 1_000, "kg"],
      ["t ton tons tonne tonnes tonnen", 1_000_000, "t"],
      ["lb lbs", 453.592_37, "lb"],
      ["oz ounce ounces", 28.349_523_125, "oz"],
    ],
  ],
  [
    "length",
    [
      ["mm millimeter millimeters millimetre millimetres", 0.001, "mm"],
      ["cm centimeter centimeters centimetre centimetres zentimeter", 0.01, "cm"],
      ["m meter meters metre metres", 1, "m"],
      ["km kms kilometer kilometers kilometre kilometres", 1_000, "km"],
      ["inch inches zoll", 0.025_4, "in"],
      ["ft feet foot", 0.304_8, "ft"],
      ["mi mile miles meile meilen", 1_609.344, "mi"],
    ],
  ],
  [
    "area",
    [
      ["sqm m2 m² qm quadratmeter square", 1, "m²"],
      ["sqft ft2 ft²", 0.092_903_04, "sq ft"],
      ["sqkm km2 km²", 1_000_000, "km²"],
      ["sqmi mi2 mi²", 2_589_988.110_336, "sq mi"],
      ["ha hectare hectares hektar", 10_000, "ha"],
      ["acre acres", 4_046.856_422_4, "acres"],
    ],
  ],
  [
    "volume",
    [
      ["ml milliliter milliliters millilitre millilitres", 0.001, "ml"],
      ["l liter liters litre litres", 1, "l"],
      ["gallon gallons gal", 3.785_411_784, "gal"],
      ["m3 m³ cbm", 1_000, "m³"],
    ],
  ],
  [
    "temperature",
    [
      ["c °c celsius", null, "°C"],
      ["f °f fahrenheit", null, "°F"],
    ],
  ],
  [
    "speed",
    [
      ["kmh kph km/h", 1, "km/h"],
      ["mph", 1.609_344, "mph"],
      ["knots kt kts", 1.852, "kn"],
    ],
  ],
  [
    "power",
    [
      ["w watt watts", 1, "W"],
      ["kw kilowatt kilowatts", 1_000, "kW"],
      ["mw megawatt megawatts", 1_000_000, "MW"],
      ["hp horsepower", 745.699_872, "hp"],
      ["ps", 735.498_75, "PS"],
    ],
  ],
  [
    "energy",
    [
      ["wh", 1, "Wh"],
      ["kwh", 1_000, "kWh"],
      ["mwh", 1_000_000, "MWh"],
      ["gwh", 1_000_000_000, "GWh"],
    ],
  ],
  [
    "data",
    [
      ["bytes byte", 1, "bytes"],
      ["kb kilobytes", 1_000, "KB"],
      ["mb megabytes", 1_000_000, "MB"],
      ["gb gigabytes", 1_000_000_000, "GB"],
      ["tb terabytes", 1_000_000_000_000, "TB"],
    ],
  ],
  [
    "money",
    [
      ["€ eur euro euros", 1, "€"],
      ["$ usd dollar dollars bucks", 1, "$"],
      ["£ gbp pound pounds", 1, "£"],
      ["chf franc francs franken", 1, "CHF "],
      ["¥ jpy yen", 1, "¥"],
      ["cent cents", 0.01, "cents"],
    ],
  ],
  ["share", [["% pct percent percentage prozent", 1, "%"]]],
];

const UNITS: ReadonlyMap<string, Unit> = new Map(
  UNITS_OF.flatMap(([quantity, units]) =>
    units.flatMap(([words, factor, sign]) =>
      words
        .split(" ")
        .map((called, _, [word = called]): [string, Unit] => [called, { quantity, factor, sign, word }]),
    ),
  ),
);

/** What numbers are called by what they measure, in English and German; also at the end of a German compound. */
const NOUNS: readonly [Quantity, RegExp][] = Object.entries({
  share: "share|percent|percentage|pct|ratio|quote|anteil|prozent|prozentsatz",
  rating: "rating|ratings|score|scores|stars|grade|bewertung|note|punktzahl|sterne",
  temperature: "temperature|temperatures|temp|temperatur|temperaturen",
  speed: "speed|velocity|pace|geschwindigkeit|tempo",
  weight: "weight|weights|mass|payload|tonnage|gewicht|masse",
  height: "height|heights|altitude|elevation|höhe|hoehe|körpergröße",
  depth: "depth|depths|tiefe",
  width: "width|widths|breite",
  distance: "distance|distances|mileage|odometer|entfernung|strecke|distanz|laufleistung|kilometerstand",
  length: "length|lengths|wingspan|länge|laenge|spannweite",
  duration:
    "duration|durations|runtime|time|zeit|delay|delays|latency|dauer|laufzeit|verspätung|wartezeit|fahrzeit|arbeitszeit|spielzeit",
  area: "area|areas|acreage|fläche|flaeche|wohnfläche",
  volume: "volume|displacement|volumen|hubraum",
  power: "horsepower|power|wattage|leistung",
  energy: "energy|consumption|verbrauch|energie",
  age: "age|ages|alter",
  people: "population|inhabitants|residents|bevölkerung|einwohner|einwohnerzahl",
  money:
    "price|prices|cost|costs|amount|revenue|revenues|sales|turnover|profit|profits|salary|salaries|wage|wages|income|fee|fees|fare|fares|tip|tips|tax|taxes|budget|gross|spend|spending|expense|expenses|rent|earnings|payment|toll|tolls|bill|preis|kosten|betrag|umsatz|erlös|gewinn|gehalt|lohn|gebühr|miete|einkommen|ausgaben|einnahmen|trinkgeld|rabattbetrag",
  count: "quantity|quantities|count|counts|units|pieces|anzahl|menge|stückzahl",
}).map(([quantity, words]) => [quantity as Quantity, new RegExp(`^(?:${words})$`, "u")]);

/** Nouns that end German compounds: `Lieferdauer`, `Stückpreis`. */
const COMPOUND_ENDS =
  /(preis|kosten|betrag|umsatz|gebühr|gehalt|gewicht|dauer|länge|höhe|tiefe|breite|fläche|temperatur|geschwindigkeit|anteil|quote|menge|anzahl|bewertung|verbrauch)$/u;

/** What a word after a number, or behind the name of one, counts in. */
export function unitCalled(word: string): Unit | undefined {
  return UNITS.get(word.toLowerCase());
}

/** How many of one unit make one of another; undefined where they measure something else. */
export function unitsPer(one: Unit, other: Unit): number | undefined {
  if (one.quantity !== other.quantity || one.factor === null || other.factor === null)
    return one === other ? 1 : undefined;
  return one.factor / other.factor;
}

/**
 * What a number measures, and in what it is counted, by its name (`body_mass_g`, `Dauer [min]`, `hours_worked`) and by
 * what is said of it ("In euros"). A short sign behind a name is a unit only where the name measures nothing else: a
 * `temp_min` is in no minutes.
 */
export function measureOf(name: string, said: string | null = null): Measure | undefined {
  const words = wordsIn(name);
  const per = words.findIndex((word) => word === "per" || word === "pro");
  const own = per > 0 ? words.slice(0, per) : words;
  const quantity = quantityNamed(own);
  const unit = per > 0 ? undefined : (unitBehind(own, quantity) ?? unitSaid(said));
  if (per > 0 && quantity !== "money") return undefined;
  if (quantity !== undefined) return unit === undefined ? { quantity } : { quantity, unit };
  if (unit === undefined) return undefined;
  // Nobody speaks of a length where it is told in these.
  const isFar = unit.sign === "km" || unit.sign === "mi";
  return { quantity: isFar ? "distance" : unit.quantity, unit };
}

/** The last word that says so: a `salary_share` is a share. */
function quantityNamed(words: readonly string[]): Quantity | undefined {
  for (const word of words.toReversed()) {
    const found = NOUNS.find(([, nouns]) => nouns.test(word))?.[0] ?? compoundQuantity(word);
    if (found !== undefined) return found;
  }
  return undefined;
}

function compoundQuantity(word: string): Quantity | undefined {
  const end = COMPOUND_ENDS.exec(word)?.[1];
  return end === undefined || end === word ? undefined : NOUNS.find(([, nouns]) => nouns.test(end))?.[0];
}

/** Quantities that are counted in the same units. */
const LENGTHS: ReadonlySet<Quantity> = new Set(["length", "height", "depth", "width", "distance"]);
/** Spelt out they are units wherever they stand; of a day or an hour a column may say which one it is. */
const WRITTEN_OUT =
  /^(milliseconds|seconds|minutes|hours|days|weeks|grams|kilograms|pounds|meters|metres|kilometers|kilometres|miles|liters|litres|euros|dollars|stunden|minuten|sekunden|kilometer|lbs|kg|km)$/;

function unitBehind(words: readonly string[], quantity: Quantity | undefined): Unit | undefined {
  const last = words.at(-1) ?? "";
  const unit = UNITS.get(last);
  const spelt = words.find((word) => WRITTEN_OUT.test(word));
  if (unit === undefined) {
    const found = spelt === undefined ? undefined : UNITS.get(spelt);
    return found !== undefined && isIn(found, quantity) ? found : undefined;
  }
  if (words.length === 1) return WRITTEN_OUT.test(last) ? unit : undefined;
  // One letter alone is also a class, a size or a part.
  const isShort = last.length === 1 && !/[%€$£¥]/.test(last);
  if (quantity === undefined)
    return isShort || /^(day|hour|minute|second|week|min|tag|square)$/.test(last) ? undefined : unit;
  return isIn(unit, quantity) ? unit : undefined;
}

function isIn(unit: Unit, quantity: Quantity | undefined): boolean {
  if (quantity === undefined || unit.quantity === quantity) return true;
  if (unit.quantity === "length") return LENGTHS.has(quantity);
  // A length and an age may be of time, and a budget may be told as a share.
  if (unit.quantity === "duration") return quantity === "length" || quantity === "age";
  return false;
}

/** "In euros", "Length in minutes" */
function unitSaid(said: string | null): Unit | undefined {
  for (const [, word = ""] of squared(said ?? "").matchAll(/(?:^|\s)in\s+([\p{L}\p{N}°%€$£¥²³/]+)/giu)) {
    const unit = UNITS.get(word.toLowerCase());
    if (unit !== undefined) return unit;
  }
  return undefined;
}

const SQUARES: readonly [RegExp, string][] = [
  [/^f(ee|oo)?t$/i, "sqft"],
  [/^(kilomet(er|re)s?|km)$/i, "sqkm"],
  [/^(miles?|mi)$/i, "sqmi"],
  [/^(met(er|re)s?|m)$/i, "sqm"],
];

/** A text with units of area in one word: a square mile is no mile, and no square metre. */
export function squared(text: string): string {
  return text.replaceAll(/(?<!\p{L})square[ _-]?(\p{L}+)/giu, (said, unit: string) => {
    const [, word] = SQUARES.find(([pattern]) => pattern.test(unit)) ?? [];
    return word ?? said.replace(/[ _-]/, "");
  });
}

function wordsIn(name: string): string[] {
  return squared(name)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}°%€$£¥²³]+/u)
    .flatMap((word) => word.split(/(?<=[\p{L}\p{N}])(?=[%€$£¥])/u))
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
