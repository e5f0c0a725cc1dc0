import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Result } from "../answer.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import { isEqual } from "../query/parts.ts";
import { isBefore, measure } from "../query/same-number.ts";
import { isKey } from "../query/semantic-query.ts";
import { type Format, showNumber } from "./format.ts";
import { cell, inWords, isAdditive, numberOf, rowName, type ShownColumn, type View } from "./view.ts";
import { locale, t, word } from "./words.ts";

/** Up to this many groups are written as a list with their shares; more become a table. */
const LISTED = 8;

interface Context {
  knowledge: Knowledge;
  /** The numbers of the whole, by column. */
  totals: readonly JsonValue[] | undefined;
  /** Where periods begin that are not whole. */
  cut: ReadonlySet<string>;
}

/** What an analyst would write about a result that has rows. */
export function narrate({ reading }: Result, view: View, { knowledge, totals, cut }: Context): string {
  const said = inWords(reading.said);
  const wholes = wholeNumbers(view, knowledge, totals);
  const [first] = view.rows;
  if (first === undefined) return t`${said}: nothing was found.`;
  if (view.rows.length === 1) return aboutOneRow(said, view, first);
  const time = view.keys.find(({ format }) => format.kind === "period");
  const { ask } = reading;
  const isPart = ask.k === "table" && [ask.top, ask.having, ask.limit].some((each) => each !== undefined);
  const parts =
    view.numbers.length === 0 || (ask.k === "list" && isNameless(view))
      ? aboutNames(said, view)
      : time === undefined
        ? aboutGroups(said, view, wholes, {
            isPart,
            isLowestFirst: ask.k === "table" && ask.top?.dir === "min",
          })
        : aboutPeriods(said, view, time, { wholes, isPart, cut });
  return parts.join("\n\n");
}

/** The number of the whole for each column, where groups add up to it. */
function wholeNumbers(
  { numbers, columns }: View,
  { schema }: Knowledge,
  totals: readonly JsonValue[] | undefined,
): Map<ShownColumn, number> {
  const found = new Map<ShownColumn, number>();
  if (totals === undefined) return found;
  const keys = columns.map(({ of }) => of).filter(isKey);
  for (const column of numbers) {
    const whole = numberOf(totals, { ...column, index: column.index - keys.length });
    if (whole !== undefined && !isKey(column.of) && isAdditive(column.of, schema, keys))
      found.set(column, whole);
  }
  return found;
}

function aboutOneRow(said: string, { columns, keys, numbers }: View, row: readonly JsonValue[]): string {
  const [only] = columns;
  if (columns.length === 1 && only !== undefined) {
    return row[only.index] === null ? t`${said}: there is no value.` : `${said}: **${cell(row, only)}**`;
  }
  if (keys.length === 0) {
    const lines = numbers.map((column) => `- **${column.label}**: ${cell(row, column)}`);
    return [`${said}:`, lines.join("\n"), ...changeBetween(row, numbers)].join("\n\n");
  }
  const facts = numbers.map((column) => `${column.label}: ${cell(row, column)}`);
  const [name, ...others] = keys;
  const more = others.map((key) => `${key.label}: ${cell(row, key)}`);
  const detail = [...more, ...facts];
  const named = name === undefined ? "" : cell(row, name);
  return `${said}: **${named}**${detail.length === 0 ? "" : ` (${detail.join(", ")})`}`;
}

/** Two numbers of the same sort side by side are there to be compared. */
function changeBetween(row: readonly JsonValue[], numbers: readonly ShownColumn[]): string[] {
  const [a, b] = sidesOf(numbers) ?? [];
  if (a === undefined || b === undefined || a.format.kind === "percent") return [];
  const [x, y] = [numberOf(row, a), numberOf(row, b)];
  if (x === undefined || y === undefined) return [];
  const relative = y === 0 ? "" : ` (${signedPercent((x - y) / Math.abs(y))})`;
  return [t`${a.label} against ${b.label}: ${`${signed(x - y, a.format)}${relative}`}.`];
}

