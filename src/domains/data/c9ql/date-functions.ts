import type { AppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import { nearest } from "../../../kernel/text.ts";
import { type Arguments, type Fragment, type FunctionSpec, taking, takingOne } from "./coerce.ts";
import { UNITS, type Unit, unitIn } from "./parameters.ts";
import { errorAt } from "./scope.ts";
import { BIGINT, constantValue, DATE, type LocalTime, TEXT, TIMESTAMP } from "./value.ts";

function unitNamed(args: Arguments, index: number, word: string): Unit {
  const unit = unitIn(word);
  if (unit !== undefined) return unit;
  const meant = nearest(word.trim().toLowerCase(), UNITS);
  throw errorAt(args.scope, args.nodeAt(index).span, {
    message: `"${word}" is no unit of time.`,
    hint: meant === undefined ? `The units are ${UNITS.join(", ")}.` : `Did you mean ${meant}?`,
  });
}

function unitAt(args: Arguments, index: number): Unit {
  return unitNamed(args, index, args.constantText(index, "the unit"));
}

function formatAt(args: Arguments, index: number): string {
  const pattern = javaPattern(args.constantText(index, "the pattern"));
  if (pattern.ok) return quoteText(pattern.format);
  throw errorAt(args.scope, args.nodeAt(index).span, { message: pattern.problem });
}

/** Part of a date as a number. */
function part(name: string, sqlName = name): FunctionSpec {
  return takingOne(`${name}(date)`, (args) => ({ sql: `${sqlName}(${args.moment(0).sql})`, type: BIGINT }));
}

function truncate(args: Arguments): Fragment {
  const unit = unitAt(args, 1);
  const { sql } = args.moment(0);
  const truncated = `date_trunc('${unit}', ${sql})`;
  const hasClock = unit === "second" || unit === "minute" || unit === "hour";
  return hasClock ? { sql: truncated, type: TIMESTAMP } : { sql: `CAST(${truncated} AS DATE)`, type: DATE };
}

/** `date_add(d, 2, 'months')` or `date_add(d, '2m')`. */
function add(args: Arguments): Fragment {
  const { amount, unit } =
    args.count > 2 ? { amount: args.integer(1), unit: unitAt(args, 2) } : amountWithUnit(args);
  const moment = args.moment(0);
  const quarters =
    unit === "quarter" ? { amount: `(3 * ${amount})`, unit: "month" as const } : { amount, unit };
  const moved = `(${moment.sql} + to_${quarters.unit}s(${quarters.amount}))`;
  const staysDate = moment.type.kind === "date" && !["second", "minute", "hour"].includes(unit);
  return staysDate ? { sql: `CAST(${moved} AS DATE)`, type: DATE } : { sql: moved, type: TIMESTAMP };
}

function amountWithUnit(args: Arguments): { amount: string; unit: Unit } {
  const { constant } = args.value(1);
  if (constant?.kind !== "text") return { amount: args.integer(1), unit: "day" };
  const [, sign, digits, word] = /^\s*([+-]?)\s*(\d{1,9})\s*([a-z]+)\s*$/i.exec(constant.value) ?? [];
  if (digits === undefined || word === undefined) {
    throw noSpan(args, 1, "Write date_add(date, '2d') or date_add(date, 2, 'days').");
  }
  const amount = sign === "-" ? `(-${digits})` : digits;
  return { amount, unit: unitNamed(args, 1, word) };
}

function noSpan(args: Arguments, index: number, hint: string): AppError {
  const { constant } = args.value(index);
  const written = constant?.kind === "text" ? `"${constant.value}"` : "this";
  return errorAt(args.scope, args.nodeAt(index).span, { message: `${written} is no span of time.`, hint });
}

/** `7d` or `month` as an interval; a bare number is so many days. */
export function spanAt(args: Arguments, index: number): string {
  const { constant } = args.value(index);
  const text = constant?.kind === "text" ? constant.value : constant?.kind === "number" ? constant.text : "";
  const [, digits = "1", word] = /^\s*(\d{1,6})?\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (word === undefined || text.trim() === "" || Number(digits) === 0) {
    throw noSpan(args, index, `Write ${args.node.name}(number, date, 7d), with s, min, h, d, w, m, q or y.`);
  }
  const unit = word === "" ? "day" : unitNamed(args, index, word);
  return unit === "quarter" ? `to_months(${Number(digits) * 3})` : `to_${unit}s(${Number(digits)})`;
}

function delta(args: Arguments): Fragment {
  const unit = args.count > 2 ? unitAt(args, 2) : "day";
  return { sql: `date_sub('${unit}', ${args.moment(0).sql}, ${args.moment(1).sql})`, type: BIGINT };
}

function now({ scope: { environment } }: Arguments): Fragment {
  const { sql, type } = constantValue({ kind: "moment", time: environment.now, hasClock: true }, environment);
  return { sql, type };
}

export const DATE_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  now: taking([0, 0], "now()", now),
  date: takingOne("date(date)", (args) => ({ sql: `CAST(${args.moment(0).sql} AS DATE)`, type: DATE })),
  str_to_date: taking([2, 2], "str_to_date(text, pattern)", (args) => ({
    sql: `try_strptime(${args.text(0)}, ${formatAt(args, 1)})`,
    type: TIMESTAMP,
  })),
  date_format: taking([2, 2], "date_format(date, pattern)", (args) => ({
    sql: `strftime(${args.moment(0).sql}, ${formatAt(args, 1)})`,
    type: TEXT,
  })),
  date_trunc: taking([2, 2], "date_trunc(date, unit)", truncate),
  date_add: taking([2, 3], "date_add(date, amount[, unit])", add),
  date_delta: taking([2, 3], "date_delta(from, to[, unit])", delta),
  year: part("year"),
  quarter: part("quarter"),
  month: part("month"),
  week: part("week"),
  day: part("day"),
  day_of_week: part("day_of_week", "isodow"),
  hour: part("hour"),
  minute: part("minute"),
  second: part("second"),
};

