import type { WireTool } from "../../registry/registry.ts";
import { isFunctionWord, wordsIn } from "./reader.ts";
import { formsOf, keyOf } from "./words.ts";

const MOST_WORDS = 60;
const MOST_TOOLS = 3;
/** Words of a tool's own name say more of it than those of its description. */
const NAME_WEIGHT = 4;

/**
 * The tools whose own words an instruction has in it, the nearest first: for what no plan is made of, but a tool does.
 * A word counts the more, the fewer tools have it.
 */
export function nearestTools(text: string, tools: readonly WireTool[]): WireTool[] {
  const said = new Set(
    wordsIn(text)
      .filter((word) => !isFunctionWord(word))
      .slice(0, MOST_WORDS)
      .flatMap((word) => formsOf(word)),
  );
  const known = tools
    .filter(({ tool }) => tool.effect !== "delegate")
    .map((each) => ({
      each,
      names: new Set(
        wordsIn(`${each.tool.name.replaceAll("_", " ")} ${each.tool.title}`)
          .filter((word) => !isFunctionWord(word))
          .map(keyOf),
      ),
      words: new Set(keyOf(each.description).split(" ")),
    }));
  const rarity = (word: string) =>
    Math.log(
      (known.length + 1) /
        (1 + known.filter(({ names, words }) => names.has(word) || words.has(word)).length),
    );
  return known
    .map(({ each, names, words }) => {
      const inName = [...said].filter((word) => names.has(word));
      const inText = [...said].filter((word) => words.has(word) && !names.has(word));
      const sum = (some: readonly string[]) => some.reduce((all, word) => all + rarity(word), 0);
      // Of "run" and "cancel a run" the one that is said whole is meant.
      const named = (NAME_WEIGHT * sum(inName) * inName.length) / names.size;
      return { each, isNamed: inName.length > 0, score: named + sum(inText) };
    })
    .filter(({ isNamed }) => isNamed)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_TOOLS)
    .map(({ each }) => each);
}
