import type { Key } from "../../query/semantic-query.ts";
import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import type { Entry, Lexicon } from "../lexicon/lexicon.ts";
import { unitNamed } from "../model/units.ts";
import type { Sense } from "../senses/fragment.ts";
import { means } from "../senses/make.ts";
import { glossed } from "./glosses.ts";
import { misspelt, respelt } from "./misspelt.ts";

/** What some words mean by themselves. */
export interface Found {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
}

/** What stands in the words of a period says nothing by itself: "last" and "month" of "last month". */
export function outsidePeriods(found: readonly Found[]): Found[] {
  const periods = found.filter(({ sense, start, end }) => sense.t === "window" && end - start > 1);
  const isInside = ({ sense, start, end }: Found) =>
    ["sup", "grain", "number", "op", "quantity"].includes(sense.t) &&
    periods.some(
      (period) => period.start <= start && end <= period.end && end - start < period.end - period.start,
    );
  return found.filter((each) => !isInside(each));
}

/** What the author calls a year is meant before the years of a date. */
export function authorsFirst(found: readonly Found[]): Found[] {
  const named = found.filter(({ sense }) => sense.t === "field");
  return found.map((each) =>
    each.sense.t === "grain" && named.some(({ end }) => end === each.end)
      ? { ...each, cost: each.cost + 0.5 }
      : each,
  );
}

/** Everything that stretches of words can mean by themselves. */
export function candidates(words: readonly Word[], lexicon: Lexicon, language: Language): Found[] {
  const found: Found[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let end = start + 1; end <= Math.min(words.length, start + lexicon.longest + GAPS); end += 1) {
      const span = words.slice(start, end);
      const stems = span.map(({ stem }) => stem).join(" ");
      const norms = span.map(({ norm }) => norm).join(" ");
      const bonus = (end - start - 1) * -0.3;
      const isMany = /[^s]s$/.test(span.at(-1)?.norm ?? "");
      const isGerund = /ing$/.test(norms) && !lexicon.spelt.has(norms);
      const isState = /(ed|ing)$/.test(norms) && lexicon.values.has(norms) && !lexicon.spelt.has(norms);
      const entries = named(span, stems, lexicon);
      const isVerb =
        /ed$/.test(norms) && entries.some(({ sense }) => sense.t === "rel" && sense.verb !== undefined);
      for (const { sense, cost } of entries) {
        const said: Sense =
          sense.t === "rel" && sense.form === "noun" && isMany ? { ...sense, isMany } : sense;
        // "ordered" is what somebody did, and no order; "orders" are no deed.
        const isNoun = said.t === "table" || (said.t === "rel" && said.form === "noun");
        // "returning" is no return, and what is "repaired" by its status is no repair.
        const isOwn = isState && said.t === "rel" && ownValue(norms, said.ds, lexicon);
        if (isNoun && (isGerund || isOwn)) continue;
        const isDone =
          said.t === "field" ? cost >= PART_OF_DATE : said.t === "rel" && said.verb !== undefined;
        // An "open" ticket is more than one that was opened.
        const opened = said.t === "field" && isState ? 0.5 : 0;
        if (isVerb ? !isNoun : !(isMany && isDone && entries.some(isNamed)))
          found.push({ sense: said, start, end, cost: cost + bonus + opened });
      }
      // What happened on a date is said of it where a period follows; otherwise rather of how something stands.
      const isNew = entries.every(({ sense }) => sense.t === "field");
      for (const { sense, cost } of (isNew ? lexicon.deeds.get(norms) : undefined) ?? [])
        found.push({ sense, start, end, cost: cost + (lexicon.values.has(norms) ? STATE_COST : 0) });
      for (const { sense, cost } of withGaps(span, lexicon, language))
        found.push({ sense, start, end, cost });
      if (end - start === 1 && language.people.has(norms))
        found.push(
          ...[...whoever(lexicon), ...(lexicon.person === undefined ? someone(lexicon) : [])].map(
            (sense) => ({
              sense,
              start,
              end,
              cost: PEOPLE_COST,
            }),
          ),
        );
      for (const { sense, cost } of isGerund ? [] : glossed(span, lexicon, language))
        if (!(sense.t === "rel" && sense.verb !== undefined && isGermanNoun(span, language)))
          found.push({ sense, start, end, cost: cost + bonus });
      // A word of the model is more often meant than a value that looks like it.
      const rival = lexicon.phrases.has(stems) ? 0.5 : 0;
      const own = lexicon.values.get(nameOf(span));
      for (const { sense, cost } of own === undefined
        ? several(norms, stems, lexicon)
        : [...own, ...own.flatMap((entry) => somebody(entry, lexicon))]) {
        const doubt = wordCost(words, [start, end], sense, lexicon, language);
        found.push({ sense, start, end, cost: cost + bonus + rival + doubt });
      }
      const grammar = language.grammar.get(norms) ?? language.grammar.get(stems);
      if (grammar !== undefined) found.push({ sense: { t: "op", ...grammar }, start, end, cost: bonus });
      const sup = language.superlatives.get(norms) ?? language.superlatives.get(stems);
      for (const { dir, dim, isCount = false } of sup === undefined ? [] : [sup, ...(sup.or ? [sup.or] : [])])
        found.push({ sense: { t: "sup", dir, dim, n: null, isCount }, start, end, cost: bonus });
      const part = language.dateParts.get(norms);
      if (part !== undefined) {
        const group = { keys: [], grain: null, part, rel: null, ds: null, n: null, mods: [] };
        found.push({ sense: { t: "group", group }, start, end, cost: bonus });
      }
      const days = language.daysOfWeek.get(norms);
      if (days !== undefined)
        found.push({ sense: { t: "mod", mod: { m: "weekdays", days } }, start, end, cost: bonus });
      const grain = language.grains.get(norms);
      if (grain !== undefined)
        found.push({
          sense: { t: "grain", grain, isFiscal: false, isBare: true },
          start,
          end,
          cost: 0.1,
        });
      const measure = language.measures.get(stems);
      if (measure !== undefined)
        found.push({ sense: { t: "op", op: "how", arg: measure }, start, end, cost: 0.3 });
      const compare =
        end - start === 2 && words[start + 1]?.norm === language.than
          ? language.comparatives.get(words[start]?.norm ?? "")
          : undefined;
      if (compare !== undefined)
        found.push({ sense: { t: "op", op: "compare", arg: compare }, start, end, cost: bonus });
      const how =
        end - start === 2 && words[start]?.norm === language.asks
          ? language.how.get(words[start + 1]?.stem ?? "")
          : undefined;
      if (how !== undefined) found.push({ sense: { t: "op", op: "how", arg: how }, start, end, cost: bonus });
    }
  }
  return [
    ...found,
    ...misspelt(words, found, lexicon, language),
    ...respelt(words, found, lexicon, language),
  ];
}

