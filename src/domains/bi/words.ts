import { type Translations, type Words, wordsOf } from "../../kernel/translation.ts";

/** Translations of texts in and beside the charts of a dashboard. */
export const GERMAN: Translations = {
  "Sum of {0}": "Summe von {0}",
  "Average of {0}": "Durchschnitt von {0}",
  "Count of {0}": "Anzahl von {0}",
  "Different values of {0}": "Verschiedene Werte von {0}",
  "Smallest {0}": "Kleinster Wert von {0}",
  "Largest {0}": "Größter Wert von {0}",
  "Median of {0}": "Median von {0}",
  Count: "Anzahl",
  "(empty)": "(leer)",
  "{0} vs {1}": "{0} gegenüber {1}",
  "{0}: the largest is {1} with {2}, the smallest {3} with {4}.":
    "{0}: am größten ist {1} mit {2}, am kleinsten {3} mit {4}.",
  "From {0} to {1} it went from {2} to {3}.": "Von {0} bis {1} ging es von {2} auf {3}.",
  "There are no values.": "Es gibt keine Werte.",
  "There is no value.": "Es gibt keinen Wert.",
  "{0} has no rows yet.": "{0} hat noch keine Zeilen.",
  "No rows are left by the filters.": "Die Filter lassen keine Zeilen übrig.",
  "No rows are left by the filters on {0}.": "Die Filter auf {0} lassen keine Zeilen übrig.",
  "No rows are left by the filters of the dashboard.": "Die Filter des Dashboards lassen keine Zeilen übrig.",
  "No rows are left by the widget's query and filters.":
    "Abfrage und Filter des Widgets lassen keine Zeilen übrig.",
  "There are no rows of {0} that you may see.": "Es gibt keine Zeilen von {0}, die Sie sehen dürfen.",
  "The data behind this chart is no longer there.": "Die Daten hinter diesem Diagramm gibt es nicht mehr.",
  "{0} to {1}": "{0} bis {1}",
  "{0} of {1} rows": "{0} von {1} Zeilen",
  "{0} of {1} columns": "{0} von {1} Spalten",
  "A sample: {0} of {1} points": "Eine Stichprobe: {0} von {1} Punkten",
  "The first {0} values are shown.": "Die ersten {0} Werte werden gezeigt.",
  "The {0} largest of {1}": "Die {0} größten von {1}",
  "Only the largest are shown": "Nur die größten werden gezeigt",
  "All others are not shown": "Alle anderen werden nicht gezeigt",
  "All others together: {0}": "Alle anderen zusammen: {0}",
  "Only what whoever last changed this may see is shown.":
    "Gezeigt wird nur, was sehen darf, wer dies zuletzt geändert hat.",
  "Not all filters of the dashboard hold here.": "Nicht alle Filter des Dashboards gelten hier.",
  "Not filtered by {0}: {1} has no such field.": "Nicht nach {0} gefiltert: {1} hat dieses Feld nicht.",
  "This could not be drawn.": "Das konnte nicht gezeichnet werden.",
  "Data as of {0}": "Datenstand {0}",
};

export function wordsIn(locale: string): Words {
  return wordsOf(locale, GERMAN);
}
