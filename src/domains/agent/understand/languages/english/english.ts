import type { Language, Superlative } from "../language.ts";
import { fold, stem } from "../words.ts";
import { COMPARATIVES } from "./comparatives.ts";
import { ENGLISH_GLOSSARY } from "./glossary.ts";
import { GRAMMAR } from "./grammar.ts";
import { phrase } from "./phrasing.ts";

/** Words that say nothing about the data, wherever they stand: a word that could be a condition, a unit or a kind of number is none. */
const FILLERS: ReadonlySet<string> = new Set(
  `what which who whom names whats the a an is are was were be been am do does did there here that this
  these those me i we you they it its them their our us his her my your 's please can could would will
  shall should tell show give list name find get see display know about all any some one ones
  of out so just now then ? ! . , ; : " ' ’ ( ) & also else euro euros want like need doing currently
  really exactly look looking question help how up developed develop evolved evolve trend yet still both
  different distinct times as if when respectively already ever today's miles mile kilometers km metre
  metres meter meters altogether together had we've i'd let only roughly approximately table chart pie
  ranked ranking d ll ve re m split broken down breakdown grouped distributed distribution anything
  something anyone anybody somebody actual actually unique money someone everything everybody everyone
  calendar because very even once atm asap btw fyi mr mrs simply quite rather much many quick quickly hi hello hey thanks thank
  kindly sorry wondering wonder interested curious figure figures numbers data info information overview
  report summary details detail respective corresponding whole entire too anyway basically overall being
  having going catalogue catalog database pls goods company companies team right`.split(/\s+/),
);

/** What is done with anything: empty behind its noun ("orders placed"), but what it says before one ("placed orders"). */
const DEEDS: ReadonlySet<string> = new Set(
  `located found exist live lives stay stays lie lies situated based come came comes coming happen happened
  make makes made bring brings brought bringing add adds added take takes took taken place placed generate
  generated receive receives received carry carries achieve achieved reach reached recorded got gets went
  work works working run runs operate operates taken send sends sent submit submitted cause causes caused occur
  occurs occurred happens rode go goes fly flew flown arrive arrives arrived started depart departs
  departed landed`.split(/\s+/),
);

/** Deeds that are empty only beside what they are done with: refunds are paid, orders need not be. */
const BESIDE: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    paid: /refund|reimburs|salar|wage/,
    pay: /refund|reimburs|salar|wage/,
    issued: /refund|reimburs|salar|wage/,
    gave: /discount|rebate|refund/,
    grant: /discount|rebate/,
    granted: /discount|rebate/,
    given: /reason/,
    single: /^(?:.* )?(?:an?|every|each|one) single\b/,
    direct: /report/,
    current: /^(?!.*(?:\b\d{4}\b|\b(?:last|previous) ))/,
    full: /target|plan|goal/,
    off: /\bt(?:ook|akes?|aken) off\b/,
  }),
);

/** "the highest number of": the most. */
function numberOf(words: string, dir: "max" | "min"): Record<string, Superlative> {
  return Object.fromEntries(
    words.split(" ").map((word) => [`${word} number of`, { dir, dim: null, isCount: true }]),
  );
}

function extremes(most: string, least: string, dim: string): Record<string, Superlative> {
  const all = [...most.split(" "), ...least.split(" ")];
  return Object.fromEntries(
    all.map((word) => [word, { dir: least.split(" ").includes(word) ? "min" : "max", dim }]),
  );
}

