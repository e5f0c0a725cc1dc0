/** Abbreviations in names of columns and tables. */
const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    acct: "account",
    addr: "address",
    amt: "amount",
    avg: "average",
    bal: "balance",
    cat: "category",
    cnt: "count",
    ctry: "country",
    cust: "customer",
    dept: "department",
    desc: "description",
    descr: "description",
    dob: "birth date",
    dt: "date",
    emp: "employee",
    expect: "expectancy",
    fname: "first name",
    inv: "invoice",
    lname: "last name",
    loc: "location",
    mgr: "manager",
    mth: "month",
    nm: "name",
    nr: "nummer",
    num: "number",
    ord: "order",
    org: "organization",
    pct: "percent",
    perc: "percent",
    pop: "population",
    prod: "product",
    qty: "quantity",
    reg: "region",
    rev: "revenue",
    sal: "salary",
    tel: "telephone",
    temp: "temperature",
    tot: "total",
    trans: "transaction",
    txn: "transaction",
    yr: "year",
  }),
);

/** Words before the name of a table that say only what sort of table it is. */
const TABLE_PREFIXES = new Set(["dim", "fact", "fct", "tbl", "tb", "stg", "raw", "src", "vw", "t"]);
/** And words behind it that say which of several such tables it is: of `orders_2024_final` the rows are orders. */
const TABLE_SUFFIXES =
  /^(dim|fact|table|tbl|data|dataset|csv|tsv|json|xlsx|export|raw|new|old|final|latest|copy|backup|clean|cleaned|sample|list|info|master|lookup|boundaries|directory|all|full|part|v?\d+|q[1-4]|h[12]|fy\d+|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december)$/;

/** Words that stand at the end of others without a sign between them: `birthdate`, `totalcost`. */
const ENDINGS =
  /^(\p{L}{3,})(date|code|name|cost|class|type|description|number|amount|price|count|id|time|status|category)$/u;
const WHOLE =
  /^(candidate|discount|account|update|validate|mandate|lifetime|sometime|overtime|prototype|subtype|paid|valid|invalid|void|grid|squid|bid|kid|mid|said|hybrid|rapid|liquid|fluid|avoid|covid|solid|surname|nickname|forename|username|viscount|subclass)$/;

/** `DateofHire` */
const DATE_OF = /^(date|time|day|year|number|place)(of)$/;

/** The words of a name, in lower case: of `unitPrice`, `UNIT_PRICE` and `Unit Price` alike. */
export function wordsOf(name: string): string[] {
  return (
    name
      .replaceAll(/MwSt|[kMG]Wh?(?!\p{L})|GmbH/gu, (word) => capitalized(word))
      .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
      .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
      // A number of percent says which tax it is, and not that the column has percentages.
      .replace(/(?<!\d\s*)%/, " percent")
      .replace(/#/, " number")
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== "")
      .map((word) => word.toLowerCase())
      .flatMap((word) => DATE_OF.exec(word)?.slice(1, 3) ?? [word])
      .flatMap((word) => (WHOLE.test(word) ? [word] : (ENDINGS.exec(word)?.slice(1, 3) ?? [word])))
  );
}

/** The same with short forms written out. */
export function longWords(name: string): string[] {
  return wordsOf(name).flatMap((word) => (SHORT_FORMS.get(word) ?? word).split(" "));
}

/** And with German compounds in their parts: by these it is told what a column is for. */
export function partWords(name: string): string[] {
  return longWords(name).map(withUmlauts).flatMap(compoundParts);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** The words of a table's name that say what its rows are, the last one in the singular. */
export function thingOf(name: string): string[] {
  let words = longWords(name);
  while (words.length > 1 && TABLE_PREFIXES.has(words[0] as string)) words = words.slice(1);
  while (words.length > 1 && TABLE_SUFFIXES.test(words.at(-1) as string)) words = words.slice(0, -1);
  const last = withUmlauts(words.at(-1) ?? "");
  return [...words.slice(0, -1), singular(GERMAN_LIST.exec(last)?.[1] ?? last)];
}

/** What a German list is of: the `bezirksgrenzen` are of a Bezirk. */
const GERMAN_LIST = /^(\p{L}{4,}?)s?(?:grenzen|liste|daten|tabelle|verzeichnis|stammdaten|übersicht)$/u;

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    people: "person",
    children: "child",
    men: "man",
    women: "woman",
    mice: "mouse",
    feet: "foot",
    teeth: "tooth",
    staff: "staff",
    series: "series",
    species: "species",
    news: "news",
    movies: "movie",
    cookies: "cookie",
    analyses: "analysis",
    indices: "index",
    matrices: "matrix",
  }),
);

