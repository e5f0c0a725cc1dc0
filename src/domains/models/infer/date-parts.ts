import { quoteName } from "../../../kernel/sql-text.ts";
import { partWords, wordsOf } from "./name-words.ts";
import type { ColumnProfile } from "./profile.ts";

/** A date whose year, month and maybe day stand in columns of their own. */
export interface PartedDate {
  name: string;
  sql: string;
  description: string;
  columns: ColumnProfile[];
  /** What each part is called for short: of an `arrival_date_year` "arrival year". */
  called: ReadonlyMap<ColumnProfile, string>;
}

const PARTS = {
  year: { named: /^(year|jahr)$/, least: 1_500, most: 2_200 },
  month: { named: /^(month|monat)$/, least: 1, most: 12 },
  day: { named: /^(day|tag)$/, least: 1, most: 31 },
} as const;
type Part = keyof typeof PARTS;

/** Dates in parts: columns that are called alike but for the year, the month and the day. */
export function partedDates(columns: readonly ColumnProfile[]): PartedDate[] {
  const parts = columns.flatMap((column) => {
    const [part, own] = partOf(column) ?? [];
    return part === undefined || own === undefined ? [] : [{ part, own, column }];
  });
  const all = Map.groupBy(parts, ({ own }) => own.join(" "));
  return [...all.values()].flatMap((those): PartedDate[] => {
    const find = (wanted: Part) => those.filter(({ part }) => part === wanted).map(({ column }) => column);
    const [[year, ...years], [month, ...months], [day, ...days]] = [find("year"), find("month"), find("day")];
    if (year === undefined || month === undefined || years.length + months.length + days.length > 0)
      return [];
    const own = those[0]?.own ?? [];
    const whose = own.at(-1) === "date" ? own.slice(0, -1) : own;
    const text = (column: ColumnProfile) => `CAST(${quoteName(column.name)} AS VARCHAR)`;
    const written = [text(year), text(month), day === undefined ? "'1'" : text(day)].join(" || '-' || ");
    return [
      {
        name: [...whose, "date"].join("_"),
        sql: `CAST(try_strptime(${written}, ['%Y-%B-%d', '%Y-%b-%d', '%Y-%m-%d']) AS DATE)`,
        description: `Made of ${those.map(({ column }) => column.name).join(", ")}`,
        columns: those.map(({ column }) => column),
        called: new Map(those.map(({ part, column }) => [column, [...whose, part].join(" ")])),
      },
    ];
  });
}

/** Which part of a date a column is, and what is said before that in its name. */
function partOf(column: ColumnProfile): [Part, string[]] | undefined {
  const words = partWords(column.name);
  const last = words.at(-2) === "of" && words.at(-1) === "month" ? words.length - 3 : words.length - 1;
  const part = (Object.keys(PARTS) as Part[]).find((each) => PARTS[each].named.test(words[last] ?? ""));
  if (part === undefined || wordsOf(column.name).length !== words.length) return undefined;
  const { least, most } = PARTS[part];
  const { kind, isWhole, min, max, filled, months } = column;
  const isNumber = kind === "number" && isWhole && (min ?? 0) >= least && (max ?? most + 1) <= most;
  const isNamed = part === "month" && kind === "text" && filled > 0 && months === filled;
  return isNumber || isNamed ? [part, words.slice(0, last)] : undefined;
}