/** "Umsatz" is nothing that somebody did. */
function isGermanNoun(span: readonly Word[], { isForeign }: Language): boolean {
  return isForeign === true && /^\p{Lu}.*[^nt]$/u.test(span.at(-1)?.text ?? "");
}

/** The words of a name without the signs between them, as values are kept: "Weber & Co." */
function nameOf(span: readonly Word[]): string {
  const isSign = (word: Word | undefined) => /^[.,&]$/.test(word?.norm ?? "");
  if (isSign(span[0]) || isSign(span.at(-1))) return "";
  return span.flatMap((word) => (isSign(word) ? [] : [word.norm])).join(" ");
}

/** Whether a dataset has a value that is written so. */
function ownValue(norms: string, ds: string, { values }: Lexicon): boolean {
  return (values.get(norms) ?? []).some(({ sense }) => sense.t === "cond" && sense.ds === ds);
}

/** More likely than what happened is that a value is called so. */
const STATE_COST = 0.6;

/** What a part of a date's name costs, such as the "order" of an order date. */
const PART_OF_DATE = 0.3;

function isNamed({ sense }: Entry): boolean {
  return sense.t === "rel" && sense.form === "noun";
}

/** "Key Account Managers": values that are said of several. */
function several(norms: string, stems: string, lexicon: Lexicon): Entry[] {
  const { values, phrases, people } = lexicon;
  const isIrregular = /(?:men|children|people)$/.test(norms);
  if (!isIrregular && (!norms.endsWith("s") || norms.length < 6)) return [];
  const ones = [
    ...(isIrregular ? [stems] : []),
    norms.slice(0, -1),
    norms.replace(/es$/, ""),
    norms.replace(/ies$/, "y"),
  ];
  const found = ones.map((one) => values.get(one) ?? []).find((entries) => entries.length > 0) ?? [];
  const rival = phrases.has(stems) ? 0.6 : 0.1;
  return found.flatMap(({ sense, cost }) => {
    const some: Entry[] = means(sense, cost + rival);
    // "all key account managers" are people.
    if (sense.t !== "cond" || !people.includes(sense.ds) || phrases.has(stems)) return some;
    const rel = { k: "where" as const, in: { k: "all" as const, ds: sense.ds }, if: sense.cond };
    return [
      ...some,
      { sense: { t: "rel", rel, ds: sense.ds, form: "noun", isTopped: false, isMany: true }, cost },
    ];
  });
}

