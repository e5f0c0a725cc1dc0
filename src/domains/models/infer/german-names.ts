/** Nouns that stand at the end of German names: `Nettobetrag`, `Rechnungsdatum`, `Kundennummer`. */
const COMPOUND =
  /^(\p{L}{3,}?)(betrag|preis|kosten|umsatz|erlös|gewinn|gebühr|steuer|rabatt|summe|gehalt|lohn|datum|nummer|name|menge|anzahl|dauer|zeit|gewicht|größe|höhe|länge|breite|tiefe|fläche|temperatur|geschwindigkeit|verbrauch|anteil|quote|satz|wert|stand|bewertung|alter|zahl|bestand|jahr)$/u;
const WHOLE = /^(surname|username|nickname|forename|hostname|filename|understand)$/;

/** A German compound in two, without what joins them: `Rechnungsdatum` is the `datum` of a `rechnung`. */
export function compoundParts(word: string): string[] {
  const [, first, head] = (WHOLE.test(word) ? null : COMPOUND.exec(word)) ?? [];
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
export function germanSingular(word: string): string | undefined {
  const listed = PLURALS.find(
    ([plural]) => word === plural || (plural.length >= COMPOUND_PLURAL && word.endsWith(plural)),
  );
  if (listed !== undefined) return word.slice(0, -listed[0].length) + listed[1];
  return /(ung|heit|keit|schaft|ion|tät)en$/.test(word) ? word.slice(0, -2) : undefined;
}