/** Java's date patterns (`yyyy-MM-dd HH:mm`) as DuckDB's (`%Y-%m-%d %H:%M`). */

/** By letter, from the shortest run on: the last entry also stands for longer runs. */
const LETTERS: Readonly<Record<string, readonly string[]>> = {
  y: ["%Y", "%y", "%Y"],
  M: ["%-m", "%m", "%b", "%B"],
  d: ["%-d", "%d"],
  H: ["%-H", "%H"],
  h: ["%-I", "%I"],
  m: ["%-M", "%M"],
  s: ["%-S", "%S"],
  S: ["%g", "%g", "%g", "%f"],
  a: ["%p"],
  E: ["%a", "%a", "%a", "%A"],
  w: ["%V"],
};

/** Letters that are often written by mistake, and what is meant. */
const MEANT: Readonly<Record<string, string>> = {
  Y: "the year is yyyy",
  D: "the day of the month is dd",
  A: "AM or PM is a",
  n: "milliseconds are SSS",
  e: "the day of the week is EEE or EEEE",
};

type JavaPattern = { ok: true; format: string } | { ok: false; problem: string };

/** Letters stand for parts of the date; everything else, and what is in single quotes, for itself. */
export function javaPattern(pattern: string): JavaPattern {
  let format = "";
  for (const [run] of pattern.matchAll(/'(?:[^']|'')*'?|([A-Za-z])\1*|[^A-Za-z']+/g)) {
    const letter = run[0] as string;
    if (letter === "'") {
      format += literal(run === "''" ? "'" : run.replace(/^'|'$/g, "").replaceAll("''", "'"));
    } else if (/[A-Za-z]/.test(letter)) {
      const choices = Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined;
      if (choices === undefined) return { ok: false, problem: unknownLetter(letter, run) };
      format += choices[Math.min(run.length, choices.length) - 1] as string;
    } else {
      format += literal(run);
    }
  }
  return { ok: true, format };
}

function literal(text: string): string {
  return text.replaceAll("%", "%%");
}

function unknownLetter(letter: string, run: string): string {
  const meant = Object.hasOwn(MEANT, letter) ? MEANT[letter] : undefined;
  const known = `The letters are ${Object.keys(LETTERS).join(" ")}; other text goes in single quotes.`;
  return `"${run}" means nothing in a date pattern${meant === undefined ? "" : ` (${meant})`}. ${known}`;
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** A moment in DuckDB's pattern, for date tokens: the same as strftime would give. */
export function formatTime(format: string, time: LocalTime): string {
  const pad = (value: number, width = 2) => String(value).padStart(width, "0");
  const { year, month, day, hour, minute, second } = time;
  const monthName = MONTHS[month - 1]!;
  const dayName = DAYS[time.dayOfWeek % 7]!;
  const parts: Readonly<Record<string, () => string>> = {
    "%Y": () => pad(year, 4),
    "%y": () => pad(year % 100),
    "%-m": () => String(month),
    "%m": () => pad(month),
    "%b": () => monthName.slice(0, 3),
    "%B": () => monthName,
    "%-d": () => String(day),
    "%d": () => pad(day),
    "%-H": () => String(hour),
    "%H": () => pad(hour),
    "%-I": () => String(hour % 12 || 12),
    "%I": () => pad(hour % 12 || 12),
    "%-M": () => String(minute),
    "%M": () => pad(minute),
    "%-S": () => String(second),
    "%S": () => pad(second),
    "%g": () => pad(time.millisecond, 3),
    "%f": () => pad(time.millisecond * 1_000 + time.microsecond, 6),
    "%p": () => (hour < 12 ? "AM" : "PM"),
    "%a": () => dayName.slice(0, 3),
    "%A": () => dayName,
    "%V": () => pad(time.weekOfYear ?? 0),
    "%%": () => "%",
  };
  return format.replace(/%-?./g, (code) => parts[code]?.() ?? code);
}
