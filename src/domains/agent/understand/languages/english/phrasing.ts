import { eitherOr, isValue } from "../either.ts";
import type { Language } from "../language.ts";
import { fold, wordsOf } from "../words.ts";

const NUMBERS = new Map(
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, i) => [word, String(i + 2)]),
);
NUMBERS.set("dozen", "12");

/** "… - how many?", "…, how many were there in 2025" */
const COUNT_LAST =
  /^(?<what>[^?]{3,}?)\s*[,:–-]\s*how many(?:\s+(?:are|were|was|is|do we have|did we have|have we)(?:\s+there)?)?\b(?<rest>[^,?]*)\??\s*$/i;
/** After "did" a verb has no ending, and looks like an adjective or a noun. */
const DID = /\b(?:did|does|do)\b(?:(?!\b(?:is|are|was|were)\b)[^?,]){0,80}?\b(?:open|score|make)\b/i;
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
/** What customers spend is what they bring in; what is spent on something is another number. */
const SPENT = /(?<=\b(?:did|does|do|who|that|customers?|clients?|buyers?)\b[^?.]*)\bspen[dt]\b(?! on\b)/gi;
const BOUGHT =
  /(?<=\bhow much (?:did|does|has|have) (?!we\b)[^?.]*)\b(?:buy|bought|purchased?)\b(?: from us\b)?/gi;
