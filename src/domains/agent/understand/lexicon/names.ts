import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { type Folding, type Word, wordsOf } from "../languages/words.ts";
import { peopleOf } from "../model/model-words.ts";
import type { Lexicon } from "./lexicon.ts";

/** What entities are called, by the words of their names; made when somebody first asks for a part of one. */
export function namesOf(
  { model, schema, values: all }: Knowledge,
  folding: Folding,
): Pick<Lexicon, "namesWith" | "isOfPeople" | "named"> {
  const names = all.filter(({ ds, field }) => schema.datasets.get(ds)?.nameField === field);
  const called = names.filter(({ values }) => values.filter(isOfPerson).length >= values.length * PERSONS);
  const people = new Set([...peopleOf(model), ...called.map(({ ds }) => ds)]);
  let index: Map<string, Map<string, Set<string>>> | undefined;
  const indexed = () => {
    if (index !== undefined) return index;
    index = new Map(names.map(({ ds }) => [ds, new Map<string, Set<string>>()]));
    for (const { ds, values } of names)
      for (const value of values)
        for (const { norm } of wordsOf(value, folding)) {
          const words = index.get(ds) as Map<string, Set<string>>;
          words.set(spelling(norm), (words.get(spelling(norm)) ?? new Set()).add(value));
        }
    return index;
  };
  const having = (ds: string, { norm }: Word) => indexed().get(ds)?.get(spelling(norm)) ?? new Set<string>();
  return {
    named: new Set(names.map(({ ds }) => ds)),
    namesWith: (words) =>
      [...indexed().keys()].flatMap((ds) => {
        const [first, ...others] = words.map((word) => having(ds, word));
        const found = [...(first ?? [])].filter((name) => others.every((each) => each.has(name)));
        return found.length === 0 ? [] : [{ ds, names: found }];
      }),
    isOfPeople: (ds, word) =>
      people.has(ds) &&
      [...having(ds, word)].some((name) => {
        const [first, ...others] = wordsOf(name, folding);
        return others.length === 1 || first?.norm === word.norm;
      }),
  };
}

/** Where most names are of persons, all are. */
const PERSONS = 0.8;

function isOfPerson(name: string): boolean {
  return /^\p{Lu}\p{Ll}+ (?:\p{Ll}+ )?\p{Lu}\p{L}+$/u.test(name);
}

/** "Mueller" is Müller. */
function spelling(norm: string): string {
  return norm.replaceAll(/([aou])e/g, "$1");
}
