import { keyThing, partWords, thingOf } from "./name-words.ts";
import type { ColumnProfile, Profile } from "./profile.ts";
import { isIdName } from "./roles.ts";

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

/** Whether rows are only parts of what their dataset is called after: `orders.csv` with lines of orders. */
export function isLines({ dataset }: Profile, shared: readonly SharedNumber[]): boolean {
  const thing = thingOf(dataset.name).join(" ");
  return shared.some(({ noun }) => noun === thing);
}