/** Two numbers that differ in their period alone: the later one, and the one that it is held against. */
function sidesOf(numbers: readonly ShownColumn[]): [ShownColumn, ShownColumn] | undefined {
  const shifted = besideEarlier(numbers);
  if (shifted !== undefined) return shifted;
  const [a, b, ...others] = numbers;
  if (a === undefined || b === undefined || others.length > 0 || isKey(a.of) || isKey(b.of)) return undefined;
  if (measure(a.of) !== measure(b.of)) return undefined;
  return isBefore(a.of, b.of) ? [b, a] : [a, b];
}

/** A number, and the same one some periods earlier. */
function besideEarlier(numbers: readonly ShownColumn[]): [ShownColumn, ShownColumn] | undefined {
  for (const earlier of numbers) {
    const { of } = earlier;
    const now = isKey(of) || of.k !== "lag" ? undefined : numbers.find((other) => isEqual(other.of, of.of));
    if (now !== undefined) return [now, earlier];
  }
  return undefined;
}

/** Rows that nothing tells apart are a table: none of them could be called the first. */
function isNameless({ rows, keys }: View): boolean {
  return new Set(rows.map((row) => rowName(row, keys))).size < rows.length;
}

function aboutNames(said: string, view: View): string[] {
  const { keys, numbers, rows, totalRows } = view;
  const [name] = keys;
  if (keys.length === 1 && numbers.length === 0 && name !== undefined && rows.length <= LISTED) {
    const items = rows.map((row) => `- **${cell(row, name)}**`).join("\n");
    return [`${said} (${count(rows.length)}):`, items];
  }
  return [t`${said}: ${count(totalRows)} in all.`, table(view)];
}

function aboutGroups(
  said: string,
  view: View,
  wholes: Map<ShownColumn, number>,
  { isPart, isLowestFirst }: { isPart: boolean; isLowestFirst: boolean },
): string[] {
  const { keys, numbers, rows } = view;
  const main = numbers[0] as ShownColumn;
  const whole = wholes.get(main);
  // What belongs to no group is nobody's first place.
  const ranked = rankedBy(rows, main).filter((row) => keys.every(({ index }) => row[index] !== null));
  const parts = [whole === undefined ? `${said}:` : `${said}: ${inAll(view, main, whole, isPart)}`];
  const isWhole = rows.length === view.totalRows;
  if (isWhole && ranked.length > 0 && keys.length > 0)
    parts.push(
      aboutTheFirst(isLowestFirst ? ranked.toReversed() : ranked, isLowestFirst, { keys, main, whole }),
    );
  if (isWhole) parts.push(...changesOf(rows, keys, numbers));
  const isShort = rows.length <= LISTED && numbers.length === 1 && keys.length === 1;
  if (isShort) {
    const items = rows.map(
      (row) => `- **${rowName(row, keys)}**: ${cell(row, main)}${share(row, main, whole)}`,
    );
    parts.push(items.join("\n"));
  } else parts.push(table(view));
  return parts;
}

/** The whole; and where only some groups are shown, how much of it they are. */
function inAll({ rows, numbers }: View, main: ShownColumn, whole: number, isPart: boolean): string {
  // Beside other numbers it is said which one it is.
  const all = `${showNumber(whole, main.format)}${numbers.length > 1 ? ` ${main.label}` : ""}`;
  const sum = rows.reduce((total, row) => total + (numberOf(row, main) ?? 0), 0);
  if (!isPart && showNumber(sum, main.format) === showNumber(whole, main.format))
    return t`**${all}** in all.`;
  const fraction = whole === 0 ? "" : ` (${showNumber(sum / whole, { kind: "percent", by: 100 })})`;
  return t`those shown come to **${showNumber(sum, main.format)}** of ${all} in all${fraction}.`;
}

