import type { Language } from "../languages/language.ts";
import { normsOf, type Word } from "../languages/words.ts";
import type { Found } from "./candidates.ts";

/**
 * Which words of a question say nothing where they stand: those of how one asks never do, and a verb does not where it
 * only links things that the question names.
 */
export function emptyWords(
  words: readonly Word[],
  found: readonly Found[],
  language: Language,
  isEvent: (ds: string) => boolean,
): ReadonlySet<number> {
  const { fillers, deeds, beside } = language;
  const text = normsOf(words);
  const isEmpty = ({ norm }: Word, i: number) => {
    if (isThing(words, i) || isWritten(words, i) || isShown(words, i)) return false;
    if (norm === "together") return ALL_OF.test(text.slice(0, text.indexOf("together")));
    if (ANYTHING.test(norm)) return isTold(i, found);
    if (deeds.has(norm)) return links(i, words, found, language, isEvent);
    return beside.get(norm)?.test(text) ?? fillers.has(norm);
  };
  return new Set(words.flatMap((word, i) => (isEmpty(word, i) ? [i] : [])));
}

/**
 * Whether a verb only links things: not as a noun ("for cause"), not before a noun, where it tells some of them from
 * others ("placed orders"), and not where it alone says who is counted or what somebody did.
 */
function links(
  i: number,
  words: readonly Word[],
  found: readonly Found[],
  language: Language,
  isEvent: (ds: string) => boolean,
): boolean {
  const before = words[i - 1]?.norm ?? "";
  if (AS_NOUN.test(before) || countsNobody(words, i, language)) return false;
  const isNoun = ({ sense }: Found) => ["rel", "table", "field", "worth"].includes(sense.t);
  const startsNoun = new Set(found.filter(isNoun).map(({ start }) => start));
  const isLed =
    /^\P{L}*$/u.test(before) || DETERMINER.test(before) || language.grammar.get(before)?.op === "by";
  if (startsNoun.has(i + 1) && isLed) return false;
  const isSomebody = found.some(({ sense, end }) => end === i - 1 && sense.t === "rel" && !isEvent(sense.ds));
  const isLast = words.every((_, at) => at <= i || !startsNoun.has(at));
  return !(WHO.test(before) && isSomebody && isLast && !STAYS.test(words[i]?.norm ?? ""));
}

/** Words before a noun, and never before a verb. */
const AS_NOUN = /^(the|an?|our|of|per|for|with|without|average|total|ohne|wegen)$/;
/** Whether a verb stands where whoever is counted would be named: "how many work here". */
export function countsNobody(words: readonly Word[], i: number, { deeds }: Language): boolean {
  return deeds.has(words[i]?.norm ?? "") && COUNTED.test(words[i - 1]?.norm ?? "");
}

const COUNTED = /^(many|vielen?)$/;
/** Nouns for anything: empty behind what says of which kind ("defective goods"). */
const ANYTHING = /^(goods|stuff|things|companies|sachen|dinge|firmen)$/;

function isTold(i: number, found: readonly Found[]): boolean {
  return found.some(
    ({ sense, end }) => end === i && (sense.t === "cond" || (sense.t === "rel" && sense.form === "name")),
  );
}

/** Words after which an adjective or a noun follows, and no verb. */
const DETERMINER =
  /^(the|an?|our|all|of|by|per|for|from|in|with|without|number|how|many|which|what|average|total|most|least|show|list|der|die|das|den|alle|unsere)$/;
const WHO = /^(who|that|which|die|der)$/;
/** Where somebody is. */
const STAYS = /^(live|lives|work|works|stay|stays|lie|lies|exist|come|comes|located|based|situated|found)$/;
/** Several that numbers of are put together. */
const ALL_OF = /(^| )(and|both|all|taken|our|und|alle|beide)( |$)|,/;

/** Whoever writes IT in a sentence means no "it", and a letter by itself is one. */
function isWritten(words: readonly Word[], i: number): boolean {
  const { text = "" } = words[i] ?? {};
  return /^(?:\p{Lu}{2,}|[B-HJ-Z])$/u.test(text) && words.some((word) => /^\p{Ll}{2,}$/u.test(word.text));
}

/** "with who": whoever it was is asked for beside something else. */
export function isShown(words: readonly Word[], i: number): boolean {
  return words[i]?.norm === "who" && words[i - 1]?.norm === "with";
}

/** "based on a book", "made as a game": what a thing is about is no empty word, whatever it is elsewhere. */
function isThing(words: readonly Word[], i: number): boolean {
  const [before, article] = [words[i - 2]?.norm ?? "", words[i - 1]?.norm ?? ""];
  if (!/^(an?|eine[mnrs]?|ein)$/.test(article) || /^[^\p{L}]/u.test(words[i]?.norm ?? "")) return false;
  if (/^(on|about|from|into|auf|über|aus)$/.test(before)) return true;
  return /^(as|als)$/.test(before) && !SHOWN_AS.test(words[i]?.norm ?? "");
}

/** How an answer is wanted. */
const SHOWN_AS =
  /^(list|table|chart|pie|bar|line|graph|plot|picture|report|summary|overview|breakdown|ranking|whole|percent|percentage|share|fraction|ratio|number|liste|tabelle|bericht)$/;
