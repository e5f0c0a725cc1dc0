import { ENGLISH } from "../english/english.ts";
import type { Language, Vocabulary } from "../language.ts";
import { deniedAll, eitherOr, fieldsWith, isValue } from "../sentences.ts";
import { GLOSSARY } from "./glossary.ts";
import { inOrder, withParts } from "./order.ts";
import { behindVerbs, plain } from "./rewrites.ts";
import { foldGerman, GERMAN_FORMS, stemGerman } from "./stem.ts";

const ENDINGS = ["", "e", "en", "er", "es", "em"];

/** Forms as they are looked up; a star stands for the endings of an adjective. */
function formsOf(words: string): string[] {
  return words
    .trim()
    .split(/\s*,\s*|\n\s*/)
    .flatMap((word) =>
      word.includes("*")
        ? ENDINGS.map((ending) => foldGerman(word.replace("*", ending)))
        : [foldGerman(word)],
    );
}

/** German words that do what English ones do; these are kept, since names of metrics are often English. */
function like<T>(english: ReadonlyMap<string, T>, words: Readonly<Record<string, string>>): Map<string, T> {
  const found = new Map(english);
  for (const [as, forms] of Object.entries(words)) {
    const meaning = english.get(as);
    if (meaning === undefined) throw new Error(`No English word "${as}".`);
    for (const form of formsOf(forms)) found.set(form, meaning);
  }
  return found;
}

const FILLERS = `was wer wen wem wie viele vielen welch* welchen der die das den dem des dass ein* ist sind war waren
  sein wird werden wurde wurden worden habe haben hat hatte hatten ich wir uns mir mich unser* ihr* sie es man du
  sich bitte kann kannst könnt können könntest könnten möchte möchten würde will wollen soll sollen zeig zeige zeigen
  zeigt anzeigen gib gibt geben gab nenne nennen nenn liste auflisten sag sage sagen finde finden sehen wissen
  brauche brauchen mal denn doch eigentlich genau etwa ungefähr circa ca rund alle aller allen
  alles sämtlich* dies* jen* dort hier so also auch nur ausschließlich lediglich noch schon bereits gerade dann dabei davon
  daraus dazu euro eur entwickelt entwickelte entwickeln verlauf übersicht tabelle diagramm verschieden*
  unterschiedlich* prozentual* hoch beim frage aber sowohl beide beiden hin her zur zum aussehen sieht betrug betrugen
  beträgt betragen beläuft beliefen belaufen heißen heißt mehreren insbesondere zwar doch ja überhaupt jemals einmal
  aufgelistet sortiert wäre verteilt verteilen verteilung entwicklung trend aktuell
  momentan derzeit zurzeit nun zusammen herr herrn frau etwas angaben überblick interessiert hätte gern gerne tatsächlich`;

/** Verbs that only link the things of a question. */
const DEEDS = `gemacht machen machte machten macht erzielt erzielen erzielte erzielten erwirtschaftet
  erwirtschaften eingebracht einbringen gebracht bringen generiert getätigt aufgegeben vorhanden existieren
  existiert liegen liegt lag lagen befinden befindet eingegangen angefallen verzeichnet stattgefunden kamen kommen
  kommt kam gekommen erreicht erreichen erreichte erreichten vereinnahmt bekommen bekommt bekam bekamen erhalten erhält erhielt erhielten angelegt
  einbrachte einbrachten einbringt brachte brachten bringt sitzt sitzen ansässig wohnt wohnen lebt leben stammt stammen
  entfällt entfallen entfiel entfielen abschneidet abschneiden rein herein
  reingekommen gestellt getan passiert erfolgt erfolgten erstellt dauert dauern dauerte dauerten gedauert verursacht verursachen verursachte
  gearbeitet arbeitet arbeiten arbeitete genutzt nutzt nutzen benutzt verwendet verwenden ausgerichtet veranstaltet
  gehalten hält gesammelt eingesammelt umfasst umfassen gehört gehören steht stehen stand standen eingetragen
  registriert erfasst gezählt gemessen beobachtet aufgezeichnet beteiligt teilgenommen betreibt betreiben`;

