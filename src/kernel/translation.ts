/** Texts of another language by the English ones, with {0}, {1} … in place of values in both. */
export type Translations = Readonly<Record<string, string>>;

/** What a text of t`…` is found by. */
export function keyOf(strings: readonly string[]): string {
  return strings.reduce((key, text, i) => `${key}{${i - 1}}${text}`);
}

/** The texts between values, and the values in the order that the other language wants them in. */
export function rearranged(translation: string, values: readonly unknown[]): [string[], unknown[]] {
  const [first = "", ...rest] = translation.split(/\{(\d)\}/);
  const texts = [first, ...rest.filter((_, i) => i % 2 === 1)];
  const order = rest.filter((_, i) => i % 2 === 0).map(Number);
  return [texts, order.map((at) => values[at])];
}

/** Writes t`English ${value}` in a language; what is not translated stays English. */
export type Words = (strings: TemplateStringsArray, ...values: (string | number)[]) => string;

/** The words of a locale such as de-DE. */
export function wordsOf(locale: string, german: Translations): Words {
  const translations = /^de\b/i.test(locale) ? german : {};
  return (strings, ...values) => {
    const translation = translations[keyOf(strings)];
    const [texts, ordered] = translation === undefined ? [strings, values] : rearranged(translation, values);
    return texts.reduce((text, next, i) => `${text}${String(ordered[i - 1])}${next}`);
  };
}
