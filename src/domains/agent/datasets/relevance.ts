import type { Dataset } from "../../data/index.ts";
import { fold, stem, wordsOf } from "../understand/languages/words.ts";

/** Words of a name count more where it is that of the whole dataset. */
const NAME_WEIGHT = 3;

/** How many of a question's words are names of datasets and of their columns. */
export function relevanceOf(question: string): (name: string, columns: readonly string[]) => number {
  const asked = new Set(wordsOf(question).map((word) => word.stem));
  const hits = (names: readonly string[]) =>
    new Set(names.flatMap(stemsOf).filter((each) => asked.has(each))).size;
  return (name, columns) => NAME_WEIGHT * hits([name]) + hits(columns);
}

export function datasetRelevance(
  relevance: ReturnType<typeof relevanceOf>,
): (dataset: Pick<Dataset, "name" | "columns">) => number {
  return ({ name, columns }) =>
    relevance(
      name,
      columns.map((column) => column.name),
    );
}

function stemsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => stem(fold(word)));
}