const SUPERLATIVES: ReadonlyMap<string, Superlative> = new Map(
  Object.entries({
    largest: { dir: "max", dim: "big" },
    biggest: { dir: "max", dim: "big" },
    smallest: { dir: "min", dim: "big" },
    highest: { dir: "max", dim: "high" },
    tallest: { dir: "max", dim: "high" },
    lowest: { dir: "min", dim: "high" },
    longest: { dir: "max", dim: "long" },
    shortest: { dir: "min", dim: "long" },
    densest: { dir: "max", dim: "dense" },
    sparsest: { dir: "min", dim: "dense" },
    ...numberOf("highest largest greatest biggest most maximum", "max"),
    ...numberOf("lowest smallest fewest least minimum", "min"),
    greatest: { dir: "max", dim: null },
    maximum: { dir: "max", dim: null },
    minimum: { dir: "min", dim: null },
    most: { dir: "max", dim: null, isCount: true },
    fewest: { dir: "min", dim: null, isCount: true },
    least: { dir: "min", dim: null, isCount: true },
    best: { dir: "max", dim: null },
    worst: { dir: "min", dim: null },
    top: { dir: "max", dim: null },
    bottom: { dir: "min", dim: null },
    strongest: { dir: "max", dim: null },
    weakest: { dir: "min", dim: null },
    fastest: { dir: "max", dim: null, or: { dir: "max", dim: "fast" } },
    slowest: { dir: "max", dim: "long", or: { dir: "min", dim: "fast" } },
    heaviest: { dir: "max", dim: "heavy" },
    lightest: { dir: "min", dim: "heavy" },
    ...extremes("hottest warmest", "coldest coolest", "hot"),
    ...extremes("deepest", "shallowest", "deep"),
    ...extremes("widest broadest", "narrowest", "wide"),
    ...extremes("farthest furthest", "nearest closest", "far"),
    ...extremes("wettest rainiest", "driest", "wet"),
    ...extremes("windiest", "calmest", "windy"),
    "most powerful": { dir: "max", dim: "powerful" },
    last: { dir: "max", dim: "date" },
    first: { dir: "min", dim: "date" },
    ...Object.fromEntries(
      ["populou", "populous", "populat", "populated"].flatMap((word) => [
        [`most ${word}`, { dir: "max" as const, dim: "people" }],
        [`least ${word}`, { dir: "min" as const, dim: "people" }],
      ]),
    ),
    "most recent": { dir: "max", dim: "date" },
    "for the first time": { dir: "min", dim: "date" },
    "first time": { dir: "min", dim: "date" },
    "for the last time": { dir: "max", dim: "date" },
    oldest: { dir: "min", dim: "age" },
    youngest: { dir: "max", dim: "age" },
    newest: { dir: "max", dim: "date" },
    latest: { dir: "max", dim: "date" },
    earliest: { dir: "min", dim: "date" },
    cheapest: { dir: "min", dim: "price" },
    "most expensiv": { dir: "max", dim: "price" },
    priciest: { dir: "max", dim: "price" },
    "least expensiv": { dir: "min", dim: "price" },
    "most common": { dir: "max", dim: "common" },
    "most frequent": { dir: "max", dim: "common" },
    "most frequently": { dir: "max", dim: "common" },
    "most successful": { dir: "max", dim: null },
    "most popular": { dir: "max", dim: null },
    "most important": { dir: "max", dim: null },
    "least common": { dir: "min", dim: "common" },
    "least frequent": { dir: "min", dim: "common" },
    commonest: { dir: "max", dim: "common" },
    "most often": { dir: "max", dim: "common" },
    "best sell": { dir: "max", dim: null },
    "best-selling": { dir: "max", dim: null },
    "top sell": { dir: "max", dim: null },
    "top-selling": { dir: "max", dim: null },
    "worst sell": { dir: "min", dim: null },
    busiest: { dir: "max", dim: null, or: { dir: "max", dim: "common" } },
    quietest: { dir: "min", dim: "common" },
    "lowest perform": { dir: "min", dim: null },
    "highest perform": { dir: "max", dim: null },
    "top perform": { dir: "max", dim: null },
    "best perform": { dir: "max", dim: null },
    "worst perform": { dir: "min", dim: null },
  } satisfies Record<string, Superlative>),
);

/** Words that judge without saying by which number. */
const EVALUATIVE: ReadonlySet<string> = new Set(
  "best worst good bad better worse volume performance perform doing numbers figures results kpi kpis metrics stats statistics successful important popular strong weak well badly poorly busy busiest busier loyal valuable favourite favorite productive efficient healthy healthiest attractive".split(
    " ",
  ),
);

