/** A word that stands for what was said before. */
export interface Pointing {
  start: number;
  end: number;
  text: string;
  /** `whose`: "their revenue"; `of`: "that category", with the noun; `it`: the word by itself. */
  k: "whose" | "of" | "it";
  noun?: string | undefined;
  /** It stands for one thing alone: "its", "that store". */
  isOne: boolean;
  /** It stands for as many: "the ten". */
  n?: number | undefined;
  isGerman: boolean;
}

const NUMBERS: readonly string[] =
  "zero one two three four five six seven eight nine ten null eins zwei drei vier fünf sechs sieben acht neun zehn".split(
    " ",
  );
/** "the ten" before a verb, or at the end; and as what its number is said. */
const MANY = `(?:the|those|these|die|diese)\\s+(?<n>${NUMBERS.join("|")}|\\d{1,2})(?=[?!.]*$|\\s+(?:make|made|have|had|do|did|are|were|bring|brought|spend|spent|account|together|sell|sold|buy|bought|order|ordered|place|placed|come|came|haben|hatten|machen|sind|waren|bringen|brachten|zusammen)(?!\\p{L}))`;

/** What has the form of a pointing word, and where it stands for one thing alone. */
const FORMS: readonly [Pointing["k"], RegExp, RegExp][] = [
  [
    "whose",
    /(?<!\p{L})(?:their|its|his|her|ihre?[nrms]?|deren|dessen|seine?[nrms]?)(?!\p{L})/giu,
    /^(?:its|his|her|dessen)/i,
  ],
  [
    "of",
    /(?<!\p{L})(?:that|this|those|these|(?:the )?same|diese[nrms]?|jene[nrms]?|dieselben?|derselben?|denselben|demselben)\s+(?:same\s+)?(?<noun>\p{L}[\p{L}-]*)/giu,
    /^th(?:at|is) /i,
  ],
  ["it", new RegExp(`(?<!\\p{L})${MANY}`, "giu"), /^$/],
  [
    "it",
    /(?<!\p{L})(?:they|them|themselves|it|he|she|him|(?:that|this) one|that|those|these|this|(?:which|the (?:first|second|third|other|others|last|next|same|\p{L}+est|(?:most|least) \p{L}+)) ones?|the ones?(?= (?:in|from|with|of|at|who|that)\b)|davon|darunter|dafür|darin|daran|denen|ihnen|sie|diese[nrms]?|das|dort|there|(?:die|der|den|dem|denen)(?=[?!.\s]*$))(?!\p{L})/giu,
    /^(?:it|he|she|him|der)$|(?<!^which )one$/i,
  ],
];
const GERMAN = /^(?:ihr|deren|dessen|sein|dies|jen|d[ae][rvfn]|ihn|sie|das|dort|demsel)/i;

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
  bis hoch groß gross lang alt long high big large old high average mean highest lowest most best worst durchschnittlich`.split(
    /\s+/,
  ),
);
/** Whether a word names nothing. */
export function isEmpty(word: string): boolean {
  return EMPTY.has(word.toLowerCase());
}

/** Words after which "that" is no relative pronoun: "for that", "does that". */
const BEFORE_THAT =
  /(?:^|\b(?:is|are|was|were|do|does|did|of|for|about|with|to|by|from|than|in|on|at|like|after|before|has|have|had|compare|and|what|how))\s*$/i;
/** A German article has a noun behind it. */
const IS_PRONOUN =
  /^\s*(?:[?!.,]|$|(?:im|in|für|nach|pro|je|von|zum|zu|insgesamt|genau|so|alles|denn)(?!\p{L}))/iu;

/** The word of a question that points back to something that the question itself does not name. */
export function pointingIn(text: string, isNobody = (_: string) => false): Pointing | undefined {
  const found: Pointing[] = [];
  const taken: { start: number; end: number }[] = [];
  for (const [k, pattern, one] of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const [word] = match;
      const { noun, n } = match.groups ?? {};
      const [start, end] = [match.index, match.index + word.length];
      const [before, after] = [text.slice(0, start), text.slice(end)];
      const isPart = taken.some((each) => each.start <= start && start < each.end);
      if (isPart || !(n !== undefined || POINTS[k](word, before, after, noun))) continue;
      if (k === "of" || n !== undefined) taken.push({ start, end });
      if (isTakenUp({ k, word, before, noun }, isNobody)) continue;
      const many =
        n === undefined ? {} : { n: /^\d/.test(n) ? Number(n) : NUMBERS.indexOf(n.toLowerCase()) % 11 };
      found.push({
        start,
        end,
        text: word,
        k,
        noun,
        isOne: one.test(word),
        isGerman: GERMAN.test(word),
        ...many,
      });
    }
  }
  return found.toSorted((a, b) => a.start - b.start)[0];
}

type Points = (word: string, before: string, after: string, noun: string | undefined) => boolean;

/** Whether what has the form of a pointing word is one. */
const POINTS: Record<Pointing["k"], Points> = {
  whose: (_, before, after) =>
    !/,\s*$|\b(?:könnt|habt|wollt|seid|seit)\s+$/i.test(before) && /^\s+\p{L}/u.test(after),
  // "that" behind a noun begins a clause.
  of: (word, before, _, noun = "") =>
    !isEmpty(noun) &&
    !/^ones?$/i.test(noun) &&
    !NUMBERS.includes(noun.toLowerCase()) &&
    (!/^that /i.test(word) || BEFORE_THAT.test(before)),
  it: (word, before, after) => {
    const low = word.toLowerCase();
    // "that of Colorado", "those who ordered" say themselves what they stand for.
    const isSaid = /^\s+(?:of|who|that|which|with|whose|where|having)\b/i.test(after);
    if (/^(?:that|those|these)$/.test(low) && isSaid) return false;
    if (/ one$/.test(low)) return true;
    if (low === "that" || low === "this") return BEFORE_THAT.test(before);
    if (low === "das") return IS_PRONOUN.test(after) && !/,\s*$/.test(before);
    // "are there", "there were" say that something is.
    if (low === "there")
      return (
        !/\b(?:is|are|was|were|be|been)\s*$/i.test(before) &&
        !/^\s*(?:is|are|was|were|has|have)\b/i.test(after)
      );
    // "does it take", "the year before it", "the bank wants it by noon: …": of nothing that was asked before.
    const isNothing = /^\s+(?:takes?|took|looks?|seems?)\b|:\s+\S+\s/i.test(after);
    if (low === "it") return !isNothing && !/\b(?:before|after)\s*$/i.test(before);
    // "Können Sie" is said to whoever is asked.
    return low !== "sie" || word === "sie" || before.trim() === "";
  },
};

/** Whether something is named before, in the same sentence and apart from what follows, that the word takes up. */
function isTakenUp(
  { k, word, before, noun = "" }: Pick<Pointing, "k" | "noun"> & { word: string; before: string },
  isNobody: (word: string) => boolean,
): boolean {
  if (k === "of") {
    const stem = noun.toLowerCase().replace(/(?:ies|y|es|s|en|n)$/, "");
    return (TIME.test(noun) && !/^(?:those|jene)/i.test(word)) || before.toLowerCase().includes(stem);
  }
  // "what river is the longest one" is of the rivers.
  const isOwned = k === "whose" || /ones$|est one$/i.test(word);
  const last = [...before.matchAll(BOUNDARY)].at(-1)?.index;
  const apart = isOwned ? before : before.slice(0, last ?? 0);
  const words = apart.toLowerCase().match(/\p{L}[\p{L}-]*/gu) ?? [];
  return words.some((each) => each.length > 1 && !isEmpty(each) && !TIME.test(each) && !isNobody(each));
}
