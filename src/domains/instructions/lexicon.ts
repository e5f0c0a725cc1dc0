import { GERMAN } from "./lexicon-de.ts";
import { ENGLISH } from "./lexicon-en.ts";
import { words } from "./reader.ts";

/** What can be said of a meaning, in both languages; `~` is any ending. */
const LEXICON = new Map<string, string[]>();
for (const line of `${ENGLISH}\n${GERMAN}`.split("\n").filter((each) => each.includes(":"))) {
  const [meaning = "", said = ""] = line.split(/:(.*)/s);
  const all = said.split(",").map((each) => each.trim());
  LEXICON.set(meaning.trim(), [...(LEXICON.get(meaning.trim()) ?? []), ...all]);
}

/** A pattern of all that means one of these, with words that only one intent has. The longest are tried first. */
export function anyOf(meanings: string, own = ""): RegExp {
  const all = meanings.split(" ").flatMap((meaning) => {
    const forms = LEXICON.get(meaning);
    if (forms === undefined) throw new TypeError(`no word means “${meaning}”`);
    return forms;
  });
  const longestFirst = [...new Set(all)].toSorted((a, b) => b.length - a.length);
  return words([own, ...longestFirst].filter((each) => each !== "").join("|"));
}
