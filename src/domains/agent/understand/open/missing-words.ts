import type { Word } from "../languages/words.ts";
import type { Understanding } from "../reading.ts";

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
