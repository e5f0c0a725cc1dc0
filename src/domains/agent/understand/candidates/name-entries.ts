import { isSeveral } from "../languages/german/glossary.ts";
import type { Gloss, Language } from "../languages/language.ts";
import { normsOf, stemsOf, type Word } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import type { Entry } from "../lexicon/values.ts";
import type { Sense } from "../senses/fragment.ts";
import { noun } from "../senses/make.ts";
import { manyOf, type Stretch } from "./candidates.ts";

/** What words mean as names of the model: by the author's, apart from each other, as people, and by other words for them. */
export function nameEntries(stretch: Stretch, lexicon: Lexicon, language: Language): Entry[] {
  const { span, norms, stems, bonus } = stretch;
  const entries = named(span, stems, lexicon);
  const isGerund = /(?<!\bth)ing$/.test(norms) && !lexicon.spelt.has(norms);
  const isPerson = span.length === 1 && language.people.has(norms);
  const ofNames = [
    ...authorsEntries(stretch, entries, lexicon, { isGerund, isOne: isOne(stretch, language) }),
    ...deedEntries(norms, entries, lexicon),
  ];
  return [
    ...(isAdjective(stretch) ? ofNames.filter(({ sense }) => sense.t !== "field") : ofNames),
    ...withGaps(span, lexicon, language),
    ...(isPerson ? peopleIn(lexicon).map((sense) => ({ sense, cost: PEOPLE_COST })) : []),
    ...(isGerund ? [] : glossed(span, lexicon, language))
      .filter(({ sense, isOfMany }) => isOfMany !== true && !(isVerb(sense) && isGermanNoun(span, language)))
      .map((entry) => ({
        ...entry,
        sense: inNumber(entry.sense, norms, language),
        cost: entry.cost + bonus,
      })),
  ];
}

/** "Produkte" are several, as "products" are. */
function inNumber(sense: Sense, norms: string, { isForeign }: Language): Sense {
  const isNoun = isForeign === true && sense.t === "rel" && sense.form === "noun";
  return isNoun && isSeveral(norms) ? { ...sense, isMany: true } : sense;
}

/** An "open" ticket is not just one that was opened; but "which stores did we open" asks for a date. */
function isAdjective({ words, start, norms }: Stretch): boolean {
  const does = words.findLastIndex(({ norm }, i) => i < start && DOES.has(norm));
  // "do we still have open": what we have is so.
  const isDone = does !== -1 && !words.slice(does, start).some(({ norm }) => /^ha(ve|s|d)$/.test(norm));
  return ADJECTIVES.has(norms) && !isDone;
}

const ADJECTIVES = new Set(["open", "complete"]);
const DOES = new Set(["do", "does", "did", "will", "to"]);

function isVerb(sense: Sense): boolean {
  return sense.t === "rel" && sense.verb !== undefined;
}

/** What the author called so, in the form that it is said in. */
function authorsEntries(
  { words, start, span, norms, bonus }: Stretch,
  entries: readonly Entry[],
  lexicon: Lexicon,
  { isGerund, isOne }: { isGerund: boolean; isOne: boolean },
): Entry[] {
  const isMany = /[^s]s$/.test(span.at(-1)?.norm ?? "");
  // "more than 2 sales", "number of sales", "without sales": the rows themselves.
  const isCounted = /(^| )(\d\S*|many|(number|count) of|without( any)?|no|any)$/.test(
    normsOf(words.slice(0, start)),
  );
  const isState = /(ed|ing)$/.test(norms) && lexicon.values.has(norms) && !lexicon.spelt.has(norms);
  const isPast = /ed$/.test(norms) && entries.some(({ sense }) => isVerb(sense));
  const hasNoun = entries.some(
    ({ sense }) => sense.t === "table" || (sense.t === "rel" && sense.form === "noun"),
  );
  const hasEntities = entries.some(({ sense }) => sense.t === "rel" && sense.form === "noun");
  // "ordered" counts what was ordered, and "orders" count orders.
  const counts = entries.flatMap(({ sense }) => (sense.t === "table" ? [sense.table.isVerb === true] : []));
  const isOfBoth = new Set(counts).size > 1;
  return entries.flatMap((entry) => {
    const { sense, cost } = entry;
    const said: Sense = sense.t === "rel" && sense.form === "noun" && isMany ? { ...sense, isMany } : sense;
    const isNoun = said.t === "table" || (said.t === "rel" && said.form === "noun");
    // "returning" is no return, and what is "repaired" by its status is no repair.
    const isOwn = isState && said.t === "rel" && ownValue(norms, said.ds, lexicon);
    if ((isNoun && (isGerund || isOwn)) || (entry.isOfMany === true && (!isMany || isCounted))) return [];
    // "ordered" is what somebody did, and no order; "orders" are no deed.
    const isDone = said.t === "field" ? cost >= PART_OF_DATE : isVerb(said);
    if (isPast ? isNoun : isMany && isDone && hasNoun) return [];
    if (isOfBoth && said.t === "table" && (said.table.isVerb === true) !== /ed$/.test(norms)) return [];
    if (isOne && said.t === "table" && hasEntities) return [];
    // An "open" ticket is more than one that was opened.
    const opened = said.t === "field" && isState ? 0.5 : 0;
    return [{ ...entry, sense: said, cost: cost + bonus + opened }];
  });
}

