import { type Translations, type Words, wordsOf } from "../../kernel/translation.ts";

/** What is written in drawings beside the texts of the data. */
export const GERMAN: Translations = {
  "There are no values to draw.": "Es gibt keine Werte zu zeichnen.",
  "There is no value to draw.": "Es gibt keinen Wert zu zeichnen.",
  "This could not be drawn.": "Das konnte nicht gezeichnet werden.",
  "All values are zero.": "Alle Werte sind null.",
  "not complete: {0}": "unvollständig: {0}",
  "{0} (not complete)": "{0} (unvollständig)",
  "{0} of {1} shown": "{0} von {1} gezeigt",
  "{0} of {1} series shown": "{0} von {1} Reihen gezeigt",
  "{0} · {1} of first · {2} of previous": "{0} · {1} vom Ersten · {2} vom Vorigen",
  "{0} of {1}": "{0} von {1}",
  "{0} of {1} rows": "{0} von {1} Zeilen",
  "{0} of {1} columns": "{0} von {1} Spalten",
  Total: "Summe",
  Other: "Sonstige",
};

export function wordsIn(locale: string): Words {
  return wordsOf(locale, GERMAN);
}

/** What all that is not told apart is called, at the end and in a colour that stands back. */
export function otherIn(locale: string): string {
  const t = wordsIn(locale);
  return t`Other`;
}
