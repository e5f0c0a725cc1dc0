import { isIdName, longWords, partWords, singular, thingOf } from "../../../kernel/name-words.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { ask, type ColumnProfile, type Looking, type Profile, type Sureness } from "./profile.ts";
import { roleOf } from "./roles.ts";

export interface Keys {
  /** Empty where nothing tells rows apart. */
  primary: string[];
  sure: Sureness;
  /** Columns that are different in each row, the primary one among them. */
  unique: string[];
}

/** In fewer rows a day or a year is different by chance. */
const DATED_ROWS = 30;
const SORT = /^(class|cluster|group|segment|tier|category|grade|level|klasse|gruppe|stufe)$/;
/** Pairs of columns that are tried where no single one tells rows apart. */
const PAIRED_COLUMNS = 6;

/** Candidate keys of a dataset: by names and statistics, verified over all rows where only a sample was profiled. */
export async function keysOf(looking: Looking, profile: Profile): Promise<Keys> {
  const { rows, columns } = profile;
  const alone = columns.filter((column) => isAlone(column, profile));
  const fit = alone.filter((column, i) => isLikelyKey(column, profile, columns.indexOf(column), i));
  const ranked = fit.toSorted((a, b) => keyRank(a, profile) - keyRank(b, profile));
  const unique = profile.isSample
    ? await uniqueInAll(looking, profile, ranked.map(namesOf))
    : ranked.map(namesOf);
  const names = unique.flat();
  const [first] = unique;
  if (first !== undefined) {
    const isNamed = isIdName(first[0] as string) && rows > 0;
    return { primary: first, sure: isNamed ? "sure" : "likely", unique: names };
  }
  const pairs = pairsOf(profile);
  const fitting = rows === 0 || pairs.length === 0 ? [] : await uniqueInAll(looking, profile, pairs);
  return { primary: fitting[0] ?? [], sure: "likely", unique: [] };
}

function namesOf({ name }: ColumnProfile): string[] {
  return [name];
}

/** Different in each row, and always there. */
function isAlone({ filled, distinct, kind }: ColumnProfile, { rows }: Profile): boolean {
  return kind !== "other" && filled === rows && distinct === rows;
}

/** In a few rows any column is different by chance: a number that is measured is no key, and a day only in many rows. */
function isLikelyKey(column: ColumnProfile, { dataset, rows }: Profile, at: number, place: number): boolean {
  const role = roleOf(column);
  if (rows === 0) return role === "id" && keyRank(column, { dataset }) === 0;
  if (role === "id") return true;
  if ((role === "date" || role === "year") && place === 0) return rows >= DATED_ROWS && isWholeDay(column);
  const isName = role === "text" && (at === 0 || place === 0 || isCalled(column.name, dataset.name));
  return isName || (at === 0 && column.kind === "number" && column.isWhole && column.min !== null);
}

/** What has a time of day is when something happened, and only by chance at different times. */
function isWholeDay({ kind, type, times }: ColumnProfile): boolean {
  return kind === "date" ? /^DATE$/i.test(type) : times === 0;
}

/** `id` and `customer_id` of customers come before other ids, and these before names. */
function keyRank({ name, ...column }: ColumnProfile, { dataset }: Pick<Profile, "dataset">): number {
  const words = longWords(name);
  if (isIdName(name) && (words.length === 1 || isCalled(name, dataset.name))) return 0;
  const role = roleOf({ name, ...column });
  return role === "id" ? 1 : role === "text" ? 3 : 2;
}

/** True if a column is named after the thing that its dataset is about. */
export function isCalled(column: string, dataset: string): boolean {
  const thing = thingOf(dataset);
  const words = partWords(column);
  const [first = ""] = words;
  const start = words.slice(0, thing.length);
  const isStart = [...start.slice(0, -1), singular(start.at(-1) ?? "")].join(" ") === thing.join(" ");
  return start.join(" ") === thing.join(" ") || isStart || singular(first) === thing.at(-1);
}

/** Two columns that are no measures, those that look like ids first; or what there is for each year or day. */
function pairsOf({ columns, rows }: Profile): string[][] {
  const rank = (column: ColumnProfile) => {
    const role = roleOf(column);
    // A class or cluster is a sort of thing, and no number of one.
    const isSort = role === "id" && !isIdName(column.name) && SORT.test(longWords(column.name).at(-1) ?? "");
    if (isSort) return 3;
    return role === "id" ? 0 : role === "date" || role === "year" ? 1 : role === "text" ? 2 : 9;
  };
  const some = columns
    .filter((column) => column.filled === rows && rank(column) < 9)
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, PAIRED_COLUMNS);
  const isPanel = (a: ColumnProfile, b: ColumnProfile) =>
    rank(a) === 1 && rank(b) === 2 && rows >= DATED_ROWS && b.distinct < rows;
  return some.flatMap((a, i) =>
    some
      .slice(i + 1)
      .filter((b) => (rank(a) === 0 || isPanel(a, b)) && a.distinct * b.distinct >= rows)
      .map((b) => (rank(a) === 0 ? [a.name, b.name] : [b.name, a.name])),
  );
}

/** Those of some keys that are different in every row that this caller sees. */
async function uniqueInAll(looking: Looking, { dataset }: Profile, keys: string[][]): Promise<string[][]> {
  if (keys.length === 0) return [];
  const { visible: _, ...tableView } = await looking.data.tableView(looking.caller, dataset, "looked");
  const counts = keys.map((key) => {
    const names = key.map(quoteName).join(", ");
    const isThere = key.map((name) => `${quoteName(name)} IS NOT NULL`).join(" AND ");
    return `count(DISTINCT (${names})) FILTER (WHERE ${isThere})`;
  });
  const [row = []] = await ask(looking, [tableView], `SELECT count(*), ${counts.join(", ")} FROM looked`);
  return keys.filter((_key, i) => Number(row[i + 1]) === Number(row[0]));
}