/** Words that are empty only beside what they belong to. */
const BESIDE: ReadonlyMap<string, RegExp> = new Map(
  (
    [
      [
        /flug|fahrt|reise|tour|trip|rad|zug|taxi/,
        "gefahren geflogen fuhr fuhren fahren flog flogen fliegt fliegen abgehen abging abgingen abfliegen abflogen abfahren abfuhren starten startete starteten gestartet landen landete landeten gelandet ankommen ankamen angekommen",
      ],
      [/film|serie|buch|titel|album|bewertung/, "herausgebracht gedreht geschrieben"],
      [/ticket|fall|storung|vorfall|unfall/, "gemeldet"],
      [/auftrag|rabatt|nachlass|note|bewertung|rechnung/, "erteilt ausgestellt vergeben"],
      [/\bein\b|flug|fahrt|reise|zug/, "gehen geht ging gingen"],
      [/^wie\b/, "läuft lief laufen liefen"],
      [/\bwir\b/, "führen anbieten"],
      [/\bwerden von\b|lieferant/, "geliefert liefert liefern"],
      [/\b(?:in|aus|von) (?:der|dieser|unserer) (?:datei|tabelle|liste)\b/, "datei liste"],
    ] as const
  ).flatMap(([pattern, words]) => words.split(" ").map((word) => [foldGerman(word), pattern] as const)),
);

const GRAMMAR: Readonly<Record<string, string>> = {
  in: "in, im, an, am, auf, aus, bei, beim, für, zu, zum, zur, innerhalb, unter, über, durch, während, seit, per, um, wegen, aufgrund, mithilfe",
  of: "von, vom, der, des, davon",
  "that of": "dem der, denen der, der von, dem von, dem des",
  with: "mit, hat, haben, hatte, hatten, besitzen, besitzt, deren, dessen, enthalten, enthält",
  "with their":
    "mit ihrem, mit ihrer, mit ihren, und ihr, und ihre, und ihren, und ihrem, und deren, samt ihr*",
  not: "nicht, außer, ausgenommen, exklusive, abgesehen",
  without: "ohne, kein*, nichts, nie, niemals",
  "how often": "wie oft, wie häufig",
  "how many":
    "wie viele, wie vielen, wieviele, wievielen, anzahl, anzahl der, anzahl von, zahl der, die anzahl der",
  "how much": "wie viel, wieviel, wie hoch, wie groß",
  averag:
    "durchschnitt, im durchschnitt, im schnitt, im mittel, durchschnittlich*, durchschnitts, mittelwert, mittler*",
  median: "median, medianwert",
  different: "verschieden*, unterschiedlich*",
  total: "gesamt*, summe, insgesamt, in summe, summiert, zusammengerechnet",
  "time to":
    "zeit bis, zeiten bis, dauer bis, tage bis, stunden bis, minuten bis, zeit bis zur, zeit bis zum, tage bis zur, tage bis zum, dauer bis zur, dauer bis zum",
  per: "pro, je",
  by: "nach, aufgeschlüsselt nach, gruppiert nach, aufgeteilt nach",
  each: "jed*, jedweils, einzeln*, der einzelnen, für jed*, von jed*, jeweils",
  where: "wo",
  when: "wann",
  and: "und, sowie",
  or: "oder",
  only: "nur, ausschließlich, lediglich",
  than: "als",
  share:
    "teil, anteil, anteile, prozentsatz, prozent, prozent der, prozent des, prozent von, prozent vom, wie viel prozent, wieviel prozent, wie viel prozent der, wie viel prozent des, anteilig*",
  "as a share of the total": "als anteil am gesamten, anteil am gesamten",
  growth: "wachstum, anstieg, steigerung, zuwachs, veränderung, verändert, änderung",
  grow: "wuchs, wuchsen, wachsen, gewachsen, wächst, zugelegt, zulegte, zulegten, zunahm, zunahmen, anstiegen, angestiegen, gestiegen, stieg, stiegen, zugenommen, verbessert, verbesserte, verbesserten",
  declin:
    "gesunken, sank, sanken, zurückgegangen, zurückging, zurückgingen, gefallen, geschrumpft, schrumpfte, schrumpften, abgenommen, abnahm, abnahmen, eingebrochen, verschlechtert, verschlechterte, verschlechterten",
  lose: "verloren, verlor, eingebüßt, einbüßte, einbüßten",
  gain: "hinzugewonnen, dazugewonnen, gutgemacht",
  "running total": "kumuliert*, laufende summe, kumulierte summe, aufgelaufen*",
  versus: "gegenüber, gegen, verglichen mit, im vergleich zu, im vergleich zum, im vergleich zur, vs",
  differenc: "differenz, unterschied, abweichung",
  "differenc between": "differenz zwischen, unterschied zwischen, abweichung zwischen",
  "differenc in": "unterschied bei, unterschied im, differenz beim",
  "relative to": "im verhältnis zu, im verhältnis zum, im verhältnis zur, relativ zu, geteilt durch",
  minus: "minus, abzüglich",
  "day between": "tage zwischen",
  named: "namens, mit namen, mit dem namen",
  less: "weniger, geringer, niedriger",
  compar: "vergleich, vergleiche, verglichen, vergleichen, im vergleich",
  more: "mehr, höher",
  "how much more": "wie viel mehr, um wie viel mehr",
  "how much higher": "wie viel höher, um wie viel höher",
  "by what percentag":
    "um wie viel prozent, um wieviel prozent, um wie viel, um welchen anteil, um welchen prozentsatz",
};