/** Words before a number: how it is compared. */
const QUANTITIES: ReadonlyMap<string, "<" | "<=" | ">" | ">=" | "="> = withThat(
  Object.entries<"<" | "<=" | ">" | ">=" | "=">({
    "more than": ">",
    "greater than": ">",
    "higher than": ">",
    over: ">",
    above: ">",
    exceeding: ">",
    "at least": ">=",
    "no less than": ">=",
    "less than": "<",
    "fewer than": "<",
    "lower than": "<",
    under: "<",
    below: "<",
    "at most": "<=",
    "up to": "<=",
    "no more than": "<=",
    within: "<=",
    exactly: "=",
    precisely: "=",
    just: "=",
    only: "=",
    "better than": ">",
    "worse than": "<",
    "larger than": ">",
    "bigger than": ">",
    "longer than": ">",
    "shorter than": "<",
    "smaller than": "<",
    "cheaper than": "<",
    "more expensive than": ">",
    "pricier than": ">",
    "not more than": "<=",
    "not less than": ">=",
    "a minimum of": ">=",
    "a maximum of": "<=",
    exceeds: ">",
    exceeded: ">",
    exceed: ">",
    "heavier than": ">",
    "lighter than": "<",
    "faster than": ">",
    "slower than": "<",
    "older than": ">",
    "younger than": "<",
    "hotter than": ">",
    "warmer than": ">",
    "colder than": "<",
    "deeper than": ">",
    "wider than": ">",
    "taller than": ">",
    "worth more than": ">",
    "worth over": ">",
  }),
);

const NUMBERS: ReadonlyMap<string, number> = new Map(
  "one two three four five six seven eight nine ten eleven twelve".split(" ").map((word, i) => [word, i + 1]),
);

const ORDINALS: ReadonlyMap<string, number> = new Map(
  "second third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .flatMap((word, i) => [[word, i + 1] as const, [`${i + 2}${["nd", "rd"][i] ?? "th"}`, i + 1] as const]),
);

/** Nouns of a dimension: the size of something is how big it is. */
const MEASURES: ReadonlyMap<string, string> = new Map(
  Object.entries({ size: "big", height: "high", elevation: "high", altitud: "high", length: "long" }),
);

/** Adjectives after `how`, and the dimension that they ask for. */
export const HOW: ReadonlyMap<string, string> = new Map(
  Object.entries({
    big: "big",
    larg: "big",
    small: "big",
    high: "high",
    tall: "high",
    long: "long",
    short: "long",
    dens: "dense",
    old: "age",
    expensiv: "price",
    heavy: "heavy",
    fast: "fast",
    hot: "hot",
    warm: "hot",
    cold: "hot",
    deep: "deep",
    wide: "wide",
    far: "far",
    windy: "windy",
    powerful: "powerful",
  }),
);

