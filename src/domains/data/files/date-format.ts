import { AppError } from "../../../kernel/errors.ts";
import { excerptOf } from "../../../platform/files/index.ts";

/** Letters for parts of a date, as most programs have them; months are large and minutes small. */
const LETTERS: readonly [RegExp, string][] = [
  [/^(?:yyyy|YYYY)/, "%Y"],
  [/^(?:yy|YY)/, "%y"],
  [/^MMMM/, "%B"],
  [/^MMM/, "%b"],
  [/^MM?/, "%m"],
  [/^(?:dd?|DD?)/, "%d"],
  [/^HH?/, "%H"],
  [/^hh?/, "%I"],
  [/^mm?/, "%M"],
  [/^(?:ss?|SS)/, "%S"],
  [/^(?:tt|[aA])/, "%p"],
];

/** A date format as people write it, `DD/MM/YYYY` or `%d/%m/%Y`, in the second form. */
export function dateFormatOf(text: string): string {
  if (text.includes("%")) return text;
  let format = "";
  for (let rest = text; rest !== ""; ) {
    const [found, sign] = LETTERS.map(([letters, each]) => [letters.exec(rest)?.[0], each] as const).find(
      ([letters]) => letters !== undefined,
    ) ?? [undefined, rest[0]!];
    if (found === undefined && /[A-Za-z]/.test(sign) && sign !== "T") throw unknownFormat(text);
    format += sign;
    rest = rest.slice(found?.length ?? 1);
  }
  if (!format.includes("%")) throw unknownFormat(text);
  return format;
}

function unknownFormat(text: string): AppError {
  return new AppError("bad_request", `The date format "${excerptOf(text)}" is not known.`, {
    hint: 'Write it like "DD/MM/YYYY", "MM/DD/YYYY HH:mm" or, as in strptime, "%d/%m/%Y".',
  });
}
