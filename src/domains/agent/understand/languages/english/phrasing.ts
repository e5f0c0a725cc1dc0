import type { Language, Vocabulary } from "../language.ts";
import { deniedAll, eitherOr, fieldsWith, isSomebody, isValue, saysWhy } from "../sentences.ts";
import { fold, phraseKey, wordsOf } from "../words.ts";

const NUMBERS = new Map(
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, i) => [word, String(i + 2)]),
);
NUMBERS.set("dozen", "12");

/** "… - how many?", "…, how many were there in 2025" */
const COUNT_LAST =
  /^(?<what>[^?]{3,}?)\s*[,:–-]\s*how many(?:\s+(?:are|were|was|is|do we have|did we have|have we)(?:\s+there)?)?\b(?<rest>[^,?]*)\??\s*$/i;
/** What customers spend is what they bring in; what is spent on something is another number. */
const SPENT =
  /(?<=\b(?:did|does|do|has|have|who|that|customers?|clients?|buyers?)\b[^?.]*)(?<!\bwe (?:have |had |ever )?)\bspen[dt]\b(?! on\b)(?: with us\b)?/gi;
/** "did we spend on marketing": the marketing spend. */
const SPENT_ON = /\b(?:did |do |have |has )?(?:we )?(?:spen[dt]|spending) (?:on|for) (\p{L}+)/giu;
/** What stands before a question may say only who asks, or what for. */
const PREAMBLE = [
  {
    pattern:
      /^([^,]{2,80}),\s+(?=(?:how|what|which|who|when|where|show|give|list|i|we|can|could|tell|please)\b)/i,
    isIdle: saysWhy,
  },
  {
    // What asks how much is needed leads to nothing.
    pattern:
      /^((?:(?!\b(?:how (?:much|many)|what)\b).){0,80}?)\b(?:(?:i|we)(?: would|'d)? (?:need|want|like)|wants?|needs?|asks?|is asking|would like|is wondering)(?: (?:us|me))?(?: (?:to (?:know|see|have)|for|about))?\s+/i,
    isIdle: (before: string, rest: string) => saysWhy(before, rest) || isSomebody(before),
  },
];

/** Words that do something to a number, wherever they stand. */
const OPERATES =
  /\b(?:average|avg|mean|median|total|most|least|per|each|every|by|not|without|only|share|percent(?:age)?|within|among|excluding|except)\b/i;

/** Writes out what is said shortly, and leaves out why it is asked. */
export const phrase: Language["prepare"] = (text, vocabulary, datesIn) => {
  const { phrases, values } = vocabulary;
  const isNoun: IsNoun = (word, kinds) => isNounIn(phrases, word, kinds);
  const denied = deniedAll(text, (words) => fieldsWith([fold(words)], values));
  const compared = eitherOr(
    denied,
    { isValue: (word) => isValue(word, values), isRows: isNoun },
    { compare: "compare", of: "of", and: "and", count: "number of" },
  );
  const aimed = withGoals(compared, phrases);
  const spent = aimed.replaceAll(SPENT_ON, (said, what: string) =>
    phrases.has(
      wordsOf(`${what} spend`)
        .map(({ stem }) => stem)
        .join(" "),
    )
      ? `${what} spend`
      : isNoun(what, ["field", "table"])
        ? what
        : said,
  );
  const full = rewritten(phrases.has("spend") ? spent : spent.replaceAll(SPENT, "brought in"), isNoun);
  const rows = full.replaceAll(PER_ROW, (said, number: string, what: string, of: string) =>
    isOfRows(phrases, what, of) ? `${number} of ${of}` : said,
  );
  const bare = withoutPreamble(apart(inDigits(rows, vocabulary), vocabulary), vocabulary, datesIn);
  return bare.replace(COUNT_LAST, (_, what: string, rest: string) => `how many ${what} ${rest}`);
};

/** "average freight per order", which is a number of each order: what it is on average anyway. */
const PER_ROW = /\b((?:average|avg|mean|median) ((?:\p{L}+ ){0,2}\p{L}+)) per (\p{L}+)\b/giu;

function isOfRows(phrases: Vocabulary["phrases"], what: string, of: string): boolean {
  const sensesOf = (text: string) =>
    (
      (phrases.get(phraseKey(text)) ?? []) as { sense: { t: string; ds?: string; key?: { ds: string } } }[]
    ).map(({ sense }) => sense);
  const own = sensesOf(what).flatMap(({ t, key }) => (t === "field" && key !== undefined ? [key.ds] : []));
  return sensesOf(of).some(({ t, ds = "" }) => t === "rel" && own.includes(ds));
}

function isNounIn(
  phrases: Vocabulary["phrases"],
  word: string,
  kinds: readonly string[] = ["rel", "field"],
): boolean {
  const entries = (phrases.get(wordsOf(word)[0]?.stem ?? "") ?? []) as { sense: { t: string } }[];
  return entries.length > 0 && entries.every(({ sense }) => kinds.includes(sense.t));
}

function inDigits(text: string, { words }: Vocabulary): string {
  return text.replaceAll(/(?<!\ba )\b\p{L}+\b/gu, (word) =>
    words.values.has(fold(word)) ? word : (NUMBERS.get(word.toLowerCase()) ?? word),
  );
}

/** "high-priority": written together, but meant apart. */
function apart(text: string, { phrases, values, words }: Vocabulary): string {
  const isKnown = (word: string) => {
    const stem = wordsOf(word)[0]?.stem ?? "";
    return words.values.has(fold(word)) || phrases.has(stem) || values.has(fold(word));
  };
  return text.replaceAll(
    /(?<![\p{L}\p{N}-])(\p{L}{3,})-(\p{L}{3,})(?![\p{L}\p{N}-])/gu,
    (whole, a: string, b: string) => (!isKnown(whole) && isKnown(a) && isKnown(b) ? `${a} ${b}` : whole),
  );
}

function withoutPreamble(
  text: string,
  { phrases, values, words }: Vocabulary,
  datesIn: (text: string) => readonly unknown[],
): string {
  const means = (before: string) =>
    OPERATES.test(before) ||
    datesIn(before).length > 0 ||
    wordsOf(before).some(({ norm, stem }) => values.has(norm) || words.values.has(norm) || phrases.has(stem));
  return PREAMBLE.reduce((said, { pattern, isIdle }) => {
    const [whole = "", before = ""] = pattern.exec(said) ?? [];
    const rest = said.slice(whole.length);
    return !means(before) && isIdle(before, rest) ? rest : said;
  }, text);
}

/** Whether a word names entities or a field of the model, and no number. */
export type IsNoun = (word: string, kinds?: readonly string[]) => boolean;

/** What is said in a way that the rules do not know, and how they know it. */
type Rewrite = readonly [
  said: RegExp,
  meant: string | ((match: readonly string[], isNoun: IsNoun) => string),
];

/** After "did" a verb has no ending, and looks like an adjective or a noun; what we "have open" is so. */
const DID =
  /\b(?:did|does|do)\b(?:(?!\b(?:is|are|was|were|have|has|had)\b)[^?,]){0,80}?\b(?:open|score|make)\b/i;
const DONE = new Map([
  ["open", "opened"],
  ["score", "scored"],
  ["make", "have"],
]);
/** "in each of the last six months" */
const EACH_OF =
  /\b(?:(?:in|for|during|over)\s+)?(?:each|every(?: one)?) of (?:the|our)\s+((?:last|past|previous|next)\s+\S+\s+(day|week|month|quarter|year)s)\b/i;
/** "how long does it take on average to close a ticket" */
const HOW_LONG =
  /\bhow long\s+(?:does|did|do|has)\s+(?:it|we)\s+(?:(?:usually|typically|normally|on average|take)\s+)+(?:us\s+)?(?:on average\s+)?(?:to|until|till|before|for)\b/i;
/** "how many minutes does it take until the first contact" */
const HOW_MANY =
  /^(.*?)\bhow many (days|hours|minutes)(?:\s+(?:does|did|do) (?:it|we) (?:usually |on average )?take(?: us)?|\s+(?:pass|go by|elapse))?(?:\s+on average)?\s+(?:to|until|till|before)\b([^?]*?)(?:\s+on average)?\??\s*$/i;
/** "how many days on average pass between the order and its return" */
const DAYS =
  /\b(?:how many days|number of days|how long|the time|time|days)\b((?:\s+(?:on average|in the mean|do|does|did|it|typically|usually))*)(?:\s+(?:pass(?:es)?|go(?:es)? by|elapses?|lies?|takes?|are there|is there|is it))?\s+(?:between|from)\s+(?:(?:the|an?|placing an?)\s+)?(\p{L}+(?: date)?)\s+(?:and|to|until|till)\s+(?:(?:the|an?|its)\s+)?(\p{L}+(?: date)?)(?!\p{L})/iu;
const BOUGHT =
  /(?<=\bhow much (?:did|does|has|have) (?!we\b)[^?.]*)\b(?:buy|bought|purchased?)\b(?: from us\b)?/gi;

/** One after the other, each on what the one before it has made. */
const REWRITES: readonly Rewrite[] = [
  [
    /\b(?:still |yet )?(?:waiting|awaiting|yet|still|left|remaining|pending) to (?:be|get) (?=\p{L}+(?:ed|t|id|n)\b)/giu,
    "not ",
  ],
  // What we sell is all that there is of it.
  [
    /\b(\p{L}+) (?:that |which )?we (?:sell|offer|carry|stock)\b(?! (?:in|to|on|via|through|during|last|this|each|per|most|the)\b)/giu,
    ([said = "", what = ""], isNoun) => (isNoun(what, ["rel"]) ? what : said),
  ],
  [BOUGHT, "brought in"],
  // "what did Rook Ltd buy": things, where they are called so.
  [
    /^(\s*)what(?= (?:did|has|have|does|do) [^?]{1,80}? (?:buy|bought|order|ordered|purchased?|returned?)\b)/i,
    ([said, space], isNoun) => (isNoun("products") ? `${space}which products` : (said as string)),
  ],
  [/\b(?:what|how much) (?:does|do|did) ([^?]+?) cost\b(?! us)/i, "what is the price of $1"],
  [
    /\b(?:that |which |who )?costs? (?=(?:more|less|over|under|above|below|at least|at most|up to)\b)/i,
    "with a price of ",
  ],
  [/\b(bought|ordered|purchased|sold|returned) nothing\b/gi, "did not $1 anything"],
  [/\bby (\p{L}+)\b(.*?),? (?:and|with|including|incl\.?) (?:the|its|their) \1\b/iu, "by $1$2"],
  [/\bhow much of (.+?),? in (?:percent|%)/gi, "what share of $1"],
  // What is sold most is so by its pieces, where they are counted.
  [
    /\b(most|least|fewest)(?: often| frequently)?[- ](?:sold|bought|purchased) (\p{L}+)/giu,
    ([said = "", most = "", what = ""], isNoun) =>
      isNoun("units", ["table"]) ? `${what} with the ${most} units sold` : said,
  ],
  // "last years revenue"
  [
    /\b(last|this|previous|current) (year|quarter|month|week)s['’]? (?!(?:by|in|of|per|for|and|or|with|was|were|is|are|has|have|did|do|the|compared|vs)\b)(?=\p{L})/giu,
    "$1 $2 ",
  ],
  // "stores with more revenue than the average store"
  [
    /\b(more|higher|larger|bigger|greater|less|lower|fewer|smaller) ((?:\p{L}+ ){1,3}?)than (?:the |an )?average(?: (\p{L}+))?/giu,
    ([, than = "", number = "", of = ""], isNoun) =>
      `${/^(?:less|lower|fewer|smaller)$/i.test(than) ? "below" : "above"} average ${number}${isNoun(of) ? "" : of}`,
  ],
  [/\b(?:ca|wo|sha)n['’]t\b/gi, "will not"],
  [/n['’]t\b/gi, " not"],
  [/\b(did|do|does|was|were|is|are|has|have|had|could|would)nt\b/gi, "$1 not"],
  [/(\d)\s+%/g, "$1%"],
  [/\b(more|less|fewer|\p{L}{3,}er) then\b/giu, "$1 than"],
  [/\bhalf a (thousand|million|billion)\b/gi, "0.5 $1"],
  // "within a day", "over a million"
  [
    /\b(within|than|over|under|above|below|exceed(?:s|ing)?|at least|at most|up to|about) an? (hour|day|week|month|year|hundred|thousand|million|billion)\b/gi,
    "$1 1 $2",
  ],
  [/(?<=\b(?:grow|growth|grew|change|increase|decrease|share|fraction|part)\b.*),? in (?:percent|%)/gi, ""],
  [/\bonly (\p{L}+ed|bought) (once|twice|\d+ times)\b/giu, "$1 only $2"],
  [/\b(return|order|cancel)(?:l?ed)? (?:the )?most(?: often| frequently)?\b/i, "with the most $1s"],
  [/\bas an? (share|percentage|fraction) of (?:the |our )?total \p{L}+/iu, "as a $1 of the total"],
  [
    /\b(?:made|makes?|earn(?:ed)?|brought in|bring in|generated|turned over) (?=(?:more|less|over|under|above|below|at least|at most|up to)\b(?: than)? [€$]?[\d.,]+\s?[km]?(?: (?:thousand|million|euros?|eur))*(?: (?:in|last|this|since|during|per)\b|\?|$))/i,
    "with revenue ",
  ],
  [/\b(?:zero|0) (?=\p{L}{3,})/giu, "no "],
  [/\b(?:at some point|at all|as of today|names? please)\b/gi, ""],
  [/^\s*(?:break|split) down (?:the |our )?(?=.*\bby\b)/i, ""],
  [
    /,?\s*\b(?:for |in |over )?(?:all|each of) (?:the )?(?:four |4 |twelve |12 )?(quarter|month|week)s (?:of|in)\b/i,
    " by $1 in",
  ],
  [/\b(?:right now|just now|at the moment|as of now|at present|of all time|i\.e\.|e\.g\.)(?!\p{L})/giu, ""],
  // "so far this month" ends today.
  [/(?<!\b(?:this|current)\b.*)\bso far\b(?!.*\b(?:this|current)\b)/gi, ""],
  [
    /\b(?:at )?what time(?: of (?:the )?day)?\b(?! (?:period|range|frame|span|zone))/gi,
    "which hour of the day",
  ],
  [/^\s*state (?=the |all |what |which |how )/i, ""],
  [/\b(?:i|we) mean\b/gi, ""],
  [DAYS, "$1 days between $2 and $3"],
  [/\b(above|below)-average\b/gi, "$1 average"],
  [/\baccount(?:s|ed)? for\b/gi, ""],
  [/\b(how long (?:does|did|do|has) (?:it|we)\b.*?) on average\b/gi, "$1"],
  [HOW_LONG, "average time to"],
  [HOW_MANY, "$1average time to$3 in $2"],
  [/\b(takes?|took) to (?=\p{L})/giu, "$1 "],
  [
    /\bhow much (?:money )?(did|do|have) we (?:make|made|earn|earned)(?= (?:in|with|from|on|at|through|via|last|this|during|since)\b|\?|$)/gi,
    "how much revenue $1 we have",
  ],
  [
    /\bhow much (?:money )?(did|do|does|have|has) ((?:\S+ ){1,4}?)(?:sell|sold)(?= (?:in|on|at|of|for|through|via|last|this|during|since|per|by)\b|\?|$)/gi,
    ([said = "", did = "", who = ""], isNoun) =>
      isNoun("revenue", ["table"])
        ? `how much revenue ${did} ${who}make`
        : isNoun("sales", ["rel", "table"]) && /^we $/i.test(who)
          ? "what were total sales"
          : said,
  ],
  [DID, ([said = ""]) => said.replace(/\p{L}+$/u, (verb) => DONE.get(verb.toLowerCase()) ?? verb)],
  [EACH_OF, "by $2 in the $1"],
  [/(?<=\bboth\b.*\band) (?:in|during)(?= \S*\d)/gi, ""],
  [/\b(?:took|takes?|taken|taking) off\b/gi, "started"],
  // Rain falls without growing less.
  [/(?<=\bhow (?:much|many) \p{L}+(?: \p{L}+)?) (?:fell|falls|has fallen)\b/giu, ""],
  [/\b(?:go|goes|went|gone) up\b/gi, "grow"],
  [/\b(?:go|goes|went|gone) down\b/gi, "decline"],
  [/\b(20\d\d) fiscal year\b/gi, "fiscal year $1"],
  [/\b(?!the\b|an?\b|in\b|of\b|is\b)(\p{L}+) difference between\b/giu, "difference in $1 between"],
  [
    /\b(\p{L}+)['’]s (\p{L}+)\b/gu,
    ([said = "", whose = "", what = ""], isNoun) =>
      isNoun(whose) && isNoun(what) ? `${what} of the ${whose}` : said,
  ],
  [/\bwhen did (.+?) (last|first) (?:order|buy|purchase)\b/i, "when was the $2 order of $1"],
  [
    /\bneither ((?:\S+ ){1,4}?)nor (\S+)/gi,
    ([said = "", a = "", b = ""], isNoun) =>
      [...a.trim().split(" "), b].some((word) => isNoun(word) && !/ed$/.test(word))
        ? said
        : `not ${a}or ${b}`,
  ],
  // "each manager's team of sales reps": who they are is said behind it.
  [/(?<=['’]s )team of\b/gi, ""],
  [/\bnon-(?=\p{L}{4,})/giu, "not "],
  [/\b(?:all|everything|everybody|everyone) (?:but|except)\b/gi, "except"],
  // One thing each, and nothing that its words say alone.
  [
    /\b(?:phone|telephone|mobile|fax|e-?mail|mail|postal|street|delivery|billing|shipping|web|ip) (?:numbers?|address(?:es)?)\b|\b(on) (sale)\b|\b(not) (only|just|always)\b|(?<=\b(?:who|customers?|clients?|that) )(came|come) (back)\b/gi,
    ([said = ""]) => said.replace(" ", "-"),
  ],
  [
    /\b(year|quarter|month|week) of (?:the )?(\p{L}+)(?!\p{L})/giu,
    ([said = "", grain = "", of = ""], isNoun) => (isNoun(of, ["field"]) ? `${of} ${grain}` : said),
  ],
  [/,? as well as\b/gi, " and"],
  [/,? as well\b/gi, ""],
  [/\b(employee|staff|customer) turnover\b/gi, "$1 fluctuation"],
  [/\b(euros?|eur|dollars?) (?:a|per|for (?:a|one|each)) (?:unit|piece|item)\b/gi, "$1"],
  [/\babove that of\b/gi, "higher than that of"],
  [/\bbelow that of\b/gi, "lower than that of"],
  [/(?<!\b(?:bought|sold|\p{L}+ed) )\b(?:together|along) with\b/giu, "with"],
  [/\bwith (and|or) without\b/gi, "with-$1-without"],
  [/\b(last|previous) (?:full|complete|whole) (?=week|month|quarter|year)/gi, "$1 "],
  [/\bwho (?:manages|leads|supervises|heads)\b/i, "who is the manager of"],
  [/\bat least (?:one|1|a single)\b(?! of\b)/gi, "an"],
  [/\bsubscri(?:bes?|bed) to\b/gi, "with"],
  [/\bdays? of (?:the )?week\b/gi, "weekday"],
  [/\b(?:counting|starting|beginning) (?:from|in|with)\b(?! \p{L}\b)/giu, "since"],
  [/\b(?:nr|no|#)\.? of\b|#\s?of\b/gi, "number of"],
  [/,? (?:when it comes to|with regard to|with respect to|as far as) /gi, " in "],
  [/\bhow (?:do|does|did) (.+?) and (.+?) compared? (?:on|in|by|for|with)\b/gi, "compare $1 and $2 in"],
  [/,? and (?:by )?whom?(?: (?:was it )?\p{L}+(?: (?:it|that))?)?(?=[?.!]?\s*$)/giu, " with who"],
  // "which drug do we hand out most often": of what there is in each row, the most frequent.
  [
    /\b(which|what) (\p{L}+) (?:do|did|does) (?:we|they|people) (\p{L}+)(?: (?:out|up|in|on))? (?:the )?most(?: often| frequently)\b/giu,
    ([said = "", which = "", what = "", verb = ""], isNoun) =>
      isNoun(what, ["field"]) && !isNoun(verb) ? `${which} ${what} is most common` : said,
  ],
];

function rewritten(text: string, isNoun: IsNoun): string {
  return REWRITES.reduce(
    (said, [pattern, meant]) =>
      typeof meant === "string"
        ? said.replace(pattern, meant)
        : said.replace(pattern, (...match) => meant(match, isNoun)),
    text,
  );
}

const GOAL = String.raw`(?:(?:its|their|the|our|his|her|that)\s+)?(?:(?:revenue|sales|monthly|quarterly|yearly|annual)\s+)*(?:target|plan|goal|budget|quota)s?\b`;
const GOALS: readonly [RegExp, string][] = [
  [
    new RegExp(
      String.raw`\b(?:(?:has|have|had|did)\s+)?(?:miss(?:ed)?|not (?:reach|hit|meet|make)|fail(?:ed)? to (?:reach|hit|meet|make)|fell short of|below|under|behind)\s+${GOAL}`,
      "i",
    ),
    "below 100%",
  ],
  [
    new RegExp(
      String.raw`\b(?:beat|exceed(?:ed)?|surpass(?:ed)?|outperform(?:ed)?|above|over)\s+${GOAL}`,
      "i",
    ),
    "above 100%",
  ],
  [
    new RegExp(String.raw`\b(?:reach(?:ed)?|hit|met|meet|ma[dk]e|achieved?)\s+${GOAL}`, "i"),
    "of at least 100%",
  ],
];

/** "missed its target": of the number that says how much of a target was reached. */
export function withGoals(text: string, phrases: ReadonlyMap<string, unknown>): string {
  const reached = [...phrases.keys()].find((key) => / (attainment|achievement)$/.test(key));
  const goal = reached === undefined ? undefined : GOALS.find(([said]) => said.test(text));
  const part =
    /\bhow much of (?:its|the|our|their) (?:\p{L}+ )?(?:target|plan|goal|budget)s? (?:did|have|has) (.+?) (?:reach|achieve|hit|meet)(?:ed|d)?\b/iu;
  if (reached !== undefined && part.test(text)) return text.replace(part, `${reached} of $1`);
  // "what revenue are we supposed to make": the one that is planned.
  const planned =
    /\b(\p{L}+) (?:are|is|were|was|do) (?:we|they|our \p{L}+|each \p{L}+|the \p{L}+) (?:supposed|expected|planned|meant|plan|have) to (?:make|reach|achieve|get|have|bring in)\b(.*?)(?:,? according to (?:the |our )?(?:plan|budget|targets?)\b|(?=\?|$))/iu;
  const target = planned.exec(text);
  if (target !== null && phrases.has(`target ${wordsOf(target[1] ?? "")[0]?.stem ?? ""}`))
    return text.replace(planned, "target $1 $2");
  if (goal === undefined) return text;
  const [said, than] = goal;
  const asks = /^\s*(?:did|do|does|has|have)\s+(.+)$/i.exec(text)?.[1];
  if (asks !== undefined) return `${reached} of ${asks.replace(said, "")}`;
  return text.replace(said, `with ${reached} ${than}`);
}
