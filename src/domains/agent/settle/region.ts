import { t } from "../explain/words.ts";
import { formsIn, isSame } from "../phases/question.ts";
import type { Clarification } from "../understand/reading.ts";

const OWN = /(?<!\p{L})(?:my|our own|mein(?:e[mnrs]?)?)\s+(\p{L}{3,})(?!\p{L})/giu;
/** What parts of the world are called, where people work in one of them. */
const REGIONAL =
  /(?:^|[_\s])(?:regions?|countr(?:y|ies)|markets?|territor(?:y|ies)|districts?|provinces?|states?|count(?:y|ies)|cantons?|areas?|land|bundesland|gebiet|bezirk|kanton|markt)(?:$|[_\s])/i;
/** Regions that are suggested. */
const SUGGESTED = 8;

/** One's own region in a question: what it is called there and in the model, and those that there are. */
export interface OwnRegion {
  word: string;
  name: string;
  values: readonly string[];
}

/** What has to be known of a model. */
interface Places {
  model: {
    datasets: readonly {
      name: string;
      fields: readonly { name: string; ai: { synonyms: readonly string[] } }[];
    }[];
  };
  values: readonly { ds: string; field: string; values: readonly string[] }[];
}

/** The regions that there are, where a question speaks of one's own by any word that means their field. */
export function regionIn(text: string, places: Places): OwnRegion | undefined {
  for (const [, word = ""] of text.matchAll(OWN)) {
    const field = fieldOf(word, places);
    if (field !== undefined) return { word, ...field };
  }
  return undefined;
}

/** The field of places that a word names, by its whole name rather than by a part of it. */
function fieldOf(word: string, { model, values: all }: Places): Omit<OwnRegion, "word"> | undefined {
  const forms = new Set(formsIn(word).flat());
  const fits = all.flatMap(({ ds, field, values }) => {
    const named = model.datasets.find(({ name }) => name === ds)?.fields.find(({ name }) => name === field);
    const names = [field, ...(named?.ai.synonyms ?? [])].map((name) => name.replaceAll("_", " "));
    const isPlace = [...names, word].some((name) => REGIONAL.test(name));
    if (values.length === 0 || /id$/i.test(field) || !isPlace) return [];
    return names.map((name) => ({ values, name, rank: rankOf(formsIn(name), forms) }));
  });
  const [best] = fits.filter(({ rank }) => rank !== Infinity).toSorted((a, b) => a.rank - b.rank);
  return best && { values: best.values, name: best.rank === 0 ? best.name : word };
}

/** 0 for a name that is this word, 1 with "name" behind it, 2 where it is the last word of more. */
function rankOf(name: readonly string[][], forms: ReadonlySet<string>): number {
  const isWord = (place: number) => name.at(place)?.some((form) => forms.has(form)) === true;
  if (name.length === 1 && isWord(0)) return 0;
  if (name.length === 2 && isWord(0) && name[1]?.includes("nam") === true) return 1;
  return isWord(-1) ? 2 : Infinity;
}

export function regionQuestion({ word, values }: OwnRegion): Clarification {
  return { question: t`Which ${word.toLowerCase()} is yours?`, suggestions: values.slice(0, SUGGESTED) };
}

export function answeredRegion(answers: readonly string[], values: readonly string[]): string | undefined {
  return values.find((value) => answers.some((answer) => isSame(answer, value)));
}

/** Once, so that a long name does not multiply a question; and as it is, whatever signs it has in it. */
export function withRegion(text: string, { word, name }: OwnRegion, region: string): string {
  let isFirst = true;
  return text.replaceAll(OWN, (said, own: string) => {
    if (own !== word) return said;
    const put = isFirst ? `${name} ${region}` : name;
    isFirst = false;
    return put;
  });
}
