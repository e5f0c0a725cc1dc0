import type { Language } from "../languages/language.ts";
import type { Entry } from "../lexicon/entry.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import type { Sense } from "../senses/fragment.ts";
import type { Stretch } from "./candidates.ts";

/** What words mean in every model: words of grammar, of order, of time and of size. */
export function grammarEntries(stretch: Stretch, { phrases }: Lexicon, language: Language): Entry[] {
  const { norms, stems, bonus } = stretch;
  const known = language.grammar.get(norms) ?? language.grammar.get(stems);
  // Where parts are sold, they are no shares.
  const isNoun = phrases.get(stems)?.some(({ sense }) => sense.t === "rel" && sense.form === "noun") === true;
  const op = known?.op === "share" && isNoun ? undefined : known;
  const sup = language.superlatives.get(norms) ?? language.superlatives.get(stems);
  const places = sup === undefined ? [] : [sup, ...(sup.or ? [sup.or] : [])];
  const measure = language.measures.get(stems);
  const senses: Sense[] = [
    ...(op === undefined ? [] : [{ t: "op" as const, ...op }]),
    ...places.map(({ dir, dim, isCount = false }) => ({ t: "sup" as const, dir, dim, n: null, isCount })),
    ...timeSenses(stretch, language),
    ...pairSenses(stretch, language),
  ];
  const grain = language.grains.get(norms);
  return [
    ...senses.map((sense) => ({ sense, cost: bonus })),
    ...(grain === undefined
      ? []
      : [{ sense: { t: "grain" as const, grain, isFiscal: false, isBare: true as const }, cost: 0.1 }]),
    ...(measure === undefined ? [] : [{ sense: { t: "op" as const, op: "how", arg: measure }, cost: 0.3 }]),
  ];
}

/** Days of the week, and parts of dates that return. */
function timeSenses({ norms }: Stretch, { dateParts, daysOfWeek }: Language): Sense[] {
  const part = dateParts.get(norms);
  const days = daysOfWeek.get(norms);
  const group = { keys: [], grain: null, rel: null, ds: null, n: null, mods: [] };
  return [
    ...(part === undefined ? [] : [{ t: "group" as const, group: { ...group, part } }]),
    ...(days === undefined ? [] : [{ t: "mod" as const, mod: { m: "weekdays" as const, days } }]),
  ];
}

/** "higher than", "how high" */
function pairSenses({ span }: Stretch, { than, comparatives, asks, how }: Language): Sense[] {
  const [first, second, ...others] = span;
  if (first === undefined || second === undefined || others.length > 0) return [];
  const compared = second.norm === than ? comparatives.get(first.norm) : undefined;
  const asked = first.norm === asks ? how.get(second.stem) : undefined;
  return [
    ...(compared === undefined ? [] : [{ t: "op" as const, op: "compare", arg: compared }]),
    ...(asked === undefined ? [] : [{ t: "op" as const, op: "how", arg: asked }]),
  ];
}
