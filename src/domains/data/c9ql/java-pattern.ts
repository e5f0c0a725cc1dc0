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
export function formatTime(format: string, ms: number, micros: number): string {
  const date = new Date(ms);
  const pad = (value: number, width = 2) => String(value).padStart(width, "0");
  const hour = date.getUTCHours();
  const parts: Readonly<Record<string, () => string>> = {
    "%Y": () => pad(date.getUTCFullYear(), 4),
    "%y": () => pad(date.getUTCFullYear() % 100),
    "%-m": () => String(date.getUTCMonth() + 1),
    "%m": () => pad(date.getUTCMonth() + 1),
    "%b": () => (MONTHS[date.getUTCMonth()] as string).slice(0, 3),
    "%B": () => MONTHS[date.getUTCMonth()] as string,
    "%-d": () => String(date.getUTCDate()),
    "%d": () => pad(date.getUTCDate()),
    "%-H": () => String(hour),
    "%H": () => pad(hour),
    "%-I": () => String(hour % 12 || 12),
    "%I": () => pad(hour % 12 || 12),
    "%-M": () => String(date.getUTCMinutes()),
    "%M": () => pad(date.getUTCMinutes()),
    "%-S": () => String(date.getUTCSeconds()),
    "%S": () => pad(date.getUTCSeconds()),
    "%g": () => pad(date.getUTCMilliseconds(), 3),
    "%f": () => pad(date.getUTCMilliseconds() * 1_000 + micros, 6),
    "%p": () => (hour < 12 ? "AM" : "PM"),
    "%a": () => (DAYS[date.getUTCDay()] as string).slice(0, 3),
    "%A": () => DAYS[date.getUTCDay()] as string,
    "%V": () => pad(isoWeek(date)),
    "%%": () => "%",
  };
  return format.replace(/%-?./g, (code) => parts[code]?.() ?? code);
}

/** A week belongs to the year that its Thursday lies in. */
function isoWeek(date: Date): number {
  const thursday = new Date(date);
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  const daysBefore = Math.floor(
    (thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 86_400_000,
  );
  return Math.floor(daysBefore / 7) + 1;
}
