/** The words of conditions in plain language. Longer phrases stand before those that they begin with. */

export type Comparison = "<" | ">" | "<=" | ">=" | "=" | "!=" | "like" | "empty" | "filled" | "between";

const IS = "(?:is|are|was|were|gets?|goes|becomes?|stays?)";
const GOES = "(?:drops?|falls?|sinks?|goes|go|dips?|slips?|declines?|is|are|gets?|stays?)";
const RISES = "(?:rises?|climbs?|goes|go|grows?|jumps?|increases?|is|are|gets?|stays?)";

/** In this order: the first that fits is taken. */
const COMPARISONS: readonly (readonly [RegExp, Comparison])[] = [
  [phrase(`${IS} (?:not|n't) (?:empty|missing|null|blank)`), "filled"],
  [phrase("(?:is filled|is present|exists)"), "filled"],
  [phrase(`${IS} (?:empty|missing|null|blank)`), "empty"],
  [phrase(`(?:${IS} )?between`), "between"],
  [phrase(`(?:${IS} )?(?:at least|no less than|not less than|not below)|reach(?:es)?|>=`), ">="],
  [phrase(`(?:${IS} )?(?:at most|no more than|not more than|not above|up to)|<=`), "<="],
  [
    phrase(`(?:${GOES} )?(?:to )?(?:below|under|beneath|less than|fewer than|lower than|smaller than)|<`),
    "<",
  ],
  [
    phrase(
      `(?:${RISES} )?(?:to )?(?:over|above|beyond|more than|greater than|higher than|larger than)|exceeds?|passes|>`,
    ),
    ">",
  ],
  [phrase("(?:contains?|includes?)"), "like"],
  [phrase(`(?:${IS} not equal to|${IS} not|isn't|aren't|is n't|differs from|does not equal|!=)`), "!="],
  [phrase(`(?:${IS} equal to|equals?|${IS}|=)`), "="],
];

export type Aggregate = "sum" | "avg" | "count" | "max" | "min";

const AGGREGATES: readonly (readonly [RegExp, Aggregate])[] = [
  [/^(?:the )?(?:sum of|total of|sum|total|overall)(?: the)? /, "sum"],
  [/^(?:the )?(?:average of|mean of|average|avg|mean)(?: the)? /, "avg"],
  [/^(?:the )?(?:number of|count of|how many)(?: the)? /, "count"],
  [/^(?:the )?(?:maximum of|maximum|highest|largest|max)(?: the)? /, "max"],
  [/^(?:the )?(?:minimum of|minimum|lowest|smallest|min)(?: the)? /, "min"],
];

export const AGGREGATE_WORDS: Readonly<Record<Aggregate, string>> = {
  sum: "the sum of",
  avg: "the average of",
  count: "the number of",
  max: "the largest",
  min: "the smallest",
};

/** Phrases before the condition itself. */
const OPENINGS: readonly RegExp[] = [
  /^(?:please )?(?:alert|tell|notify|warn|inform|mail|email|message)(?: (?:me|us|them|everybody|everyone))?(?: as soon as)? /,
  /^(?:when(?:ever)?|if|once|as soon as|in case) /,
  /^(?:there (?:is|are) )?(?:any|a|some|one|each|every|all)(?: of the)? (?:rows?|records?|entry|entries|lines?|items?)(?: (?:where|whose|with|that|which|in which|for which|has|have))+ /,
  /^(?:any|the|our|my|all|each|every) /,
];

const ROW_NOUNS = new Set(["rows", "row", "records", "record", "entries", "entry", "lines", "items"]);

/** How one language says conditions. */
export interface Lexicon {
  /** Phrases before the condition itself; the third tells that it is about single rows. */
  openings: readonly RegExp[];
  comparisons: readonly (readonly [RegExp, Comparison])[];
  aggregates: readonly (readonly [RegExp, Aggregate])[];
  articles: RegExp;
  /** Words that say "a number for each day", at the beginning or at the end. */
  daily: RegExp;
  rowNouns: ReadonlySet<string>;
  /** Phrases behind the value: verbs, where a language puts them last. */
  ending: RegExp;
  between: RegExp;
  /** The sign between thousands; the other one is before the fraction. */
  thousands: "," | ".";
  /** Words that are columns under another name. */
  synonyms: ReadonlyMap<string, readonly string[]>;
}

export const ENGLISH: Lexicon = {
  openings: OPENINGS,
  comparisons: COMPARISONS,
  aggregates: AGGREGATES,
  articles: /^(?:the|our) /,
  daily: /^(?:the )?daily | (?:per|a|each) day$/,
  rowNouns: ROW_NOUNS,
  ending: /^$/,
  between: / and | to /i,
  thousands: ",",
  synonyms: new Map(),
};

