import { isSameField } from "../../query/parts.ts";
import type { Key } from "../../query/semantic-query.ts";
import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import type { Entry } from "../lexicon/entry.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import { unitNamed } from "../model/units.ts";
import type { Sense } from "../senses/fragment.ts";
import { entities, means } from "../senses/make.ts";
import type { Stretch } from "./candidates.ts";

/** What words mean as values of the data. */
export function valueEntries(stretch: Stretch, lexicon: Lexicon, language: Language): Entry[] {
  const { span, stems, norms, bonus } = stretch;
  // A word of the model is more often meant than a value that looks like it.
  const rival = lexicon.phrases.has(stems) ? 0.5 : 0;
  const own = lexicon.values.get(nameOf(span));
  const entries =
    own === undefined
      ? several(norms, stems, lexicon)
      : [...own, ...own.flatMap((entry) => somebody(entry, lexicon))];
  return entries.map(({ sense, cost }) => {
    const doubt = wordCost(stretch, sense, lexicon, language);
    return { sense, cost: cost + bonus + rival + doubt };
  });
}

/** The words of a name without the signs between them, as values are kept: "Weber & Co." */
function nameOf(span: readonly Word[]): string {
  const isSign = (word: Word | undefined) => /^[.,&]$/.test(word?.norm ?? "");
  if (isSign(span[0]) || isSign(span.at(-1))) return "";
  return span.flatMap((word) => (isSign(word) ? [] : [word.norm])).join(" ");
}

/** "a cargo bike" is one of the "Cargo bikes". */
export function manyOf(norms: string): string[] {
  return [`${norms}s`, `${norms}es`, ...(norms.endsWith("y") ? [`${norms.slice(0, -1)}ies`] : [])];
}

/** "Key Account Managers": values that are said of several; or of one, where the value stands for many. */
function several(norms: string, stems: string, lexicon: Lexicon): Entry[] {
  const { values, phrases, people } = lexicon;
  const isIrregular = /(?:men|children|people)$/.test(norms);
  const isMany = norms.endsWith("s") || isIrregular;
  if (!isIrregular && norms.length < (isMany ? 6 : 4)) return [];
  const ones = [
    ...(isIrregular ? [stems] : []),
    norms.slice(0, -1),
    norms.replace(/es$/, ""),
    norms.replace(/ies$/, "y"),
  ];
  const found =
    (isMany ? ones : manyOf(norms)).map((form) => values.get(form) ?? []).find(({ length }) => length > 0) ??
    [];
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
  return means(entities(rel, sense.ds, "noun"), cost + 0.2);
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
  { words, start, end }: Stretch,
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
        (noun.t === "rel" && noun.ds === key?.ds) || (noun.t === "field" && isSameField(noun.key, key)),
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
