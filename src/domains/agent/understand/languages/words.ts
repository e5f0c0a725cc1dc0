/** A word, number or sign of a question. */
export interface Word {
  text: string;
  start: number;
  end: number;
  /** Lower case, without accents. */
  norm: string;
  stem: string;
}

/** How a language makes forms of one word alike. */
export interface Folding {
  fold: (text: string) => string;
  stem: (norm: string) => string;
}

/** Beyond these a question is no question. */
const MOST_WORDS = 120;

const PATTERN =
  /[$€£]?\d(?:[\d.,]*\d)?(?:[kKmM](?![\p{L}\p{N}]))?%?(?![\p{L}])|[\p{L}\p{M}\p{N}]+(?:[-–][\p{L}\p{M}\p{N}]+)*|['’]s\b|[?!.,;:%&/()"]|['’]/giu;

/** The words of a question; a possessive ending stands by itself, and marks at the end are dropped. */
export function wordsOf(text: string, folding: Folding = PLAIN): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(PATTERN)) {
    if (words.length === MOST_WORDS) break;
    const [token] = match;
    const start = match.index;
    const norm = /^n['’]t$/i.test(token) ? "not" : folding.fold(token);
    words.push({ text: token, start, end: start + token.length, norm, stem: folding.stem(norm) });
  }
  return words;
}

/** Lower case without accents, so that `Tübingen` and `tubingen` are the same. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "");
}

const PLAIN: Folding = { fold, stem: (norm) => stem(norm) };

const IRREGULAR = new Map([
  ["cities", "city"],
  ["people", "people"],
  ["goods", "goods"],
  ["children", "child"],
  ["men", "man"],
  ["women", "woman"],
  ["sold", "sell"],
  ["bought", "buy"],
  ["spent", "spend"],
  ["paid", "pay"],
  ["sent", "send"],
  ["gave", "give"],
  ["given", "give"],
  ["took", "take"],
  ["taken", "take"],
  ["grew", "grow"],
  ["brought", "bring"],
  ["got", "get"],
  ["ran", "run"],
  ["goes", "go"],
  ["does", "do"],
  ["running", "run"],
  ["cancelled", "cancel"],
  ["canceled", "cancel"],
  ["avg", "averag"],
]);

/** A word without the endings of number and tense; crude, but the same for the model and for the question. */
export function stem(norm: string): string {
  const irregular = IRREGULAR.get(norm);
  if (irregular !== undefined) return irregular;
  if (norm.length <= 3 || /\d/.test(norm)) return norm;
  let word = norm;
  if (word.endsWith("ies") && word.length > 4) word = `${word.slice(0, -3)}y`;
  else if (/(ss|sh|ch|x|z)es$/.test(word)) word = word.slice(0, -2);
  else if (word.endsWith("s") && !/(ss|us|is)$/.test(word)) word = word.slice(0, -1);
  if (word.endsWith("ing") && word.length > 5) word = undouble(word.slice(0, -3));
  else if (word.endsWith("ed") && word.length > 4) word = undouble(word.slice(0, -2));
  return word.length > 4 && word.endsWith("e") ? word.slice(0, -1) : word;
}

function undouble(word: string): string {
  return /([bdgkmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}

/** A phrase as the lexicon keeps it. */
export function phraseKey(text: string, folding: Folding = PLAIN): string {
  return stemsOf(wordsOf(text.replaceAll("_", " "), folding));
}

/** Words as they are written, and without their endings. */
export function normsOf(words: readonly Word[]): string {
  return words.map(({ norm }) => norm).join(" ");
}

export function stemsOf(words: readonly Word[]): string {
  return words.map(({ stem }) => stem).join(" ");
}

/** The places that some of several things stand at. */
export function placesOf(all: readonly { start: number; end: number }[]): Set<number> {
  return new Set(all.flatMap(({ start, end }) => range(start, end)));
}

/** The places from a start up to an end. */
export function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}