/** "each key account manager": a position is somebody who has it. */
function somebody({ sense, cost }: Entry, { people }: Lexicon): Entry[] {
  const isPosition =
    sense.t === "cond" &&
    people.includes(sense.ds) &&
    sense.cond.k === "is" &&
    /title|role|position|job/i.test(sense.cond.key.field);
  if (!isPosition) return [];
  const rel = { k: "where" as const, in: { k: "all" as const, ds: sense.ds }, if: sense.cond };
  return means({ t: "rel", rel, ds: sense.ds, form: "noun", isTopped: false }, cost + 0.2);
}

/** "who", where several columns say who it was: whoever asks knows which. */
function someone({ persons }: Lexicon): Sense[] {
  return persons.map((key) => ({ t: "field", key }));
}

/** Less likely than that "who" stands for the noun behind it. */
const PEOPLE_COST = 0.9;

/** Whom "who" asks for. */
function whoever({ people, person }: Lexicon): Sense[] {
  if (people.length === 0) return person === undefined ? [] : [{ t: "field", key: person }];
  return people.map((ds) => ({ t: "rel", rel: { k: "all", ds }, ds, form: "noun", isTopped: false }));
}

/** Words of grammar inside of a name. */
const GAPS = 2;
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
  const own = phrases.get(kept.map(({ stem }) => stem).join(" "));
  return (own ?? glossed(kept, lexicon, language))
    .filter(({ sense }) => sense.t === "table")
    .map(({ sense, cost }) => ({ sense, cost: cost + 0.1 - 0.3 * (kept.length - 1) }));
}

/** More than it costs to leave a word out: rather nothing is made of it. */
const PLAIN_WORD_COST = 3.5;
/** Who writes PER means no "per". */
const AS_WRITTEN_COST = -0.6;

/**
 * What speaks for or against a value that looks like a word of the language: an album may be called "Vs." and a driver
 * have the code WIN. Its case as written, or the noun beside it, would say that the value is meant.
 */
function wordCost(
  words: readonly Word[],
  [start, end]: [number, number],
  sense: Sense,
  { phrases }: Lexicon,
  language: Language,
): number {
  const word = words[start];
  const [value, key] = valueIn(sense);
  if (word === undefined || end - start !== 1 || value === undefined) return 0;
  if (value === value.toLowerCase()) return 0;
  const { norm, stem } = word;
  const isCommon =
    language.fillers.has(norm) ||
    language.evaluative.has(norm) ||
    [norm, stem].some((form) => language.grammar.has(form) || language.superlatives.has(form)) ||
    unitNamed(norm) !== undefined ||
    (sense.t === "rel" && language.gloss.has(stem));
  const isSaid = [words[start - 1], words[end]].some((beside) =>
    (phrases.get(beside?.stem ?? "") ?? []).some(
      ({ sense: noun }) =>
        (noun.t === "rel" && noun.ds === key?.ds) ||
        (noun.t === "field" && noun.key.ds === key?.ds && noun.key.field === key.field),
    ),
  );
  if (!isCommon) return 0;
  if (word.text === value) return AS_WRITTEN_COST;
  return isSaid || word.text !== word.text.toLowerCase() ? 0 : PLAIN_WORD_COST;
}

/** The value that a condition asks for, and where it stands. */
export function valueIn(sense: Sense): [value?: string, key?: Key] {
  const cond =
    sense.t === "cond" ? sense.cond : sense.t === "rel" && sense.rel.k === "where" ? sense.rel.if : undefined;
  if (cond?.k !== "is") return [];
  const [value] = cond.values;
  return typeof value === "string" ? [value, cond.key] : [];
}

/** The longest name that is written in one word or in several: "sign-ups", "turn over". */
const JOINED = 3;

function named(span: readonly Word[], stems: string, { phrases, joined }: Lexicon): readonly Entry[] {
  const exact = phrases.get(stems);
  if (exact !== undefined || span.length > JOINED) return exact ?? [];
  const whole = joined.get(stems.replaceAll(/[\s-]/g, "")) ?? [];
  return whole.map(({ sense, cost }) => ({ sense, cost: cost + 0.2 }));
}
