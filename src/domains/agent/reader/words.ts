import { languageOf, type ReaderLanguage, SHORT_FORMS } from "./language.ts";

/** One word of a question, or a quoted text. */
export interface Token {
  text: string;
  stem: string;
  /** What it does in a question, where it is no name. */
  cue: string;
  number?: number;
  /** Quoted, as it was written. */
  quoted?: string;
  /** Written with a capital where a sentence does not begin. */
  isCapital: boolean;
}

export interface Said {
  language: ReaderLanguage;
  tokens: Token[];
}

/** Longest question that is read; what is longer is none. */
const MOST_TOKENS = 60;

const WORD =
  /\p{L}+(?:'(?:t|s|S)\b)?|\d{4}-\d{2}-\d{2}|\d[\d,]*\.?\d*(?:st|nd|rd|th)?|\uE000\d+|[^\s\p{L}\d]/gu;

/** The language of a question. */
export function languageOfQuestion(question: string): ReaderLanguage {
  return languageOf(
    question
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.slice(0, MOST_TOKENS) ?? [],
  );
}

/** The words of a question with what they do in it. */
export function said(question: string): Said {
  const quotes: string[] = [];
  const text = question
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‘’`´]/g, "'")
    .replaceAll("''", '"')
    .replaceAll(
      /"([^"]+)"|(?<![\p{L}\d])'([^']+)'(?!\p{L})/gu,
      (_, a: string | undefined, b: string | undefined) => {
        quotes.push((a ?? b ?? "").trim());
        return ` \uE000${quotes.length - 1} `;
      },
    );
  const raw = (text.match(WORD) ?? []).slice(0, MOST_TOKENS);
  const language = languageOfQuestion(question);
  const tokens: Token[] = [];
  for (const word of raw) {
    const quoted = word.startsWith("\uE000") ? quotes[Number(word.slice(1))] : undefined;
    if (quoted !== undefined) tokens.push(quotedToken(quoted));
    else addWord(word, tokens, language);
  }
  markCues(tokens, language);
  return { language, tokens };
}

function quotedToken(quoted: string): Token {
  const text = quoted.toLowerCase();
  const number = /^-?\d+(\.\d+)?$/.test(quoted) ? { number: Number(quoted) } : {};
  return { text, stem: text, cue: "", quoted, isCapital: false, ...number };
}

function addWord(word: string, tokens: Token[], language: ReaderLanguage): void {
  const isPossessive = /'s$/i.test(word);
  const text = (isPossessive ? word.slice(0, -2) : word).toLowerCase();
  const number = numberOf(text, language);
  const last = tokens.at(-1);
  if (number !== undefined && number >= 100 && !/^\d/.test(text) && last?.number !== undefined) {
    last.number *= number;
    return;
  }
  const isCapital = /^\p{Lu}/u.test(word) && tokens.length > 0;
  tokens.push({
    text,
    stem: stemOf(text, language),
    cue: "",
    isCapital,
    ...(number !== undefined && { number }),
  });
  if (isPossessive) tokens.push({ text: "'s", stem: "'s", cue: "OF", isCapital: false });
}

function numberOf(text: string, { numbers }: ReaderLanguage): number | undefined {
  if (/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  if (!/^\d/.test(text)) return Object.hasOwn(numbers, text) ? numbers[text] : undefined;
  const number = Number(text.replaceAll(",", "").replace(/(st|nd|rd|th)$/, ""));
  return Number.isNaN(number) ? undefined : number;
}

const indexes = new WeakMap<ReaderLanguage, { cues: ReadonlyMap<string, string>; most: number }>();

function cueIndex(language: ReaderLanguage) {
  const known = indexes.get(language);
  if (known !== undefined) return known;
  const cues = new Map<string, string>();
  for (const [cue, all] of Object.entries(language.cues))
    for (const phrase of all) if (!cues.has(phrase)) cues.set(phrase, cue);
  const index = { cues, most: Math.max(...[...cues.keys()].map((each) => each.split(" ").length)) };
  indexes.set(language, index);
  return index;
}

/** The longest phrase from each word on is what its words do. */
function markCues(tokens: Token[], language: ReaderLanguage): void {
  const { cues, most } = cueIndex(language);
  for (let i = 0; i < tokens.length; ) {
    let length = Math.min(most, tokens.length - i);
    for (; length > 0; length -= 1) {
      const some = tokens.slice(i, i + length);
      if (some.some(({ quoted }) => quoted !== undefined)) continue;
      const cue = cues.get(some.map(({ text }) => text).join(" "));
      if (cue === undefined) continue;
      for (const token of some) token.cue = cue;
      break;
    }
    i += Math.max(1, length);
  }
}

export function stemOf(word: string, { irregular, stem }: ReaderLanguage): string {
  return irregular.get(word) ?? stem(word);
}

/** Whether a word only holds others together. */
export function isGrammar(word: string, { grammar }: ReaderLanguage): boolean {
  return grammar.has(word);
}

/** The words of a name: `StuID` is a student's id. */
export function nameWords(name: string): string[] {
  const parts = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{L})(\d)/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());
  return parts.flatMap((part) => {
    const long = Object.hasOwn(SHORT_FORMS, part) ? SHORT_FORMS[part] : undefined;
    if (long !== undefined) return long.split(" ");
    const isId = part.length > 4 && /\p{Ll}id$/u.test(part) && !/(paid|valid|grid|bid|aid)$/.test(part);
    return isId ? [part.slice(0, -2), "id"] : [part];
  });
}

/** A text as values are compared. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.]+/gu, " ")
    .trim();
}

/** Whether one letter was left out, put in, changed or swapped with its neighbour. */
export function isOneOff(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a[0] !== b[0]) return false;
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i += 1;
  const [restA, restB] = [a.slice(i), b.slice(i)];
  const isSwap = restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB ||
    (isSwap && restA.slice(2) === restB.slice(2))
  );
}
