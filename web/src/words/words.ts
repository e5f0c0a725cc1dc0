import { keyOf, rearranged, type Translations, type Words } from "../../../src/kernel/translation.ts";

export type Language = "en" | "de";

const KEY = "kenning.language";

let language: Language = "en";
let translations: Translations = {};

/** Writes an English text in the language of the reader; what is not translated stays English. */
export const t: Words = (strings, ...values) => {
  const translation = translations[keyOf(strings)];
  const [texts, ordered] = translation === undefined ? [strings, values] : rearranged(translation, values);
  return texts.reduce((text, next, i) => `${text}${String(ordered[i - 1])}${next}`);
};

export function currentLanguage(): Language {
  return language;
}

/** The language that was chosen in this browser, or else the one that the browser prefers. */
export function wantedLanguage(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "en" || chosen === "de") return chosen;
  return /^de\b/i.test(navigator.language) ? "de" : "en";
}

/** Words are loaded before anything is written in them. */
export async function speak(next: Language, isChoice = false): Promise<void> {
  translations = next === "de" ? await readGerman() : {};
  language = next;
  document.documentElement.lang = next;
  if (isChoice) localStorage.setItem(KEY, next);
}

async function readGerman(): Promise<Translations> {
  const [{ german }, { germanOfPages }] = await Promise.all([
    import("./german.ts"),
    import("./german-of-pages.ts"),
  ]);
  return { ...germanOfPages, ...german };
}

/** Of which dates and numbers are written. */
export function locale(): string {
  const own = navigator.languages.find((each) => each.toLowerCase().startsWith(language));
  return own ?? (language === "de" ? "de-DE" : "en-GB");
}
