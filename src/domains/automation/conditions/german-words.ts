import { type Lexicon, phrase } from "./words.ts";

const IS = "(?:ist|sind|war|waren|wird|werden|bleibt|bleiben|liegt|liegen)";
const FALLS = "(?:fällt|fallen|sinkt|sinken|rutscht|rutschen|geht|gehen|ist|sind|liegt|liegen)";
const RISES = "(?:steigt|steigen|klettert|klettern|wächst|wachsen|geht|gehen|ist|sind|liegt|liegen)";

/** Conditions in German, whose verbs stand before or behind the value: "unter 50 fällt", "fällt unter 50". */
export const GERMAN: Lexicon = {
  openings: [
    /^(?:bitte )?(?:benachrichtige|alarmiere|warne|informiere|melde|sag|sage|schick|schicke)(?: (?:mich|mir|uns|alle))?(?: bescheid| eine mail| eine nachricht)?,? /,
    /^(?:wenn|falls|sobald|immer wenn|für den fall, dass) /,
    /^(?:es )?(?:irgend)?(?:eine|jede|alle|einige)?\s?(?:zeilen?|einträge?|datensätze?),? (?:in|bei|mit|für)?\s?(?:der|denen|welchen|die|deren)? ?/,
    /^(?:die|der|das|den|unsere?|alle|jede[rs]?) /,
  ],
  comparisons: [
    [phrase(`(?:${IS} )?nicht leer(?: ${IS})?|${IS} gefüllt|vorhanden`), "filled"],
    [phrase(`(?:${IS} )?(?:leer|fehlend)(?: ${IS})?|fehlt|fehlen`), "empty"],
    [phrase(`(?:${IS} )?zwischen`), "between"],
    [
      phrase(`(?:${IS} )?(?:mindestens|wenigstens|nicht weniger als|nicht unter)|erreicht|erreichen|>=`),
      ">=",
    ],
    [phrase(`(?:${IS} )?(?:höchstens|maximal|nicht mehr als|nicht über|bis zu)|<=`), "<="],
    [
      phrase(
        `(?:${FALLS} )?(?:auf )?(?:unter|weniger als|kleiner als|niedriger als|geringer als)|unterschreitet|<`,
      ),
      "<",
    ],
    [phrase(`(?:${RISES} )?(?:auf )?(?:über|mehr als|größer als|höher als)|übersteigt|überschreitet|>`), ">"],
    [phrase("(?:enthält|enthalten)"), "like"],
    [phrase(`(?:${IS} (?:nicht gleich|nicht|ungleich)|ungleich|!=)`), "!="],
    [phrase(`(?:${IS} gleich|gleich|${IS}|=)`), "="],
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
