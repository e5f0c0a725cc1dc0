/** What a number in a cell stands for, by the format in which it is shown. */
export type CellFormat = "number" | "date" | "datetime" | "time" | "duration";

/** Formats that Excel knows by number and does not write into the file. */
function builtIn(id: number): CellFormat {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 34 && id <= 36) || (id >= 50 && id <= 58))
    return "date";
  if ((id >= 18 && id <= 21) || id === 32 || id === 33 || id === 45 || id === 47) return "time";
  if (id === 22) return "datetime";
  return id === 46 ? "duration" : "number";
}

/** What has nothing to say: texts in quotes, escaped and padding characters, colours, conditions, languages. */
const SILENT = /"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi;

/** Excel's own limit is 255. */
const LONGEST_CODE = 1_000;

/** `code` is a format as a user writes it: `dd/mm/yyyy hh:mm`, `[h]:mm`, `0.00%`. */
export function cellFormat(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return builtIn(id);
  const [positive = ""] = code.slice(0, LONGEST_CODE).replace(SILENT, "").split(";");
  const signs = positive.toLowerCase();
  if (/\[[hms]+\]/.test(signs)) return "duration";
  if (signs.includes("general") || /[0#?]/.test(signs.replace(/[.,]0+/g, ""))) return "number";
  const hasTime = /[hs]/.test(signs) || signs.includes("am/pm");
  const hasDay = /[yd]/.test(signs) || (!hasTime && signs.includes("m"));
  if (hasTime) return hasDay ? "datetime" : "time";
  return hasDay ? "date" : "number";
}