const SUPERLATIVES: Readonly<Record<string, string>> = {
  largest: "größt*",
  smallest: "kleinst*",
  highest: "höchst*, am höchsten",
  lowest: "niedrigst*, tiefst*, geringst*, am niedrigsten, am geringsten",
  longest: "längst*, am längsten",
  shortest: "kürzest*, am kürzesten",
  densest: "dichtest*",
  maximum: "maximal*, maximum",
  minimum: "minimal*, minimum",
  most: "meist*, am meisten",
  "most common": "häufigst*, am häufigsten, meistgenannt*",
  "least common": "seltenst*, am seltensten",
  fewest: "wenigst*, am wenigsten",
  best: "best*, am besten",
  worst: "schlechtest*, am schlechtesten",
  top: "top",
  bottom: "flop",
  strongest: "stärkst*, am stärksten",
  weakest: "schwächst*, am schwächsten",
  fastest: "schnellst*, am schnellsten",
  slowest: "langsamst*, am langsamsten",
  last: "letzt*, zuletzt",
  first: "erst*, zuerst",
  oldest: "ältest*",
  newest: "neuest*, jüngst*, aktuellst*",
  earliest: "frühest*",
  cheapest: "billigst*, günstigst*",
  "most expensiv": "teuerst*, am teuersten",
  heaviest: "schwerst*, am schwersten",
  lightest: "leichtest*, am leichtesten",
  hottest: "heißest*, wärmst*, am heißesten, am wärmsten",
  coldest: "kältest*, am kältesten",
  widest: "breitest*",
  farthest: "weitest*, am weitesten",
  wettest: "nassest*, regenreichst*",
  driest: "trockenst*",
  windiest: "windigst*",
};

const QUANTITIES: Readonly<Record<string, string>> = {
  "more than": "mehr als, öfter als, häufiger als, größer als, höher als, über, oberhalb von, jenseits von",
  exactly: "genau, exakt, nur, lediglich",
  "at least": "mindestens, wenigstens, zumindest, nicht weniger als, ab",
  "less than": "weniger als, seltener als, kleiner als, niedriger als, geringer als, unter, unterhalb von",
  "heavier than": "schwerer als, älter als, schneller als, wärmer als, länger als, teurer als",
  "lighter than":
    "leichter als, jünger als, langsamer als, kälter als, kürzer als, billiger als, günstiger als",
  "at most": "höchstens, maximal, bis zu, bis maximal, bis, nicht mehr als",
};

