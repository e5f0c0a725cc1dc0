import { isIdName, keyThing, partWords, thingOf, wordsOf } from "../../../kernel/name-words.ts";
import { measureOf, unitCalled } from "../quantities/index.ts";
import type { ColumnProfile, Profile } from "./profile.ts";
import { roleOf } from "./roles.ts";

/** A thing that several rows are of, and the field whose different values tell how many of it there are. */
export interface Counted {
  noun: string;
  field: string;
}

/** A column that says which order, customer or invoice a row belongs to, and what that is. */
export interface SharedNumber {
  column: ColumnProfile;
  noun: string;
}

/** A name says that it is a number of something: `order_id`, `Invoice No`, `Kundennummer`. */
export function isIdLike(name: string): boolean {
  return isIdName(name) || keyThing(name).length < partWords(name).length;
}

/**
 * Numbers of things that several rows share. Rows are counted by such a number where the thing is asked for: the lines
 * of an order are no orders.
 */
export function sharedNumbers({ columns }: Profile): SharedNumber[] {
  const own = new Set(columns.map(({ name }) => partWords(name).join(" ")));
  const names = new Map(
    columns.map(({ name, distinct }) => [partWords(name).join(" ").replace(NAMED, ""), distinct]),
  );
  const firsts = new Set(columns.filter(({ kind }) => kind === "text").map(({ name }) => partWords(name)[0]));
  return columns.flatMap((column) => {
    const words = keyThing(column.name);
    const noun = words.join(" ");
    const repeats = column.distinct > FEWEST && column.distinct < column.filled * MISTAKEN;
    // A text beside it tells the same in words: `marital_desc` of a `marital_status_id`.
    const isTold = own.has(noun) || (words.length > 1 && firsts.has(words[0]));
    const isThing = noun !== "" && isIdLike(column.name) && !NO_THING.test(words.at(-1) ?? "");
    const isNamed = (names.get(noun) ?? 0) > column.distinct;
    if (!isThing || !repeats || isTold || isNamed || isCountedOff(column)) return [];
    return [{ column, noun }];
  });
}

/** So few are sorts of things. */
const FEWEST = 2;
/** Numbers that hardly ever occur twice are those of the rows, and some were entered twice. */
const MISTAKEN = 0.95;
/** The `track_name` says which track a row is of, better than the `track_number`. */
const NAMED = / (?:name|title)$/;

/** 1, 2, 3 … of each of something, such as the tracks of each album: a first one is there most often. */
function isCountedOff({ min, max, distinct, mode }: ColumnProfile): boolean {
  return min !== null && min <= 1 && max === min + distinct - 1 && mode === min;
}

/** Numbers of these tell sorts or places apart. */
const NO_THING =
  /^(status|type|kind|class|level|grade|score|gender|sex|line|row|item|position|zip|postal|post|area|country|region|group|category|art|typ|gruppe|klasse|zeile|pos)$/;

/** True if rows are only parts of what their dataset is called after: `orders.csv` with lines of orders. */
export function isLines({ dataset }: Profile, shared: readonly SharedNumber[]): boolean {
  const thing = thingOf(dataset.name).join(" ");
  return shared.some(({ noun }) => noun === thing);
}

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