/** "the biggest order" is one of them, and not how many there are. */
function isOne({ words, start, norms }: Stretch, { superlatives, isMany }: Language): boolean {
  return !isMany(norms) && superlatives.has(words[start - 1]?.norm ?? "");
}

/** What happened on a date is said of it where a period follows; otherwise rather of how something stands. */
function deedEntries(norms: string, entries: readonly Entry[], { deeds, values }: Lexicon): Entry[] {
  const isNew = entries.every(({ sense }) => sense.t === "field");
  const state = values.has(norms) ? STATE_COST : 0;
  return (isNew ? (deeds.get(norms) ?? []) : []).map(({ sense, cost }) => ({ sense, cost: cost + state }));
}

/** "Umsatz" is nothing that somebody did. */
function isGermanNoun(span: readonly Word[], { isForeign }: Language): boolean {
  return isForeign === true && /^\p{Lu}.*(?:[^nt]|ungen)$/u.test(span.at(-1)?.text ?? "");
}

/** Whether a dataset has a value that is written so. */
function ownValue(norms: string, ds: string, { values }: Lexicon): boolean {
  return (values.get(norms) ?? []).some(({ sense }) => sense.t === "cond" && sense.ds === ds);
}

/** More likely than what happened is that a value is called so. */
const STATE_COST = 0.6;

/** What a part of a date's name costs, such as the "order" of an order date. */
const PART_OF_DATE = 0.3;

/** Less likely than that "who" stands for the noun behind it. */
const PEOPLE_COST = 0.9;

/** Whom "who" asks for; where several columns say who it was, whoever asks knows which. */
function peopleIn({ people, persons }: Lexicon): Sense[] {
  return [...people.map((ds): Sense => noun(ds)), ...persons.map((key): Sense => ({ t: "field", key }))];
}

/** The longest name that is looked for between words of grammar. */
const GAP_WORDS = 6;

/** "tracks were sold", "tracks did we sell": a number whose name stands apart. */
function withGaps(span: readonly Word[], lexicon: Lexicon, language: Language): Entry[] {
  const { phrases } = lexicon;
  const { auxiliaries } = language;
  if (span.length < 3 || span.length > GAP_WORDS) return [];
  const ends = [span[0], span.at(-1)].some((word) => auxiliaries.has(word?.norm ?? ""));
  const kept = span.filter(({ norm }) => !auxiliaries.has(norm));
  // What a verb means may be defined by the author, with conditions of its own.
  const isDefined = kept.some(({ stem }) =>
    (phrases.get(stem) ?? []).some(({ sense }) => sense.t === "rel" && sense.form === "made"),
  );
  if (ends || isDefined || kept.length === span.length || kept.length < 2) return [];
  const own = phrases.get(stemsOf(kept));
  return (own ?? glossed(kept, lexicon, language))
    .filter(({ sense }) => sense.t === "table")
    .map(({ sense, cost }) => ({ sense, cost: cost + 0.1 - 0.3 * (kept.length - 1) }));
}

/** The longest name that is written in one word or in several: "sign-ups", "turn over". */
const JOINED = 3;

function named(span: readonly Word[], stems: string, { phrases, joined }: Lexicon): readonly Entry[] {
  const exact = phrases.get(stems);
  if (exact !== undefined || span.length > JOINED) return exact ?? [];
  const whole = joined.get(stems.replaceAll(/[\s-]/g, "")) ?? [];
  return whole.map(({ sense, cost }) => ({ sense, cost: cost + 0.2 }));
}

