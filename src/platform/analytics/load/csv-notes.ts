import type { Renamed } from "./csv-dialect.ts";
import type { CsvFile } from "./csv-file.ts";
import { exampleOf } from "./csv-units.ts";
import { someColumns } from "./rounded-notes.ts";

const SHOWN = 5;
const SHOWN_CHARACTERS = 80;

/** What stands above the table is no part of it, but may tell what it is about. */
export function aboveNotes(lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines
    .slice(0, 3)
    .map((line) => JSON.stringify(line.slice(0, SHOWN_CHARACTERS).toWellFormed()));
  const what =
    lines.length === 1 ? "A line above the table was" : `${lines.length} lines above the table were`;
  return [
    `${what} left out: ${shown.join(", ")}${lines.length > shown.length ? " …" : ""}. To read from another line, say options.skip_lines.`,
  ];
}

/** Of a file of one column: what stands in its values and does not cut them. */
export function wholeNotes(left: string | undefined): string[] {
  if (left === undefined) return [];
  const sign = JSON.stringify(left);
  return [
    `The file was read as one column, with ${sign} as part of its values. If it stands between columns, say so in options.delimiter.`,
  ];
}

/** Of quotes that a program may have escaped in a way that this file's rows do not show. */
export function backslashNotes(records: readonly (readonly string[])[]): string[] {
  const found = records.flat().find((value) => value.includes('\\"'));
  if (found === undefined) return [];
  const shown = JSON.stringify(found.slice(0, SHOWN_CHARACTERS).toWellFormed());
  return [
    `Values with a backslash before a quote, such as ${shown}, were taken as they stand. If they are cut at the wrong places, say options.delimiter or options.quote.`,
  ];
}

/** Columns that could not keep their name because another has it. */
export function renamedNotes(renamed: readonly Renamed[]): string[] {
  const taken = renamed.filter(({ from, to }) => from !== "" && from !== to);
  if (taken.length === 0) return [];
  const shown = taken.slice(0, SHOWN).map(({ from, to }) => `"${from}" is "${to}"`);
  const more = taken.length > shown.length ? ` and ${taken.length - shown.length} more` : "";
  return [`Names that come again were changed: ${shown.join(", ")}${more}.`];
}

/** What a reader should know about rows and columns that were not as the header has them. */
export function shapeNotes(
  { dropped, columns, header }: CsvFile,
  { shortRows, extra }: { shortRows: number; extra: number },
): string[] {
  const left = columns.length - dropped.size;
  const unnamed = extra - dropped.size;

  return [
    ...(unnamed <= 0
      ? []
      : [
          `The rows have ${left} fields, but the header has ${left - unnamed === 1 ? "one name" : `${left - unnamed} names`}: ${unnamed === 1 ? "the column at the end has" : "the columns at the end have"} none.`,
        ]),
    ...(shortRows === 0
      ? []
      : [
          `${shortRows.toLocaleString("en")} rows have fewer than ${columns.length} fields; the missing ones have no value.`,
        ]),
    ...(dropped.size === 0
      ? []
      : [
          `${dropped.size === 1 ? "A column" : `${dropped.size} columns`} after the first ${left} had ${header ? "no name and no value" : "no value"} and ${dropped.size === 1 ? "was" : "were"} left out.`,
        ]),
  ];
}

const NUMBER_TYPE = /^(?:BIGINT|DOUBLE|DECIMAL)/;

/** What a reader should know about values that were not taken as they stand in the file. */
export function valueNotes({ columns, words, units, pluses }: CsvFile): string[] {
  const told = (word: string): string => (word === "" ? "A blank" : JSON.stringify(word));
  const byWords = Map.groupBy(words, ([, found]) => found.map(told).join(", "));
  const byUnit = Map.groupBy(units, ([, unit]) => unit);
  const names = (members: readonly (readonly [number, unknown])[]): string =>
    someColumns(members.map(([index]) => columns[index]!.name));
  const signed = [...pluses].flatMap((index) =>
    NUMBER_TYPE.test(columns[index]!.type) ? [[index, undefined] as const] : [],
  );
  return [
    ...(signed.length === 0
      ? []
      : [
          `Numbers in ${names(signed)} had a plus in front, which is left out. To keep it, give the column the type VARCHAR in options.types.`,
        ]),
    ...[...byWords].map(
      ([found, members]) =>
        `${found} was read as no value in ${names(members)}. To keep it, give the column the type VARCHAR in options.types.`,
    ),
    ...[...byUnit].map(
      ([unit, members]) =>
        `Numbers in ${names(members)} are in ${unit}, which is left out: ${exampleOf(unit)}.`,
    ),
  ];
}