/** Two numbers of the same sort for each group: where they differ most. */
function changesOf(
  rows: readonly JsonValue[][],
  keys: readonly ShownColumn[],
  numbers: readonly ShownColumn[],
): string[] {
  const [a, b] = sidesOf(numbers) ?? [];
  if (a === undefined || b === undefined) return [];
  const changes = rows.flatMap((row) => {
    const [x, y] = [numberOf(row, a), numberOf(row, b)];
    return x === undefined || y === undefined ? [] : [{ row, by: x - y, relative: (x - y) / Math.abs(y) }];
  });
  const ranked = changes.toSorted((one, other) => other.by - one.by);
  const [most, least] = [ranked[0], ranked.at(-1)];
  const told = ({ row, by, relative }: (typeof changes)[number]) => {
    const share = Number.isFinite(relative) ? ` (${signedPercent(relative)})` : "";
    return t`${rowName(row, keys)} with ${signed(by, a.format)}${share}`;
  };
  const lines = [
    ...(most !== undefined && most.by > 0 ? [t`largest rise: ${told(most)}`] : []),
    ...(least !== undefined && least.by < 0 ? [t`largest fall: ${told(least)}`] : []),
  ];
  return lines.length === 0 ? [] : [t`${a.label} against ${b.label}: ${lines.join("; ")}.`];
}

/** Who comes first, by how much, and who last. */
function aboutTheFirst(
  ranked: readonly JsonValue[][],
  isLowestFirst: boolean,
  { keys, main, whole }: { keys: readonly ShownColumn[]; main: ShownColumn; whole: number | undefined },
): string {
  const [first, second] = ranked as [JsonValue[], JsonValue[] | undefined];
  const last = ranked.at(-1) as JsonValue[];
  const value = (row: JsonValue[]) => `${cell(row, main)}${share(row, main, whole)}`;
  const lead = isLowestFirst
    ? t`**${rowName(first, keys)}** is lowest with ${value(first)}`
    : t`**${rowName(first, keys)}** is highest with ${value(first)}`;
  if (second === undefined || last === first) return `${lead}.`;
  if (numberOf(first, main) === numberOf(last, main)) return t`All are equal, with ${value(first)} each.`;
  const isTie = numberOf(first, main) === numberOf(second, main);
  const link = isTie ? t`level with` : isLowestFirst ? t`below` : t`ahead of`;
  const other = isTie ? rowName(second, keys) : t`${rowName(second, keys)} with ${value(second)}`;
  const next = `, ${link} ${other}`;
  if (ranked.length < 3) return `${lead}${next}.`;
  const end = isLowestFirst ? "" : t`; ${rowName(last, keys)} is lowest with ${value(last)}`;
  return `${lead}${next}${end}.`;
}

function aboutPeriods(
  said: string,
  view: View,
  time: ShownColumn,
  { wholes, isPart, cut }: { wholes: Map<ShownColumn, number>; isPart: boolean; cut: ReadonlySet<string> },
): string[] {
  const { keys, numbers, rows } = view;
  const main = numbers[0] as ShownColumn;
  if (keys.length > 1) return [t`${said}: ${count(rows.length)} rows.`, table(view)];
  const whole = wholes.get(main);
  const lead = whole === undefined ? `${said}:` : `${said}: ${inAll(view, main, whole, isPart)}`;
  // What adds up is smaller in a part of a period, and nothing went down; growth is of what adds up.
  const isOfWhole = whole !== undefined || (!isKey(main.of) && main.of.k === "calc");
  const isComparable = (row: JsonValue[]) => !isOfWhole || !cut.has(row[time.index] as string);
  const known = rows.filter((row) => numberOf(row, main) !== undefined && isComparable(row));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || first === last) return [lead, table(view)];
  const [from, to] = [numberOf(first, main) as number, numberOf(last, main) as number];
  const isShare = main.format.kind === "percent";
  const change = isShare || from === 0 ? "" : ` (${signedPercent((to - from) / Math.abs(from))})`;
  const grain = time.format.kind === "period" ? time.format.grain : "period";
  const start = cut.size > 0 && isOfWhole ? t`Of whole ${word(`${grain}s`)}: from` : t`From`;
  const path = t`${start} ${cell(first, main)} in ${cell(first, time)} to ${cell(last, main)} in ${cell(last, time)}${change}.`;
  const ranked = rankedBy(known, main);
  const [high, low] = [ranked[0] as JsonValue[], ranked.at(-1) as JsonValue[]];
  const against = whole === undefined ? [] : allAgainstEarlier(known, numbers);
  const extremes = t`Highest: ${cell(high, time)} with ${cell(high, main)}; lowest: ${cell(low, time)} with ${cell(low, main)}.`;
  return [lead, ...against, `${path} ${extremes}`, table(view)];
}