/** A name in another language counts for a little less, and beside the author's own for much less. */
const GLOSS_COST = { only: 0.15, rival: 0.5 };
/** A part of a name, by another name, is nobody's. */
const PART_COST = 1;
/** Names of models are short, and so is what is tried for one. */
const GLOSS = { words: 4, tries: 60 };

/** What the model has for some words by their English names; of several names the likeliest that there is. */
function glossed(span: readonly Word[], { phrases, values }: Lexicon, language: Language): Entry[] {
  const names = glosses(span, language);
  if (names.length === 0 || isOwnNoun(span, phrases, language)) return [];
  const named = names.map(({ stems }) => phrases.get(stems) ?? []);
  // What the author defined is meant whatever it is called; other names give way to the author's own.
  const defined = named.flat().filter(({ cost }) => cost < 0);
  // What was done can be called otherwise as well: "sold" is a sale, and revenue.
  const isNoun = ({ sense }: Entry) => sense.t !== "link" && (sense.t !== "rel" || sense.verb === undefined);
  const isNamed =
    phrases.get(stemsOf(span))?.some(isNoun) === true ||
    [normsOf(span), normsOf(span).replace(/s$/, ""), stemsOf(span)].some((each) => values.has(each));
  // What stands for something by its kind alone is no name that another word could stand for.
  const isMeant = ({ cost, sense, taken }: Entry) =>
    cost >= 0 && cost < PART_COST && (taken === undefined || sense.t === "table");
  const [plain = [], second = []] = named.filter((entries) => entries.some(isMeant));
  const [valued = [], further = []] = names
    .map(({ norms }) => [norms, ...manyOf(norms)].flatMap((form) => values.get(form) ?? []))
    .filter((entries) => entries.length > 0);
  // "offen" is an open ticket, and of orders a pending one.
  const isElsewhere = ({ sense }: Entry) =>
    "ds" in sense && !valued.some((each) => "ds" in each.sense && each.sense.ds === sense.ds);
  const others = [
    ...plain.filter(isMeant),
    ...second.filter(isMeant).map((entry) => ({ ...entry, cost: entry.cost + 0.4 })),
    ...valued,
    ...further.filter(isElsewhere).map((entry) => ({ ...entry, cost: entry.cost + 0.4 })),
  ];
  return [
    ...defined,
    ...(isNamed && !language.isForeign ? [] : others).map((entry) => ({
      ...entry,
      cost: entry.cost + (isNamed ? GLOSS_COST.rival : GLOSS_COST.only),
    })),
  ];
}

/** "average ticket" is a basket, but not where there are tickets. */
function isOwnNoun(
  [first, ...others]: readonly Word[],
  phrases: Lexicon["phrases"],
  { grammar }: Language,
): boolean {
  const own = phrases.get(others.at(-1)?.stem ?? "") ?? [];
  return (
    (grammar.get(first?.norm ?? "") ?? grammar.get(first?.stem ?? ""))?.op === "agg" &&
    own.some(({ sense }) => sense.t === "rel" && sense.form === "noun")
  );
}

/** Words that stand for others are no forms of a name, and "war" is no "Ware". */
const POINTING = new Set(
  "it its he she his her him they them their this that these those war waren".split(" "),
);

/** What some words are called in English: each by one of its names, or by itself. */
function glosses(span: readonly Word[], { gloss, fillers, grammar, evaluative }: Language): Gloss[] {
  const isEmpty = (norm: string) => fillers.has(norm) && !grammar.has(norm);
  if (span.length > GLOSS.words || (span.length === 1 && evaluative.has(span[0]?.norm ?? ""))) return [];
  // "them" has the stem of "Thema".
  if (span.some(({ norm }) => POINTING.has(norm))) return [];
  const whole = gloss.get(stemsOf(span));
  if (whole !== undefined) return [...whole];
  if (!span.some(({ stem }) => gloss.has(stem))) return [];
  // Names do not begin or end with a word that says nothing.
  if (isEmpty(span[0]?.norm ?? "") || isEmpty(span.at(-1)?.norm ?? "")) return [];
  let made: Gloss[] = [{ stems: "", norms: "" }];
  for (const { stem, norm } of span) {
    const names = [...(gloss.get(stem) ?? []), { stems: stem, norms: norm }];
    made = made
      .flatMap((head) =>
        names.map(({ stems, norms }) => ({
          stems: `${head.stems} ${stems}`.trim(),
          norms: `${head.norms} ${norms}`.trim(),
        })),
      )
      .slice(0, GLOSS.tries);
  }
  return made;
}