export function singular(word: string): string {
  const known = IRREGULAR.get(word) ?? germanSingular(word);
  if (known !== undefined) return known;
  if (word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** Without what only says that it is a key: `customer_id` is about a customer, and so is `Kundennummer` about a Kunde. */
export function keyThing(name: string): string[] {
  const words = partWords(name);
  while (words.length > 0 && KEY_WORDS.test(words.at(-1) ?? "")) words.pop();
  return words.map((word, i) => (i === words.length - 1 ? singular(word) : word));
}

const KEY_WORDS = /^(id|key|uuid|guid|code|no|number|nummer|kennung|schlüssel|fk|pk|sk|ref)$/;

/** A name as models write it. */
export function snakeOf(name: string): string {
  const words = wordsOf(name);
  return words.length === 0 ? name : words.join("_");
}

/** Nouns that stand at the end of German names: `Nettobetrag`, `Rechnungsdatum`, `Kundennummer`. */
const COMPOUND =
  /^(\p{L}{3,}?)(betrag|preis|kosten|umsatz|erlös|gewinn|gebühr|steuer|rabatt|summe|gehalt|lohn|datum|nummer|name|menge|anzahl|dauer|zeit|gewicht|größe|höhe|länge|breite|tiefe|fläche|temperatur|geschwindigkeit|verbrauch|anteil|quote|satz|wert|stand|bewertung|alter|zahl|bestand|jahr)$/u;

const NO_COMPOUND = /^(surname|username|nickname|forename|hostname|filename|understand)$/;

/** A German compound in two, without what joins them: `Rechnungsdatum` is the `datum` of a `rechnung`. */
function compoundParts(word: string): string[] {
  const [, first, head] = (NO_COMPOUND.test(word) ? null : COMPOUND.exec(word)) ?? [];
  return first === undefined || head === undefined ? [word] : [first.replace(/(?<=.{3})s$/, ""), head];
}

/** Nouns of columns as they are written without umlauts. */
const WRITTEN_OUT: ReadonlyMap<string, string> = new Map(
  "höhe größe länge fläche schlüssel gebühr erlös gebühren erlöse verkäufe aufträge verträge einträge prüfung straße"
    .split(" ")
    .map((word) => [
      word.replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue").replaceAll("ß", "ss"),
      word,
    ]),
);

/** `schluessel` is a `schlüssel`. */
export function withUmlauts(word: string): string {
  return WRITTEN_OUT.get(word) ?? word;
}

/** Plurals that no rule gives; the longer ones also at the end of a word. */
const PLURALS: readonly (readonly [string, string])[] =
  `kunden kunde|personen person|produkte produkt|aufträge auftrag
  verträge vertrag|einträge eintrag|verkäufe verkauf|einkäufe einkauf|käufe kauf|belege beleg|projekte projekt|termine termin
  filialen filiale|lieferanten lieferant|fahrten fahrt|fahrzeuge fahrzeug|geräte gerät|flüge flug|städte stadt|länder land
  orte ort|stunden stunde|tage tag|kurse kurs|besuche besuch|anrufe anruf|gäste gast|patienten patient|studenten student
  bücher buch|häuser haus|räume raum|ausgaben ausgabe|einnahmen einnahme|firmen firma|konten konto|spiele spiel|vereine verein
  ergebnisse ergebnis|werte wert|maschinen maschine|schulen schule|unfälle unfall|vorfälle vorfall|fälle fall|märkte markt`
    .split(/[|\n]/)
    .map((pair) => pair.trim().split(" ") as [string, string]);

/** Shorter ones end English words too: `voltage`. */
const COMPOUND_PLURAL = 6;

/** The singular of a German noun; undefined where it is none that can be told. */
function germanSingular(word: string): string | undefined {
  const listed = PLURALS.find(
    ([plural]) => word === plural || (plural.length >= COMPOUND_PLURAL && word.endsWith(plural)),
  );
  if (listed !== undefined) return word.slice(0, -listed[0].length) + listed[1];
  return /(ung|heit|keit|schaft|ion|tät)en$/.test(word) ? word.slice(0, -2) : undefined;
}

const IDS = new Set(["id", "ids", "key", "uuid", "guid", "pk", "fk", "sk", "schlüssel", "kennung"]);

export function isIdName(name: string): boolean {
  const words = partWords(name);
  return IDS.has(words.at(-1) ?? "") || /[a-z](Id|ID)$/.test(name);
}

export function isYearName(name: string): boolean {
  return /^(year|season|jahr|saison)$/.test(partWords(name).at(-1) ?? "");
}

/** Of numbers under such a name only the average says something. */
export const RATES = new Set(
  `price rate ratio percent percentage share average mean median score rating age temperature discount margin gpa
  speed density mass height altitude elevation depth probability fraction per yield interest width length size weight
  balance stock inventory cumulative ytd standing standings bmi index factor efficiency satisfaction threshold mpg ph
  radius distance capacity wind humidity pressure celsius fahrenheit voltage latitude longitude lat lng lon
  expectancy fertility mortality horsepower acceleration displacement mileage cylinders gallon carat frequency period
  intensity magnitude concentration
  preis kurs quote anteil prozent durchschnitt mittelwert bewertung alter temperatur geschwindigkeit satz
  luftfeuchtigkeit luftdruck höhe gewicht größe länge breite tiefe stand bestand rabatt note`.split(/\s+/),
);
/** What is a part or a middle stays one, also of totals. */
const MIDDLES = new Set("rate ratio percent percentage share average mean median anteil prozent".split(" "));

/** Additive measure? By its name alone. */
export function addsUp(name: string): boolean {
  const words = partWords(name);
  const isNamed = (those: ReadonlySet<string>) => words.some((word) => those.has(word));
  if (isNamed(MIDDLES)) return false;
  return words.includes("total") || words.includes("gesamt") || !isNamed(RATES);
}

/** How values of a number are put together where nobody says it: an author's word on the column comes first. */
export type UsualAggregate = "sum" | "avg" | "none";

export function usualAggregate(name: string): UsualAggregate {
  const words = partWords(name).join(" ");
  // Alone, such a name is of what was counted or measured.
  const isMeasure = /^(number|level|grade)$/.test(words);
  if (!isMeasure && (isNumberingName(name) || isYearName(name))) return "none";
  return addsUp(name) && !/^(level|grade)$/.test(words) ? "sum" : "avg";
}

/** A number under such a name only says which one it is: nobody adds such up, or asks for their middle. */
export function isNumberingName(name: string): boolean {
  return isIdName(name) || NUMBERINGS.test(partWords(name).at(-1) ?? "") || isSomebodyName(name);
}

export function isSomebodyName(name: string): boolean {
  return SOMEBODY.test(partWords(name).join(" "));
}

/** A number under the name of one person, company or place says who or where it is. */
const SOMEBODY =
  /^(?:\p{L}+ )?(?:agent|company|customer|client|user|employee|member|patient|student|driver|seller|vendor|supplier|store|shop|branch|operator|cashier|doctor|teacher|owner|kunde|mitarbeiter|filiale|lieferant|firma)$/u;

const NUMBERINGS =
  /^(code|number|no|nummer|zip|postcode|postal|plz|postleitzahl|phone|telefon|isbn|ean|sku|day|month|week|quarter|hour|weekday|level|grade|floor|class|cluster|group|segment|tier|category|season|episode|chapter|round|lap|monat|woche|tag|quartal|stunde|stufe|klasse|gruppe|saison|staffel|folge|runde)$/;