const COMPARATIVES: Readonly<Record<string, string>> = {
  higher: "höher",
  lower: "niedriger, tiefer, geringer",
  larger: "größer",
  smaller: "kleiner",
  longer: "länger",
  shorter: "kürzer",
  heavier: "schwerer",
  lighter: "leichter",
  faster: "schneller",
  slower: "langsamer",
  older: "älter",
  younger: "jünger",
  warmer: "wärmer, heißer",
  colder: "kälter",
  cheaper: "billiger, günstiger",
  pricier: "teurer",
  more: "mehr",
  less: "weniger",
};

const GRAINS = {
  day: "tag, tage, tagen",
  week: "woche, wochen",
  month: "monat, monate, monaten",
  quarter: "quartal, quartale, quartalen",
};

export const GERMAN: Language = {
  fillers: new Set([
    ...ENGLISH.fillers,
    ...BESIDE.keys(),
    ...formsOf(`${FILLERS} ${DEEDS}`.replaceAll(/\s+/g, ",")),
  ]),
  deeds: new Set([...ENGLISH.deeds, ...formsOf(DEEDS.replaceAll(/\s+/g, ","))]),
  beside: new Map([...ENGLISH.beside, ...BESIDE]),
  grammar: like(withoutFalls(ENGLISH.grammar), GRAMMAR),
  superlatives: like(ENGLISH.superlatives, SUPERLATIVES),
  evaluative: new Set([
    ...ENGLISH.evaluative,
    ...formsOf(
      "best*, schlechtest*, gut*, schlecht*, besser*, wichtigst*, wichtig*, erfolgreich*, erfolgreichst*, beliebt*, beliebtest*, leistung, am besten, volumen, performance, kennzahl*",
    ),
  ]),
  vague: /^\s*(?:und )?wie (?:läuft|laufen|lief|liefen|steht|stehen|stand|sieht|sehen|geht|ging)\b/i,
  quantities: like(ENGLISH.quantities, QUANTITIES),
  comparatives: like(ENGLISH.comparatives, COMPARATIVES),
  measures: like(ENGLISH.measures, { size: "gross", height: "hoh", length: "lang" }),
  how: like(ENGLISH.how, {
    big: "gross",
    high: "hoch",
    long: "lang",
    old: "alt",
    expensiv: "teuer",
    heavy: "schwer",
    fast: "schnell",
    hot: "heiss, warm, kalt",
    deep: "tief",
    wide: "breit",
    far: "weit",
    windy: "windig",
  }),
  grains: like(ENGLISH.grains, { ...GRAINS, year: "jahr, jahre, jahren" }),
  people: new Set(["wer"]),
  auxiliaries: new Set(),
  inUnits: new Set(["in"]),
  scales: new Map([
    ["tsd", 1e3],
    ["tausend", 1e3],
    ["mio", 1e6],
    ["million", 1e6],
    ["millionen", 1e6],
    ["mrd", 1e9],
    ["milliarden", 1e9],
    ["%", 0.01],
    ["prozent", 0.01],
  ]),
  ranges: new Set(["zwischen", "von"]),
  rangeAnd: new Set(["und", "bis"]),
  numbers: new Map(),
  times: new Map([
    ["einmal", 1],
    ["zweimal", 2],
    ["dreimal", 3],
  ]),
  timesWords: new Set(["mal"]),
  ordinals: new Map(["zweit", "dritt", "viert", "funft"].map((word, i) => [word, i + 1])),
  all: new Set(["alle", "allen", "aller"]),
  averages: new Set(["durchschnitt"]),
  quantitiesAfter: new Map([
    ["oder mehr", ">="],
    ["und mehr", ">="],
    ["oder weniger", "<="],
  ]),
  daysOfWeek: new Map([
    ["montags", ["Monday"]],
    ["dienstags", ["Tuesday"]],
    ["mittwochs", ["Wednesday"]],
    ["donnerstags", ["Thursday"]],
    ["freitags", ["Friday"]],
    ["samstags", ["Saturday"]],
    ["sonntags", ["Sunday"]],
    ["wochenende", ["Saturday", "Sunday"]],
    ["wochenenden", ["Saturday", "Sunday"]],
  ]),
  dateParts: new Map([
    ...ENGLISH.dateParts,
    ...["wochentag", "wochentage", "wochentagen"].map((word) => [word, "weekday"] as const),
    ...["stunde", "stunden", "uhrzeit", "tageszeit"].map((word) => [word, "hour"] as const),
    ["kalendermonat", "month"],
  ]),
  than: "als",
  asks: "wie",
  dateWords: formsOf(
    "monat, monate, monaten, monats, monatlich, quartal, quartale, quartalen, quartals, woche, wochen, wöchentlich, jährlich, januar, februar, april, juni, juli, august, september, oktober, november, dezember",
  ),
  listOpener: /^\s*(welche|liste|zeig|nenn|wer|gib)/i,
  ...GERMAN_FORMS,
  prepare: (text, vocabulary, datesIn) => {
    const then = datesIn(text).length > 0 ? text.replaceAll(NO_MORE, "") : text;
    const denied = deniedAll(then, (words) => fieldsWith(normsIn(words), vocabulary.values));
    const said = plain(beside(denied, vocabulary), vocabulary);
    return withParts(behindVerbs(inOrder(said, datesIn, isGrammatical)), vocabulary, isGrammatical);
  },
  gloss: GLOSSARY,
  isForeign: true,
  isMany: (norm) => /[ersn]$/.test(norm),
  digits,
};

