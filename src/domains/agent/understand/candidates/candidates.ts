import type { Language } from "../languages/language.ts";
import { normsOf, stemsOf, type Word } from "../languages/words.ts";
import type { Entry } from "../lexicon/entry.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import type { Sense } from "../senses/fragment.ts";
import { grammarEntries } from "./grammar-entries.ts";
import { misspelt, respelt } from "./misspelt.ts";
import { nameEntries } from "./name-entries.ts";
import { opposites } from "./opposites.ts";
import { valueEntries } from "./value-entries.ts";

/** What some words mean by themselves. */
export interface Found {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
  /** What the words are taken for where columns tell it and nobody says so. */
  taken?: string;
}

/** Whether a word is one of those that something was found for. */
export function isOver({ start, end }: Pick<Found, "start" | "end">, at: number): boolean {
  return start <= at && at < end;
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

/** What the author calls a year is meant before the years of a date, and "order numbers of" before "numbers of". */
export function authorsFirst(found: readonly Found[]): Found[] {
  const named = found.filter(({ sense }) => sense.t === "field");
  const isLess = ({ sense, start, end }: Found) =>
    sense.t === "grain"
      ? named.some((name) => name.end === end)
      : sense.t === "op" &&
        sense.op === "count" &&
        named.some((name) => name.start < start && start < name.end);
  return found.map((each) => (isLess(each) ? { ...each, cost: each.cost + LESS_COST } : each));
}

const LESS_COST = 0.5;

/** Some words of a question that stand together. */
export interface Stretch {
  words: readonly Word[];
  start: number;
  end: number;
  span: readonly Word[];
  stems: string;
  norms: string;
  /** What several words mean together is rather meant. */
  bonus: number;
}

/** Words of grammar inside of a name. */
const GAPS = 2;

/** Everything that stretches of words can mean by themselves. */
export function candidates(words: readonly Word[], lexicon: Lexicon, language: Language): Found[] {
  const entriesOf = (stretch: Stretch): Entry[] => [
    ...nameEntries(stretch, lexicon, language),
    ...valueEntries(stretch, lexicon, language),
  ];
  const written = stretchesOf(words, lexicon.longest + GAPS).flatMap((stretch): Found[] => {
    const { start, end } = stretch;
    const entries = [...entriesOf(stretch), ...grammarEntries(stretch, lexicon, language)];
    return entries.map((entry) => ({ ...entry, start, end }));
  });
  const found = [...written, ...opposites(words, written, entriesOf, language)];
  return [
    ...found,
    ...misspelt(words, found, lexicon, language),
    ...respelt(words, found, lexicon, language),
  ];
}

function stretchesOf(words: readonly Word[], longest: number): Stretch[] {
  return [...words.keys()].flatMap((start) =>
    Array.from({ length: Math.min(words.length - start, longest) }, (_, i) => {
      const end = start + i + 1;
      const span = words.slice(start, end);
      return { words, start, end, span, stems: stemsOf(span), norms: normsOf(span), bonus: i * -0.3 };
    }),
  );
}