/** What all periods come to beside the earlier ones that they are held against. */
function allAgainstEarlier(rows: readonly JsonValue[][], numbers: readonly ShownColumn[]): string[] {
  const [now, earlier] = besideEarlier(numbers) ?? [];
  // Twelve months and the same ones moved by one are nearly the same.
  if (
    now === undefined ||
    earlier === undefined ||
    isKey(earlier.of) ||
    earlier.of.k !== "lag" ||
    earlier.of.grain !== "year"
  )
    return [];
  const both = rows.filter((row) => [now, earlier].every((column) => numberOf(row, column) !== undefined));
  const sum = (column: ShownColumn) => both.reduce((all, row) => all + (numberOf(row, column) as number), 0);
  const [x, y] = [sum(now), sum(earlier)];
  if (both.length === 0 || y === 0) return [];
  const told = t`${showNumber(x, now.format)} against ${showNumber(y, earlier.format)}`;
  const part = both.length < rows.length ? t`, in the ${both.length} that have both` : "";
  const change = `${told}, ${signed(x - y, now.format)} (${signedPercent((x - y) / Math.abs(y))})${part}`;
  return [t`${now.label} against ${earlier.label}: ${change}.`];
}

function rankedBy(rows: readonly JsonValue[][], main: ShownColumn): JsonValue[][] {
  return rows
    .filter((row) => numberOf(row, main) !== undefined)
    .toSorted((a, b) => (numberOf(b, main) as number) - (numberOf(a, main) as number));
}

function share(row: readonly JsonValue[], column: ShownColumn, whole: number | undefined): string {
  const value = numberOf(row, column);
  if (whole === undefined || whole <= 0 || value === undefined || value < 0) return "";
  return ` (${showNumber(value / whole, { kind: "percent", by: 100 })})`;
}

/** A table in Markdown: of the newest rows where they go along time, otherwise of the first. */
function table({ columns, rows, totalRows }: View): string {
  const most = LIMITS.agent.tableRows;
  const [first] = columns;
  const isAlongTime =
    first?.format.kind === "period" && String(rows[0]?.[first.index]) < String(rows.at(-1)?.[first.index]);
  const shown = isAlongTime ? rows.slice(-most) : rows.slice(0, most);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const head = line(columns.map(({ label }) => label));
  const rule = line(
    columns.map(({ format }) => (format.kind === "text" || format.kind === "period" ? "---" : "---:")),
  );
  const body = shown.map((row) => line(columns.map((column) => cell(row, column))));
  const left = totalRows - shown.length;
  const rest = isAlongTime ? t`… and ${count(left)} earlier rows.` : t`… and ${count(left)} more rows.`;
  const more = left === 0 ? "" : `\n\n${rest}`;
  return `${[head, rule, ...body].join("\n")}${more}`;
}

function signed(number: number, format: Format): string {
  return number > 0 ? `+${showNumber(number, format)}` : showNumber(number, format);
}

function signedPercent(fraction: number): string {
  return signed(fraction, { kind: "percent", by: 100 });
}

function count(number: number): string {
  return number.toLocaleString(locale());
}
