import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Clarification, Understanding } from "./reading.ts";
import type { Word } from "./words.ts";

/** What the refusal names: what nobody knows, and only where there is none of that, what did not fit together. */
export function missingWords(
  words: readonly Word[],
  left: readonly number[],
  { known, said }: { known: ReadonlySet<number>; said: string },
): Understanding["missing"] {
  const unknown = left.filter((i) => !known.has(i) && !/^\P{L}*$/u.test(words[i]?.norm ?? ""));
  const some = unknown.length > 0 ? unknown : left;
  // What was made of a compound or of a date was written by nobody.
  const written = some.filter((i) => said.toLowerCase().includes((words[i] as Word).text.toLowerCase()));
  return (written.length > 0 ? written : some).map((i) => {
    const { start, end, text } = words[i] as Word;
    const isKnown = unknown.length === 0 && known.has(i);
    return { span: { start, end }, text, nearest: [], ...(isKnown && { isKnown: true as const }) };
  });
}

const COUNTED = /(^| )(how many|number of|which|what|wie viele|anzahl der|welche)$/;

/** Where there is one table, a noun that nobody knows may be what its rows are called: "trips" of taxis. */
export function rowsMeant(
  words: readonly Word[],
  unknown: readonly number[],
  { model }: Knowledge,
): (Clarification & { word: string }) | undefined {
  const [dataset, ...others] = model.datasets;
  const [at, ...more] = unknown;
  if (dataset === undefined || others.length > 0 || at === undefined || more.length > 0) return undefined;
  const word = words[at] as Word;
  const before = words
    .slice(0, at)
    .map(({ norm }) => norm)
    .join(" ");
  if (!COUNTED.test(before) || !/^\p{L}{3,}$/u.test(word.norm)) return undefined;
  const name = dataset.name.replaceAll("_", " ");
  return { question: `What is meant by "${word.text}"?`, suggestions: [name], word: word.text, isName: true };
}
