/**
 * Dates as people and programs write them besides ISO 8601: 31.01.2024, 1/31/2024 2:30 PM, 31-Jan-2024, January 31,
 * 2024. What a value may be is a list of formats as in strptime; a column has those that all of its values share.
 */

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

const NUMBERS = /^(\d{1,4})([-./ ])(\d{1,2})\2(\d{1,4})(?![\d./-])/;
const DAY_AND_NAME = /^(\d{1,2})(-|\/|\.? )([A-Za-z]{3,9})(-|\/|,? )(\d{4}|\d{2})(?!\d)/;
const NAME_AND_DAY = /^([A-Za-z]{3,9})( |-)(\d{1,2})(,? |-)(\d{4})(?!\d)/;
const TIME = /^(?:T| {1,2}|, )(\d{1,2}):(\d{2})(:\d{2})?(\.\d{1,6})?(?:( ?)([AaPp][Mm]))?$/;

/** Longer texts are no dates. */
const DATE_CHARACTERS = 40;

/** Everything that a text may be when it is a date, the likeliest first; nothing for other texts. */
export function dateFormatsOf(value: string): string[] {
  const text = value.trim();
  if (text.length < 6 || text.length > DATE_CHARACTERS) return [];
  const found = inNumbers(text) ?? withName(text);
  if (found === undefined) return [];
  const time = timeFormat(text.slice(found.length));
  return time === undefined ? [] : found.formats.map((format) => format + time);
}

interface DatePart {
  formats: string[];
  length: number;
}

function inNumbers(text: string): DatePart | undefined {
  const [all, first, mark, second, last] = NUMBERS.exec(text) ?? [];
  if (all === undefined) return undefined;
  const [a, b, c] = [Number(first), Number(second), Number(last)];
  const join = (...signs: string[]): string => signs.map((sign) => `%${sign}`).join(mark);
  const formats: string[] = [];
  if (first!.length === 4) {
    if (last!.length <= 2 && isDay(c) && isMonth(b)) formats.push(join("Y", "m", "d"));
  } else if (first!.length <= 2 && (last!.length === 4 || last!.length === 2)) {
    const isShort = last!.length === 2;
    // Versions have dots, too, as in 1.12.24; and pairs of digits may be anything.
    const isDoubtful = mark === " " || (mark === "." && (first!.length === 1 || second!.length === 1));
    if (isShort && isDoubtful) return undefined;
    const year = isShort ? "y" : "Y";
    if (isDay(a) && isMonth(b)) formats.push(join("d", "m", year));
    if (isMonth(a) && isDay(b)) formats.push(join("m", "d", year));
    const isYearFirst = isShort && first!.length === 2 && isMonth(b) && isDay(c);
    if (isYearFirst && mark === "-") formats.unshift(join("y", "m", "d"));
    else if (isYearFirst) formats.push(join("y", "m", "d"));
  }
  return { formats, length: all.length };
}

const isDay = (number: number): boolean => number >= 1 && number <= 31;
const isMonth = (number: number): boolean => number >= 1 && number <= 12;

function withName(text: string): DatePart | undefined {
  const dayFirst = DAY_AND_NAME.exec(text);
  if (dayFirst !== null) {
    const [all, day, mark, name, other, year] = dayFirst;
    if (!isDay(Number(day))) return undefined;
    const end = `${other}%${year!.length === 4 ? "Y" : "y"}`;
    return { formats: monthSigns(name!).map((sign) => `%d${mark}${sign}${end}`), length: all.length };
  }
  const nameFirst = NAME_AND_DAY.exec(text);
  if (nameFirst === null) return undefined;
  const [all, name, mark, day, other] = nameFirst;
  if (!isDay(Number(day))) return undefined;
  return { formats: monthSigns(name!).map((sign) => `${sign}${mark}%d${other}%Y`), length: all.length };
}

/** May is its own abbreviation. */
function monthSigns(name: string): string[] {
  const lower = name.toLowerCase();
  return [
    ...(MONTHS.some((month) => month.slice(0, 3) === lower) ? ["%b"] : []),
    ...(MONTHS.includes(lower) ? ["%B"] : []),
  ];
}

/** Undefined for what is no time; nothing at all is the time of a date without one. */
function timeFormat(rest: string): string | undefined {
  if (rest === "") return "";
  const [all, hours, , seconds, fraction, blank = "", half] = TIME.exec(rest) ?? [];
  if (all === undefined || (fraction !== undefined && seconds === undefined)) return undefined;
  if (Number(hours) > (half === undefined ? 23 : 12)) return undefined;
  const before = all.slice(0, all.indexOf(hours!));
  const exact = `${seconds === undefined ? "" : ":%S"}${fraction === undefined ? "" : ".%f"}`;
  return `${before}${half === undefined ? "%H" : "%I"}:%M${exact}${half === undefined ? "" : `${blank}%p`}`;
}

export function dateTypeOf(format: string): "DATE" | "TIMESTAMP" {
  return /%-?[HIMSpfgcXTnz]/.test(format) ? "TIMESTAMP" : "DATE";
}

export type DateOrder = "day" | "month" | "year";

/** Date order (day or month first); undefined for a format with a name in it, which has one order only. */
export function orderOf(format: string): DateOrder | undefined {
  if (/%-?[bB]/.test(format)) return undefined;
  const [, first] = /%-?([dmyY])/.exec(format) ?? [];
  if (first === undefined) return undefined;
  return first === "d" ? "day" : first === "m" ? "month" : "year";
}

/** A column of dates that are not written as ISO 8601 has it. */
export interface DateColumn {
  /** All that the values allow; the first is the one that holds. */
  formats: readonly string[];
  /** What rules out the others besides the values; nothing when nothing does. */
  settledBy: "caller" | "columns" | DateMark | undefined;
}

/** Something in the file that goes with an order of day and month. */
export interface DateMark {
  order: "day" | "month";
  /** "the decimal comma in the file, not because of the dates themselves". */
  sign: string;
}

/**
 * Chooses one format for each column. A column that tells the order of day and month tells it for the others; `said`
 * is what the caller says about some, `mark` what else there is to go by.
 */
export function chooseFormats(
  columns: ReadonlyMap<number, readonly string[]>,
  said: string | undefined,
  mark?: DateMark,
): Map<number, DateColumn> {
  const orders = [...columns.values()].map((formats) => new Set(formats.map(orderOf)));
  const shown = orders.flatMap((found) => (found.size === 1 ? [...found] : []));
  const proofs = new Set(said === undefined ? shown : [orderOf(said)]);
  proofs.delete(undefined);
  const [proven] = proofs.size === 1 ? proofs : [];
  const order = proven ?? mark?.order;
  const reason = proven === undefined ? mark : said === undefined ? "columns" : "caller";
  return new Map(
    [...columns].map(([index, formats]) => {
      // A mark tells days from months, and nothing about years in front.
      const isOpen = proven !== undefined || orderOf(formats[0]!) !== "year";
      const fitting = formats.filter((format) => isOpen && order !== undefined && orderOf(format) === order);
      const rest = formats.filter((format) => !fitting.includes(format));
      return [index, { formats: [...fitting, ...rest], settledBy: fitting.length > 0 ? reason : undefined }];
    }),
  );
}

const WORDS: Readonly<Record<string, string>> = { d: "day", m: "month", y: "year", Y: "year" };

/** "day/month/year". */
export function inWords(format: string): string {
  const [date = ""] = /^(?:%[dmyY][-./]?){3}/.exec(format) ?? [];
  return date.replace(/%([dmyY])/g, (_, sign: string) => WORDS[sign]!);
}
