import type { LocalTime } from "./local-time.ts";

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

export type JavaPattern = { ok: true; format: string } | { ok: false; problem: string };

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
