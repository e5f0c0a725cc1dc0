import { longWords, wordsOf } from "./name-words.ts";
import type { ColumnProfile } from "./profile.ts";
import { roleOf } from "./roles.ts";

/** Behind a name they say which of several it is: of `cost_total` and `cost_repair` people ask for the cost. */
const WHICH = new Set(
  "name total min max minimum maximum average mean median low high sum title label".split(" "),
);
/** Words that say nothing by themselves, or mean something else in questions. */
const NO_HEAD = new Set(
  `id key code number no name title label type kind status flag date time day week month quarter year hour minute at by
  in of on to for from per and or the a total sum count average mean median min max low high top first last share rate
  ratio percent value group class order index other`.split(/\s+/),
);

/**
 * Shorter names by which people ask for columns: `airport` of `airport_name`, `species` of `wildlife_species`. What several
 * columns share belongs to each of them, so that whoever says no more is asked which one.
 */
export function headsOf(
  columns: readonly ColumnProfile[],
  thing: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const named = columns.map((column) => ({ column, words: longWords(column.name), role: roleOf(column) }));
  const own = new Set(named.map(({ words }) => words.join(" ")));
  const isFree = (head: string) =>
    head !== "" && !own.has(head) && head !== thing.join(" ") && !NO_HEAD.has(head);
  const firsts = Map.groupBy(
    named.filter(({ column, words }) => column.kind === "number" && words.length > 1),
    ({ words }) => words[0] as string,
  );
  return new Map(
    named.map(({ column, words, role }) => {
      if (words.length < 2 || role === "id" || role === "date" || role === "year") return [column.name, []];
      const isWhich = WHICH.has(words.at(-1) as string);
      const written = wordsOf(column.name);
      const heads = [
        ...(isWhich
          ? [words.slice(0, -1).join(" "), written.slice(0, -1).join(" ")]
          : [words.at(-1) as string]),
        // "total cost" is what `cost_total` says.
        ...(isWhich && column.kind === "number" ? [`${words.at(-1)} ${words.slice(0, -1).join(" ")}`] : []),
        ...((firsts.get(words[0] as string)?.length ?? 0) > 1 ? [words[0] as string] : []),
      ];
      return [column.name, [...new Set(heads)].filter(isFree)];
    }),
  );
}
