/** A word that stands for what was said before. */
export interface Pointing {
  start: number;
  end: number;
  text: string;
  /** `whose`: "their revenue"; `of`: "that category", with the noun; `it`: the word by itself. */
  k: "whose" | "of" | "it";
  noun?: string;
  /** It stands for one thing alone: "its", "that store". */
  isOne: boolean;
  isGerman: boolean;
}

/** What has the form of a pointing word: the possessive, the one before a noun, and the one that stands alone. */
const WHOSE = /(?<!\p{L})(?:their|its|his|her|ihre?[nrms]?|deren|dessen|seine?[nrms]?)(?!\p{L})/giu;
const DEMONSTRATIVE =
  /(?<!\p{L})(?:that|this|those|these|(?:the )?same|diese[nrms]?|jene[nrms]?|dieselben?|derselben?|denselben|demselben)\s+(?:same\s+)?(?<noun>\p{L}[\p{L}-]*)/giu;
const ALONE =
  /(?<!\p{L})(?:they|them|themselves|it|he|she|him|that|those|these|this|(?:which|the (?:first|second|third|other|others|last|next|same|\p{L}+est)) ones?|davon|darunter|dafür|darin|daran|denen|ihnen|sie|diese[nrms]?|das|dort|there)(?!\p{L})/giu;

/** What a period is called: "this year" is one of its own. */
const TIME =
  /^(?:years?|quarters?|months?|weeks?|days?|weekend|morning|evening|time|times|fiscal|calendar|period|half|season|jahre?s?|quartale?s?|monate?n?s?|wochen?|tage?[ns]?|zeit|zeitraum(?:s|es)?|geschäftsjahr(?:e?s)?)$/i;
/** What stands between a noun and a word that only takes it up again: "the stores and their managers". */
const BOUNDARY =
  /[,;:.!?()–]|\s-\s|(?<=\p{L}\s)(?:and|or|but|und|oder|aber|that|who|whom|whose|which|where|when|whether|than|as|mit|with|die|der|welche[rnms]?)\s|\p{L}ing\s/giu;
/** Words that name nothing, so that nothing before can be meant by them. */
const EMPTY = new Set(
  `and but or so now then ok okay please can could you i we me us show list give tell what which who whom whose how many much when
  where why is are was were be do does did has have had of for in on at by to from with about the a an all any both only just
  compare compared since until during per each no not also more than between total und aber oder jetzt dann bitte zeige zeig mir
  uns wir ich wie viele viel was wer wen welche welcher welches welchen wann wo warum ist sind war waren hat haben hatte hatten
  gab gibt es von für im in am an aus bei mit nach pro je zu zum zur der die das den dem des ein eine einen alle nur auch seit
  bis`.split(/\s+/),
);

/** Whether something is named before, in the same sentence and apart from what follows, that the word takes up. */
function isTakenUp(before: string, isOwned: boolean): boolean {
  const named = (text: string) =>
    [...text.toLowerCase().matchAll(/\p{L}[\p{L}'-]*/gu)].some(
      ([word]) => !EMPTY.has(word) && !TIME.test(word),
    );
  if (isOwned) return named(before);
  const last = [...before.matchAll(BOUNDARY)].at(-1);
  return last !== undefined && named(before.slice(0, last.index));
}

/** Words after which "that" is no relative pronoun: "for that", "does that". */
const BEFORE_THAT =
  /(?:^|\b(?:is|are|was|were|do|does|did|of|for|about|with|to|by|from|than|in|on|at|like|after|before|has|have|had|compare|and|what|how))\s*$/i;
/** A German article has a noun behind it. */
const IS_PRONOUN =
  /^\s*(?:[?!.,]|$|(?:im|in|für|nach|pro|je|von|zum|zu|insgesamt|genau|so|alles|denn)(?!\p{L}))/iu;

function isPointing(word: string, before: string, after: string): boolean {
  const low = word.toLowerCase();
  // "that of Colorado", "those who ordered" say themselves what they stand for.
  if (/^(that|those|these)$/.test(low) && /^\s+(?:of|who|that|which|with|whose|where|having)\b/i.test(after))
    return false;
  if (low === "that" || low === "this") return BEFORE_THAT.test(before);
  if (low === "das") return IS_PRONOUN.test(after) && !/,\s*$/.test(before);
  if (low === "there" || low === "dort")
    return /^\s*[?!.]*$/.test(after) && !/\b(?:is|are|was|were|be|been)\s*$/i.test(before);
  // "does it take", "the year before it", "the bank wants it by noon: …": of nothing that was asked before.
  if (low === "it")
    return (
      !/^\s+(?:takes?|took|looks?|seems?)\b|:\s+\S+\s/i.test(after) && !/\b(?:before|after)\s*$/i.test(before)
    );
  // "Können Sie" is said to whoever is asked.
  if (low === "sie") return word === "sie" || before.trim() === "";
  return true;
}

/** The word of a question that points back to something that the question itself does not name. */
export function pointingIn(text: string): Pointing | undefined {
  const found: Pointing[] = [];
  const taken: Pick<Pointing, "start" | "end">[] = [];
  const parts = (match: RegExpExecArray) =>
    [text.slice(0, match.index), text.slice(match.index + match[0].length)] as const;
  for (const match of text.matchAll(WHOSE)) {
    const [before, after] = parts(match);
    const isFalse =
      /,\s*$/.test(before) ||
      /\b(?:könnt|habt|wollt|seid|seit)\s+$/i.test(before) ||
      !/^\s+\p{L}/u.test(after);
    if (!isFalse && !isTakenUp(before, true))
      found.push({ ...at(match), k: "whose", isOne: /^(its|his|her|dessen)/i.test(match[0]) });
  }
  for (const match of text.matchAll(DEMONSTRATIVE)) {
    const noun = match.groups?.noun ?? "";
    const [before] = parts(match);
    const low = match[0].toLowerCase();
    // "that" behind a noun begins a clause; "that manager" may take up a manager.
    if (/^that /.test(low) && !BEFORE_THAT.test(before)) continue;
    if (EMPTY.has(noun.toLowerCase())) continue;
    taken.push(at(match));
    if (TIME.test(noun) || before.toLowerCase().includes(stemOf(noun))) continue;
    found.push({ ...at(match), k: "of", noun, isOne: /^th(at|is) /.test(low) });
  }
  for (const match of text.matchAll(ALONE)) {
    const [before, after] = parts(match);
    const isPart = [...found, ...taken].some(({ start, end }) => start <= match.index && match.index < end);
    if (isPart || !isPointing(match[0], before, after) || isTakenUp(before, /ones?$/i.test(match[0])))
      continue;
    found.push({
      ...at(match),
      k: "it",
      isOne: /^(it|he|she|him)$/i.test(match[0]) || /one$/i.test(match[0]),
    });
  }
  return found.toSorted((a, b) => a.start - b.start)[0];
}

const GERMAN = /^(?:ihr|deren|dessen|sein|dies|jen|d[ae][rvfn]|ihn|sie|das|dort|demsel)/i;

function at(match: RegExpExecArray): Pick<Pointing, "start" | "end" | "text" | "isGerman"> {
  const [text] = match;
  return { start: match.index, end: match.index + text.length, text, isGerman: GERMAN.test(text) };
}

function stemOf(noun: string): string {
  return noun.toLowerCase().replace(/(?:ies|y|es|s|en|n)$/, "");
}