/** "Fälle" are cases in German, and no fall. */
function withoutFalls<T>(grammar: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...grammar].filter(([word]) => word !== "fall"));
}

/** "seit Mai nicht mehr bestellt": not since then. */
const NO_MORE = /(?<=(?<!\p{L})(?:nicht|nichts|kein\p{L}*)) mehr(?! als)(?!\p{L})/giu;

/** A name as it is folded, and what it is called in English. */
function normsIn(words: string): string[] {
  const norm = foldGerman(words);
  return [norm, ...(GLOSSARY.get(stemGerman(norm)) ?? []).map(({ norms }) => norms)];
}

/** "mehr Aufträge per Rechnung oder per Lastschrift": beide nebeneinander. */
function beside(text: string, { phrases, values }: Vocabulary): string {
  const isRows = (word: string) => {
    const stem = stemGerman(foldGerman(word));
    return phrases.has(stem) || (GLOSSARY.get(stem) ?? []).some(({ stems }) => phrases.has(stems));
  };
  const words = { compare: "Vergleiche", of: "von", and: "und", count: "number of" };
  return eitherOr(text, { isValue: (word) => isValue(word, values), isRows }, words);
}

function isGrammatical(norm: string): boolean {
  return GRAMMATICAL.has(norm);
}

/** Words of the tables, which are no compounds. */
const GRAMMATICAL: ReadonlySet<string> = new Set(
  [
    GERMAN.fillers,
    GERMAN.grammar,
    GERMAN.superlatives,
    GERMAN.quantities,
    GERMAN.evaluative,
    GERMAN.scales,
    GERMAN.dateParts,
  ]
    .flatMap((table) => [...table.keys()])
    .flatMap((phrase) => phrase.split(" ")),
);

/** `60.000`, `1.000,50` and, as English has it, `1.5`. */
function digits(text: string): number {
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(text) || text.includes(","))
    return Number(text.replaceAll(".", "").replace(",", "."));
  return Number(text);
}
