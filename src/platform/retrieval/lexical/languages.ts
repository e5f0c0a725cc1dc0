import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { stopwords as danishStops } from "@orama/stopwords/danish";
import { stopwords as dutchStops } from "@orama/stopwords/dutch";
import { stopwords as englishStops } from "@orama/stopwords/english";
import { stopwords as finnishStops } from "@orama/stopwords/finnish";
import { stopwords as frenchStops } from "@orama/stopwords/french";
import { stopwords as germanStops } from "@orama/stopwords/german";
import { stopwords as hungarianStops } from "@orama/stopwords/hungarian";
import { stopwords as italianStops } from "@orama/stopwords/italian";
import { stopwords as norwegianStops } from "@orama/stopwords/norwegian";
import { stopwords as portugueseStops } from "@orama/stopwords/portuguese";
import { stopwords as romanianStops } from "@orama/stopwords/romanian";
import { stopwords as russianStops } from "@orama/stopwords/russian";
import { stopwords as spanishStops } from "@orama/stopwords/spanish";
import { stopwords as swedishStops } from "@orama/stopwords/swedish";
import { stopwords as turkishStops } from "@orama/stopwords/turkish";

/** Words of questions, which the list of Snowball has not. */
const GERMAN_QUESTIONS =
  "wer wen wem wessen wann warum weshalb wieso wohin woher wofür womit wodurch worauf worin worüber woraus wovon wozu woran wonach welch wieviel viele beim wurde wurden worden gibt gab".split(
    " ",
  );

/** Snowball stemmers and words that say nothing, by language. */
const LANGUAGES: Record<string, { stem(word: string): string; stops: readonly string[] }> = {
  da: { stem: danish, stops: danishStops },
  de: { stem: german, stops: [...germanStops, ...GERMAN_QUESTIONS] },
  en: { stem: english, stops: [...englishStops, "a"] },
  es: { stem: spanish, stops: spanishStops },
  fi: { stem: finnish, stops: finnishStops },
  fr: { stem: french, stops: frenchStops },
  hu: { stem: hungarian, stops: hungarianStops },
  it: { stem: italian, stops: italianStops },
  nl: { stem: dutch, stops: dutchStops },
  no: { stem: norwegian, stops: norwegianStops },
  pt: { stem: portuguese, stops: portugueseStops },
  ro: { stem: romanian, stops: romanianStops },
  ru: { stem: russian, stops: russianStops },
  sv: { stem: swedish, stops: swedishStops },
  tr: { stem: turkish, stops: turkishStops },
};

/** A list of more words than this has some that are not little. */
const LIST_WORDS = 200;

/** Accents. Marks of other scripts are letters in all but name: vowels, or what tells ga from ka. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]+/gu;
const ASCII = /^[\0-\x7f]*$/;
/** Words whose stems are remembered: most words of a text were in the one before. */
const KEPT_STEMS = 20_000;
const keptStems = new Map<string, string>();

/** In which languages a word says nothing. */
const stopsOf = new Map<string, Set<string>>();
for (const [language, { stops }] of Object.entries(LANGUAGES))
  for (const stop of stops)
    for (const word of fold(stop).split("'")) {
      const languages = stopsOf.get(word) ?? new Set();
      stopsOf.set(word, languages.add(language));
    }

/** Lower case, without accents and other marks. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize("NFKD").replace(MARKS, "").toLowerCase();
  return plain.replaceAll("ß", "ss").replaceAll("’", "'").normalize("NFC");
}

const UNSPACED = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}";
const SOUTHERN = "\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
/** A stretch of a script that puts no spaces between words, or joins endings to them as Korean does. */
export const UNSPACED_RUN = new RegExp(`([${UNSPACED}]+|\\p{scx=Hang}+|[${SOUTHERN}]+)`, "u");

export function isUnspaced(word: string): boolean {
  return !ASCII.test(word) && UNSPACED_RUN.test(word);
}

/** Languages that are told by their script, which has no list of little words here. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{scx=Hira}\p{scx=Kana}]/u, "ja"],
  [/\p{scx=Hang}/u, "ko"],
  [/\p{scx=Han}/u, "zh"],
  [/\p{scx=Thai}/u, "th"],
  [/\p{scx=Arab}/u, "ar"],
  [/\p{scx=Hebr}/u, "he"],
  [/\p{scx=Deva}/u, "hi"],
  [/\p{scx=Grek}/u, "el"],
];

/** Empty where most words are in a script of several languages. */
function languageByScript(words: readonly string[]): string {
  const others = words.filter((word) => !ASCII.test(word));
  if (2 * others.length <= words.length) return "";
  // Japanese is written with Chinese characters, too.
  const found = SCRIPTS.map(([script, language]) => {
    return { language, count: others.filter((word) => script.test(word)).length };
  });
  const kana = found[0]!.count > others.length / 10 ? found[0] : undefined;
  const best = kana ?? found.reduce((a, b) => (b.count > a.count ? b : a));
  return 2 * best.count > others.length || best === kana ? best.language : "";
}

/** What a question in scripts without spaces is asked with: two of its characters would stand for a rare word. */
const ASKING =
  /什么|什麼|甚么|哪里|哪裡|哪儿|哪个|哪個|哪些|多少|怎么|怎麼|怎样|如何|为什么|為什麼|何时|是谁|是誰|谁|誰|请问|吗[?？]?$|呢[?？]?$|どこ|いつ|どの|どれ|どう|なぜ|いくつ|いくら|(?:です|ます|でした|ました)か|(?<![几幾任])何(?!学)|무엇|어디|언제|누구|얼마나|얼마|어떻게|몇|(?:입니까|습니까|인가요|나요)[?？]?\s*$/gu;

export function withoutAsking(text: string): string {
  return ASCII.test(text) ? text : text.replace(ASKING, " ");
}

export function isStop(word: string, language: string): boolean {
  return stopsOf.get(word)?.has(language) ?? false;
}

/** A word, folded, without its ending. What is known of another language stays as it is. */
export function stemOf(word: string, language: string): string {
  const stem = LANGUAGES[language]?.stem;
  if (stem === undefined) return word;
  const key = language + word;
  const kept = keptStems.get(key);
  if (kept !== undefined) return kept;
  if (keptStems.size >= KEPT_STEMS) keptStems.clear();
  const found = fold(stem(word));
  keptStems.set(key, found);
  return found;
}

/**
 * The language of a text is told by the little words in it, which are in every sentence: as sure as by its letters, and
 * in a hundredth of the time. Empty where there are none.
 */
export function languageOf(words: readonly string[], expected: readonly string[] = []): string {
  const byScript = languageByScript(words);
  if (byScript !== "") return byScript;
  const votes = new Map<string, number>();
  for (const word of new Set(words)) {
    const languages = word.length > 1 ? stopsOf.get(word) : undefined;
    for (const language of languages ?? []) {
      const vote = 1 / languages!.size / Math.max(LIST_WORDS, LANGUAGES[language]!.stops.length);
      votes.set(language, (votes.get(language) ?? 0) + vote);
    }
  }
  // Few words leave room for doubt: then it is one of those that are expected.
  for (const language of expected) votes.set(language, (votes.get(language) ?? 0) * EXPECTED);
  let best = "";
  for (const [language, count] of votes) if (count > (votes.get(best) ?? 0)) best = language;
  return best;
}

/** How much more an expected language counts. */
const EXPECTED = 2;