/** Words by which a field shows that it measures a dimension, the best first. */
export const DIMENSIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    big: [
      "big",
      "larg",
      "size",
      "area",
      "population",
      "magnitud",
      "capacity",
      "total",
      "amount",
      "betrag",
      "bruttobetrag",
      "umsatz",
    ],
    high: ["high", "tall", "height", "elevation", "altitud", "hohe"],
    long: ["long", "length", "duration", "runtim", "distanc", "lang", "dauer", "streck"],
    dense: ["dens", "density"],
    people: ["population", "inhabitant", "resident"],
    date: ["date", "day", "start"],
    price: [
      "pric",
      "price",
      "cost",
      "amount",
      "total",
      "fare",
      "bill",
      "budget",
      "rent",
      "preis",
      "kosten",
      "betrag",
    ],
    heavy: ["weight", "mass", "gewicht"],
    fast: ["speed", "velocity", "geschwindigkeit"],
    hot: ["temperatur", "temperature", "temp", "celsius", "fahrenheit"],
    deep: ["depth", "tief"],
    wide: ["width", "breit"],
    far: ["distanc", "entfernung"],
    wet: ["precipitation", "rainfall", "rain", "niederschlag"],
    windy: ["wind"],
    powerful: ["horsepower", "power", "leistung", "ps", "kw"],
    age: ["age", "alter"],
  }),
);

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const ENGLISH: Language = {
  fillers: new Set([...FILLERS, ...DEEDS, ...BESIDE.keys()]),
  deeds: DEEDS,
  beside: BESIDE,
  grammar: GRAMMAR,
  superlatives: SUPERLATIVES,
  evaluative: EVALUATIVE,
  vague:
    /^\s*(?:so |and )*how(?:['’]s| is| are| was| were| did| do| does| have| has)\b.*\b(?:doing|do|going|been|looking?|running|business|things|faring)\b/i,
  quantities: QUANTITIES,
  ranges: new Set(["between", "from"]),
  rangeAnd: new Set(["and", "to"]),
  numbers: NUMBERS,
  times: new Map([
    ["once", 1],
    ["twice", 2],
    ["thrice", 3],
  ]),
  timesWords: new Set(["times"]),
  ordinals: ORDINALS,
  all: new Set(["all"]),
  averages: new Set(["average", "avg", "mean"]),
  quantitiesAfter: new Map([
    ...["or more", "or above", "or higher", "or over", "and above", "and more", "or later"].map(
      (word) => [word, ">="] as const,
    ),
    ...["or less", "or fewer", "or below", "or lower", "or under"].map((word) => [word, "<="] as const),
  ]),
  daysOfWeek: new Map<string, string[]>([
    ...DAYS.map((day): [string, string[]] => [`${day.toLowerCase()}s`, [day]]),
    ["weekend", ["Saturday", "Sunday"]],
    ["weekends", ["Saturday", "Sunday"]],
    ["working days", DAYS.slice(0, 5)],
    ["monday to friday", DAYS.slice(0, 5)],
  ]),
  dateParts: new Map([
    ...["weekday", "weekdays", "day of the week", "days of the week", "day of week"].map(
      (word) => [word, "weekday"] as const,
    ),
    ...["hour", "hours", "hour of the day", "hours of the day", "hour of day", "time of day"].map(
      (word) => [word, "hour"] as const,
    ),
    ...["month of the year", "months of the year", "calendar month"].map((word) => [word, "month"] as const),
  ]),
  comparatives: COMPARATIVES,
  measures: MEASURES,
  how: HOW,
  than: "than",
  asks: "how",
  dateWords:
    "month monthly months quarter quarterly quarters daily weekly weeks yearly years annual annually january february march april june july august september october november december average number highest lowest between without percentage compared growth share".split(
      " ",
    ),
  listOpener:
    /^\s*(?:(?:please|hi|hello|hey|team|can|could|would|you|i|we|tell|me|us|like|want|need|to|know|quick|question)\b[\s,:!]*)*(which|list|show|name|who|give)\b/i,
  grains: new Map(
    (["day", "week", "month", "quarter", "year"] as const).flatMap((grain) => [
      [grain, grain] as const,
      [`${grain}s`, grain] as const,
    ]),
  ),
  people: new Set(["who"]),
  auxiliaries: new Set("is are was were be been has have had do does did we you they i our the a".split(" ")),
  inUnits: new Set(["in"]),
  scales: new Map([
    ["thousand", 1e3],
    ["million", 1e6],
    ["mn", 1e6],
    ["billion", 1e9],
    ["bn", 1e9],
  ]),
  gloss: ENGLISH_GLOSSARY,
  prepare: phrase,
  fold,
  stem,
  isMany: (norm) => /[^s]s$/.test(norm),
  digits: (text) => Number(text.replaceAll(",", "")),
};

/** "above the average", "above that of the average" */
function withThat<T>(words: [string, T][]): Map<string, T> {
  const more = words.flatMap(([word, op]): [string, T][] =>
    /^(exactly|precisely|just|only)$/.test(word)
      ? []
      : [
          [`${word} the`, op],
          [`${word} an`, op],
          [`${word} our`, op],
          [`${word} that of the`, op],
        ],
  );
  return new Map([...words, ...more]);
}