/** Surrounded by spaces, as the text is when it is searched. */
function phrase(source: string): RegExp {
  return new RegExp(` (?:${source}) `);
}

const IST = "(?:ist|sind|war|waren|wird|werden|bleibt|bleiben|liegt|liegen)";
const FALLS = "(?:fällt|fallen|sinkt|sinken|rutscht|rutschen|geht|gehen|ist|sind|liegt|liegen)";
const STEIGT = "(?:steigt|steigen|klettert|klettern|wächst|wachsen|geht|gehen|ist|sind|liegt|liegen)";

/** Conditions in German, whose verbs stand before or behind the value: "unter 50 fällt", "fällt unter 50". */
export const GERMAN: Lexicon = {
  openings: [
    /^(?:bitte )?(?:benachrichtige|alarmiere|warne|informiere|melde|sag|sage|schick|schicke)(?: (?:mich|mir|uns|alle))?(?: bescheid| eine mail| eine nachricht)?,? /,
    /^(?:wenn|falls|sobald|immer wenn|für den fall, dass) /,
    /^(?:es )?(?:irgend)?(?:eine|jede|alle|einige)?\s?(?:zeilen?|einträge?|datensätze?),? (?:in|bei|mit|für)?\s?(?:der|denen|welchen|die|deren)? ?/,
    /^(?:die|der|das|den|unsere?|alle|jede[rs]?) /,
  ],
  comparisons: [
    [phrase(`(?:${IST} )?nicht leer(?: ${IST})?|${IST} gefüllt|vorhanden`), "filled"],
    [phrase(`(?:${IST} )?(?:leer|fehlend)(?: ${IST})?|fehlt|fehlen`), "empty"],
    [phrase(`(?:${IST} )?zwischen`), "between"],
    [
      phrase(`(?:${IST} )?(?:mindestens|wenigstens|nicht weniger als|nicht unter)|erreicht|erreichen|>=`),
      ">=",
    ],
    [phrase(`(?:${IST} )?(?:höchstens|maximal|nicht mehr als|nicht über|bis zu)|<=`), "<="],
    [
      phrase(
        `(?:${FALLS} )?(?:auf )?(?:unter|weniger als|kleiner als|niedriger als|geringer als)|unterschreitet|<`,
      ),
      "<",
    ],
    [
      phrase(`(?:${STEIGT} )?(?:auf )?(?:über|mehr als|größer als|höher als)|übersteigt|überschreitet|>`),
      ">",
    ],
    [phrase("(?:enthält|enthalten)"), "like"],
    [phrase(`(?:${IST} (?:nicht gleich|nicht|ungleich)|ungleich|!=)`), "!="],
    [phrase(`(?:${IST} gleich|gleich|${IST}|=)`), "="],
  ],
  aggregates: [
    [/^(?:die )?(?:gesamtsumme|summe|gesamte[rsn]?|insgesamt)(?: (?:von|der|des|aller))?(?: den)? /, "sum"],
    [
      /^(?:der |die |das )?(?:durchschnitt|mittelwert|durchschnittliche[rsn]?|mittlere[rsn]?)(?: (?:von|der|des))? /,
      "avg",
    ],
    [/^(?:die )?(?:anzahl|zahl)(?: (?:von|der|aller))? /, "count"],
    [
      /^(?:der |die |das )?(?:höchste[rsn]?|größte[rsn]?|maximale[rsn]?|maximum)(?: (?:von|der|des))? /,
      "max",
    ],
    [
      /^(?:der |die |das )?(?:niedrigste[rsn]?|kleinste[rsn]?|minimale[rsn]?|minimum)(?: (?:von|der|des))? /,
      "min",
    ],
  ],
  articles: /^(?:die|der|das|den|unsere?) /,
  daily: /^(?:die |der |das )?tägliche[rsn]? | (?:pro|am|je) tag$/,
  rowNouns: new Set(["zeilen", "zeile", "einträge", "eintrag", "datensätze", "datensatz"]),
  ending:
    / (?:fällt|fallen|sinkt|sinken|steigt|steigen|liegt|liegen|ist|sind|wird|werden|geht|gehen|beträgt|betragen)$/,
  between: / und | bis /i,
  thousands: ".",
  synonyms: new Map(
    Object.entries({
      bestellungen: ["orders", "order"],
      bestellung: ["orders", "order"],
      aufträge: ["orders"],
      umsatz: ["revenue", "sales", "turnover"],
      umsätze: ["revenue", "sales"],
      betrag: ["amount"],
      beträge: ["amount"],
      menge: ["quantity", "units"],
      bestand: ["stock", "left", "inventory"],
      kosten: ["cost", "costs"],
      gewinn: ["profit"],
      preis: ["price"],
      kunden: ["customers", "customer"],
      besuche: ["visits"],
      fehler: ["errors", "error"],
      tage: ["days"],
    }),
  ),
};
