import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import type { Found } from "./candidates.ts";

/**
 * Which words of a question say nothing where they stand. Most of them never do; a verb such as "placed" does before a
 * noun, where it tells some of them from others, and where it alone says what somebody did.
 */
export function emptyWords(
  words: readonly Word[],
  found: readonly Found[],
  { fillers, deeds, beside, grammar }: Language,
  isEvent: (ds: string) => boolean,
): ReadonlySet<number> {
  const text = words.map(({ norm }) => norm).join(" ");
  const isNoun = ({ sense }: Found) => ["rel", "table", "field", "worth"].includes(sense.t);
  const startsNoun = new Set(found.filter(isNoun).map(({ start }) => start));
  const isLed = (i: number) => {
    const before = words[i - 1];
    if (before === undefined || /^\P{L}+$/u.test(before.norm)) return true;
    return DETERMINER.test(before.norm) || grammar.get(before.norm)?.op === "by";
  };
  const somebody = new Set(
    found.flatMap(({ sense, end }) => (sense.t === "rel" && !isEvent(sense.ds) ? [end] : [])),
  );
  const saysWhat = (i: number) =>
    WHO.test(words[i - 1]?.norm ?? "") &&
    somebody.has(i - 1) &&
    !STAYS.test(words[i]?.norm ?? "") &&
    !words.slice(i + 1).some((_, at) => startsNoun.has(i + 1 + at));
  const isEmpty = ({ norm }: Word, i: number) => {
    if (isThing(words, i) || isWritten(words, i)) return false;
    if (norm === "let") return /^(me|us|s|'s|’s|know)$/.test(words[i + 1]?.norm ?? "");
    if (norm === "together")
      return ALL_OF.test(
        words
          .slice(0, i)
          .map((word) => word.norm)
          .join(" "),
      );
    if (deeds.has(norm)) return !(startsNoun.has(i + 1) && isLed(i)) && !saysWhat(i) && !isReason(words, i);
    return beside.get(norm)?.test(text) ?? fillers.has(norm);
  };
  return new Set(words.flatMap((word, i) => (isEmpty(word, i) ? [i] : [])));
}

/** Words after which an adjective or a noun follows, and no verb. */
const DETERMINER =
  /^(the|an?|our|all|of|by|per|for|from|in|with|without|number|how|many|which|what|average|total|most|least|show|list|der|die|das|den|alle|unsere)$/;
const WHO = /^(who|that|which|die|der)$/;
/** Where somebody is. */
const STAYS = /^(live|lives|work|works|stay|stays|lie|lies|exist|come|comes|located|based|situated|found)$/;
/** Several that numbers of are put together. */
const ALL_OF = /(^| )(and|both|all|taken|our|und|alle|beide)( |$)|,/;

/** "for cause": behind a preposition and before nothing it is a noun. */
function isReason(words: readonly Word[], i: number): boolean {
  const [before, after] = [words[i - 1]?.norm ?? "", words[i + 1]?.norm ?? ""];
  return /^(for|of|with|without|due|ohne|wegen)$/.test(before) && /^\P{L}*$/u.test(after);
}

/** Whoever writes IT in a sentence means no "it". */
function isWritten(words: readonly Word[], i: number): boolean {
  const { text = "" } = words[i] ?? {};
  return /^\p{Lu}{2,}$/u.test(text) && words.some((word) => /^\p{Ll}{2,}$/u.test(word.text));
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
