import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { fold, stem } from "../understand/languages/words.ts";
import type { Understanding } from "../understand/reading.ts";

/** Whether an answer is what was suggested. */
export function isSame(a: string, b: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return plain(a) === plain(b);
}

/** The one suggestion that has all words that were said; those that every suggestion has tell nothing apart. */
export function chosenOf(text: string, suggestions: readonly string[]): string | undefined {
  const same = suggestions.find((each) => isSame(each, text));
  if (same !== undefined) return same;
  const place = PLACES.findIndex((pattern) => pattern.test(text.trim()));
  if (place !== -1) return suggestions.at(place === PLACES.length - 1 ? -1 : place);
  const said = formsIn(text);
  const fits = suggestions.filter((each) => {
    const stems = new Set(formsIn(each).flat());
    return said.length > 0 && said.every((forms) => forms.some((form) => stems.has(form)));
  });
  return fits.length === 1 ? fits[0] : undefined;
}

/** "the second one": its place among the suggestions; the last pattern is of the last one. */
const PLACES = ["first|1(?:st)?|erste[rns]?", "second|2(?:nd)?|zweite[rns]?", "third|3(?:rd)?|dritte[rns]?"]
  .concat("last|letzte[rns]?")
  .map((word) => new RegExp(`^(?:the |die |der |das |den )?(?:${word})(?: one| reading)?[.!]?$`, "i"));

/** The words that mean something, each in the forms in which a suggestion or a name may have it. */
export function formsIn(text: string): string[][] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => !FILLERS.has(word.toLowerCase()))
    .map((word) => {
      const german = stemGerman(foldGerman(word));
      const english = (GLOSSARY.get(german) ?? []).flatMap(({ norms }) => norms.split(" ").map(stem));
      return [stem(fold(word)), german, ...english];
    });
}

const FILLERS = new Set(
  "the a an by as of for in from with at who lives living based one ones whole entire please i we mean meant is it its that this to and just sorry yes nach die der das den dem des ein eine einen von aus mit bei im zum zur als bitte ich wir meine meinte meinen es ist ja also".split(
    " ",
  ),
);

/** "revenue", or "by revenue in 2025": a number and nothing else, but when. */
export function isNumber({ readings: [best], missing }: Understanding): boolean {
  if (best === undefined || missing.length > 0) return false;
  const { ask } = best;
  return ask.k === "table" && ask.by.length === 0 && ask.scope?.if === undefined;
}