/** What stands before a question and says only who asks, or what for. */
const PREAMBLE = [
  /^()(?:\p{L}+ )?question\b[^,:?]{0,60}[,:]\s+/iu,
  /^([^,]{2,80}),\s+(?=(?:how|what|which|who|when|where|show|give|list|i|we|can|could|tell|please)\b)/i,
  /^(.{0,80}?)\b(?:(?:i|we)(?: would|'d)? (?:need|want|like)|wants?|needs?|asks?|is asking|would like|is wondering)(?: (?:us|me))?(?: (?:to (?:know|see|have)|for|about))?\s+/i,
  /^(for (?:the|our|my|an?) [^:,?]{2,60})[:,]\s+/i,
];

const MORE_OF =
  /^(?:did|do|does|are|were|have|has)\s+(?:(?:we|there|they|you)\s+)?(?:(?:get|got|have|had|receive|see|been)\s+)?(?:more|fewer)\s+(.+?)\s+(?:by|from|in|with|via|for|on|at)\s+(\S+)\s+or\s+(?:(?:by|from|in|with|via|for|on|at)\s+)?([^\s?]+)\??\s*$/i;

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
function withGoals(text: string, phrases: ReadonlyMap<string, unknown>): string {
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
  return text.replace(said, `with ${reached} ${than}`).replace(/\b(?:did|do)\s+we\s+/i, "");
}

/** Words that do something to a number, wherever they stand. */
const OPERATES =
  /\b(?:average|avg|mean|median|total|most|least|per|each|every|by|not|without|only|share|percent(?:age)?|within|among|excluding|except)\b/i;

/** Whether a word names entities or a field of the model, and no number. */
function isNoun(word: string, phrases: ReadonlyMap<string, unknown>, kinds = ["rel", "field"]): boolean {
  const entries = (phrases.get(wordsOf(word)[0]?.stem ?? "") ?? []) as { sense: { t: string } }[];
  return entries.length > 0 && entries.every(({ sense }) => kinds.includes(sense.t));
}

/** Writes out what is said shortly, and leaves out why it is asked. */
export const phrase: Language["prepare"] = (text, { phrases, values, words }, datesIn) => {
  const compared = eitherOr(
    text,
    { isValue: (word) => isValue(word, values), isRows: (word) => isNoun(word, phrases) },
    { compare: "compare", of: "of", and: "and", count: "number of" },
  );
  const aimed = withGoals(compared, phrases);
  const full = (phrases.has("spend") ? aimed : aimed.replaceAll(SPENT, "brought in"))
    .replaceAll(BOUGHT, "brought in")
    .replaceAll(/\b(bought|ordered|purchased|sold|returned) nothing\b/gi, "did not $1 anything")
    .replace(/\bby (\p{L}+)\b(.*?),? (?:and|with|including|incl\.?) (?:the|its|their) \1\b/iu, "by $1$2")
    .replaceAll(/\b(?:ca|wo|sha)n['’]t\b/gi, "will not")
    .replaceAll(/n['’]t\b/gi, " not")
    .replaceAll(/\b(did|do|does|was|were|is|are|has|have|had|could|would)nt\b/gi, "$1 not")
    .replaceAll(/(\d)\s+%/g, "$1%")
    .replaceAll(/\b(more|less|fewer|\p{L}{3,}er) then\b/giu, "$1 than")
    .replaceAll(/\bhalf a (thousand|million|billion)\b/gi, "0.5 $1")
    .replaceAll(
      /(?<=\b(?:grow|growth|grew|change|increase|decrease|share|fraction|part)\b.*),? in (?:percent|%)/gi,
      "",
    )
    .replaceAll(/\bonly (\p{L}+ed|bought) (once|twice|\d+ times)\b/giu, "$1 only $2")
    .replace(/\b(return|order|cancel)(?:l?ed)? (?:the )?most(?: often| frequently)?\b/i, "with the most $1s")
    .replace(/\bas an? (share|percentage|fraction) of (?:the |our )?total \p{L}+/iu, "as a $1 of the total")
    .replace(
      /\b(?:made|makes?|earn(?:ed)?|brought in|bring in|generated|turned over) (?=(?:more|less|over|under|above|below|at least|at most|up to)\b(?: than)? [€$]?[\d.,]+\s?[km]?(?: (?:thousand|million|euros?|eur))*(?: (?:in|last|this|since|during|per)\b|\?|$))/i,
      "with revenue ",
    )
    .replaceAll(/\b(?:zero|0) (?=\p{L}{3,})/giu, "no ")
    .replaceAll(/\b(?:at some point|at all|as of today|names? please)\b/gi, "")
    .replace(/^\s*(?:break|split) down (?:the |our )?(?=.*\bby\b)/i, "")
    .replace(
      /,?\s*\b(?:for |in |over )?(?:all|each of) (?:the )?(?:four |4 |twelve |12 )?(quarter|month|week)s (?:of|in)\b/i,
      " by $1 in",
    )
    .replaceAll(/['’]ve\b/gi, " have")
    .replaceAll(/['’](?:re|ll|d|m)\b/gi, "")
    .replaceAll(/\b(what|who|where|when|that|it|there|here|how)['’]s\b/gi, "$1 is")
    .replaceAll(
      /\b(?:right now|just now|at the moment|as of now|at present|so far|of all time|i\.e\.|e\.g\.)(?!\p{L})/giu,
      "",
    )
    .replace(/^\s*state (?=the |all |what |which |how )/i, "")
    .replaceAll(/\b(?:i|we) mean\b/gi, "")
    .replace(
      DAYS,
      (_, what: string, start: string, end: string) => `${what} days between ${start} and ${end}`,
    )
    .replaceAll(/\b(above|below)-average\b/gi, "$1 average")
    .replaceAll(/\baccount(?:s|ed)? for\b/gi, "")
    .replaceAll(
      /\bcosts? (?:us )?(?=(?:more|less|over|under|above|below|at least|at most|between)\b)/gi,
      "whose cost is ",
    )
    .replaceAll(/\b(takes?|took) to (?=\p{L})/giu, "$1 ")
    .replaceAll(
      /\bhow much (?:money )?(did|do|have) we (?:make|made|earn|earned)(?= (?:in|with|from|on|at|through|via|last|this|during|since)\b|\?|$)/gi,
      "how much revenue $1 we have",
    )
    .replace(DID, (said) => said.replace(/\p{L}+$/u, (verb) => DONE.get(verb.toLowerCase()) ?? verb))
    .replace(EACH_OF, "by $2 in the $1")
    .replaceAll(/\bboth (in|during) /gi, "$1 both ")
    .replaceAll(/(?<=\bboth\b.*\band) (?:in|during)(?= \S*\d)/gi, "")
    .replaceAll(/\b(?:took|takes?|taken|taking) off\b/gi, "started")
    // "did we get more tickets by phone or by chat"
    .replace(MORE_OF, "number of $1 $2 vs $3")
    // Rain falls without growing less.
    .replaceAll(/(?<=\bhow (?:much|many) \p{L}+(?: \p{L}+)?) (?:fell|falls|has fallen)\b/giu, "")
    .replaceAll(/\b(?:go|goes|went|gone) up\b/gi, "grow")
    .replaceAll(/\b(?:go|goes|went|gone) down\b/gi, "decline")
    .replaceAll(/\bhow (?:fast|quickly|strongly) (?=did|do|does|has|have)/gi, "")
    .replaceAll(/\b(every|each) single\b/gi, "$1")
    .replaceAll(/\b(20\d\d) fiscal year\b/gi, "fiscal year $1")
    .replaceAll(
      /\b(?!the\b|an?\b|in\b|of\b|is\b)(\p{L}+) difference between\b/giu,
      "difference in $1 between",
    )
    .replaceAll(/\b(\p{L}+)['’]s (\p{L}+)\b/gu, (said, whose: string, what: string) =>
      isNoun(whose, phrases) && isNoun(what, phrases) ? `${what} of the ${whose}` : said,
    )
    .replace(/\bwhen did (.+?) (last|first) (?:order|buy|purchase)\b/i, "when was the $2 order of $1")
    .replaceAll(/\bneither (\S+) nor (\S+)/gi, (said, a: string, b: string) =>
      [a, b].some((word) => isNoun(word, phrases)) ? said : `not ${a} and not ${b}`,
    )
    .replaceAll(/\bnon-(?=\p{L}{4,})/giu, "not ")
    .replaceAll(/\b(?:all|everything|everybody|everyone) (?:but|except)\b/gi, "except")
    // One thing each, and nothing that its words say alone.
    .replaceAll(
      /\b(on) (sale)\b|\b(not) (only|just|always)\b|(?<=\b(?:who|customers?|clients?|that) )(came|come) (back)\b/gi,
      (said) => said.replace(" ", "-"),
    )
    .replaceAll(
      /\b(year|quarter|month|week) of (?:the )?(\p{L}+)(?!\p{L})/giu,
      (said, grain: string, of: string) => (isNoun(of, phrases, ["field"]) ? `${of} ${grain}` : said),
    )
    .replaceAll(/,? as well\b(?: as\b)?/gi, (said) => (/as$/i.test(said) ? " and" : ""))
    .replaceAll(/\b(employee|staff|customer) turnover\b/gi, "$1 fluctuation")
    .replaceAll(/\b(euros?|eur|dollars?) (?:a|per|for (?:a|one|each)) (?:unit|piece|item)\b/gi, "$1")
    .replaceAll(
      /\b(\p{L}+) (?:the|an?) (\p{L}+) (?:is|are|was|were) (?:in|located in|based in|from)\b/giu,
      "$1 of the $2",
    )
    .replaceAll(/\b(above|below) that of\b/gi, (_, side: string) =>
      /above/i.test(side) ? "higher than that of" : "lower than that of",
    )
    .replaceAll(/(?<!\b(?:bought|sold|\p{L}+ed) )\b(?:together|along) with\b/giu, "with")
    .replaceAll(/\bwith (and|or) without\b/gi, "with-$1-without")
    .replaceAll(/\bfor the (?:very )?(first|last) time(?: ever)?\b/gi, "for the $1 time")
    .replaceAll(/\b(last|previous) (?:full|complete|whole) (?=week|month|quarter|year)/gi, "$1 ")
    .replace(/\bwho (?:manages|leads|supervises|heads)\b/i, "who is the manager of")
    .replaceAll(/\bat least (?:one|1|a single)\b(?! of\b)/gi, "an")
    .replace(HOW_LONG, "average time to")
    .replace(HOW_MANY, "$1average time to$3 in $2")
    .replaceAll(/\bsubscri(?:bes?|bed) to\b/gi, "with")
    .replaceAll(/\bdays? of (?:the )?week\b/gi, "weekday")
    .replaceAll(/\b(?:counting|starting|beginning) (?:from|in|with)\b/gi, "since")
    .replaceAll(/\b(?:nr|no|#)\.? of\b|#\s?of\b/gi, "number of")
    .replaceAll(/(?<!\ba )\b\p{L}+\b/gu, (word) =>
      words.values.has(fold(word)) ? word : (NUMBERS.get(word.toLowerCase()) ?? word),
    );
  // "high-priority": written together, but meant apart.
  const isKnown = (word: string) => {
    const stem = wordsOf(word)[0]?.stem ?? "";
    return words.values.has(fold(word)) || phrases.has(stem) || values.has(fold(word));
  };
  const parted = full.replaceAll(
    /(?<![\p{L}\p{N}-])(\p{L}{3,})-(\p{L}{3,})(?![\p{L}\p{N}-])/gu,
    (whole, a: string, b: string) => (!isKnown(whole) && isKnown(a) && isKnown(b) ? `${a} ${b}` : whole),
  );
  const means = (before: string) =>
    OPERATES.test(before) ||
    datesIn(before).length > 0 ||
    wordsOf(before).some(({ norm, stem }) => values.has(norm) || words.values.has(norm) || phrases.has(stem));
  const bare = PREAMBLE.reduce((said, pattern) => {
    const match = pattern.exec(said);
    if (match === null || means(match[1] ?? "")) return said;
    return said.slice(match[0].length);
  }, parted);
  return bare.replace(COUNT_LAST, (_, what: string, rest: string) => `how many ${what} ${rest}`);
};
