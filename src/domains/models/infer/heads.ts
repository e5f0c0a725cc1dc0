import { measureOf, unitCalled } from "../quantities/index.ts";
import { isIdLike } from "./counted-things.ts";
import { keyThing, partWords, wordsOf } from "./name-words.ts";
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
  ratio percent percentage value group class order index other sold line nummer datum`.split(/\s+/),
);
/** Before a number they say which of two it is, and are said without it: "3000 euros gross". */
const KINDS = /^(netto|brutto|net|gross)$/;

/**
 * Shorter names by which people ask for columns: `airport` of `airport_name`, `species` of `wildlife_species`. What several
 * columns share belongs to each of them, so that whoever says no more is asked which one.
 */
export function headsOf(
  columns: readonly ColumnProfile[],
  thing: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const named = columns.map((column) => ({ column, words: partWords(column.name), role: roleOf(column) }));
  const own = new Set(named.map(({ words }) => words.join(" ")));
  // What has a number of its own is a thing, and no short name of what is said about it: patients are no ages.
  const things = new Set(
    columns.filter(({ name }) => isIdLike(name)).map(({ name }) => keyThing(name).join(" ")),
  );
  const isFree = (head: string) =>
    /\p{L}/u.test(head) &&
    !own.has(head) &&
    head !== thing.join(" ") &&
    !things.has(head) &&
    !NO_HEAD.has(head);
  const firsts = Map.groupBy(
    named.filter(({ column, words, role }) => column.kind === "number" && role !== "id" && words.length > 1),
    ({ words }) => words[0] as string,
  );
  return new Map(
    named.map(({ column, words, role }) => {
      // An `adult_male` is not every male.
      if (words.length < 2 || ["id", "date", "year", "flag"].includes(role)) return [column.name, []];
      const isWhich = WHICH.has(words.at(-1) as string) && measureOf(column.name)?.unit === undefined;
      const written = wordsOf(column.name);
      const of = words.indexOf("of");
      const heads = [
        // "customer rating" of a `customer_stratification_rating`.
        ...(words.length === 3 && !isWhich && !NO_HEAD.has(words[1] as string)
          ? [`${words[0]} ${words[2]}`]
          : []),
        ...(isWhich
          ? [words.slice(0, -1).join(" "), written.slice(0, -1).join(" ")]
          : [words.at(of > 0 ? of - 1 : -1) as string]),
        ...(column.kind === "number" && KINDS.test(words[0] as string) ? [words[0] as string] : []),
        // "total cost" is what `cost_total` says.
        ...(isWhich && column.kind === "number" ? [`${words.at(-1)} ${words.slice(0, -1).join(" ")}`] : []),
        ...((firsts.get(words[0] as string)?.length ?? 0) > 1 || isMeasured(column)
          ? [words[0] as string]
          : []),
      ];
      return [
        column.name,
        [...new Set(heads)].filter(
          (head) => isFree(head) && !DONE.test(head) && unitCalled(head) === undefined,
        ),
      ];
    }),
  );
}

/** "longest flippers" of a `flipper_length_mm`, "speed" of a `speed_ias_in_knots`. */
function isMeasured({ name, kind }: ColumnProfile): boolean {
  return kind === "number" && BODILY.has(measureOf(name)?.quantity ?? "");
}

const BODILY: ReadonlySet<string> = new Set(["length", "height", "depth", "width", "weight", "speed"]);

/** What was done says nothing by itself: of `cost_of_goods_sold` it is the cost. */
const DONE = /^(?:sold|made|paid|spent|won|lost|held|given|taken|\p{L}{2,}[^e]ed)$/u;
