import type { CsvFile } from "./csv-file.ts";
import { exampleOf } from "./csv-units.ts";

/** What a reader should know about rows and columns that were not as the header has them. */
export function shapeNotes({ dropped, columns, header }: CsvFile, shortRows: number): string[] {
  const left = columns.length - dropped.size;

  return [
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

/** What a reader should know about values that were not taken as they stand in the file. */
export function valueNotes({ columns, words, units }: CsvFile): string[] {
  const told = (word: string): string => (word === "" ? "A blank" : JSON.stringify(word));
  const byWords = Map.groupBy(words, ([, found]) => found.map(told).join(", "));
  const byUnit = Map.groupBy(units, ([, unit]) => unit);
  const names = (members: readonly (readonly [number, unknown])[]): string => {
    const shown = members.slice(0, 5).map(([index]) => `"${columns[index]!.name}"`);
    return members.length > shown.length
      ? `${shown.join(", ")} and ${members.length - shown.length} more`
      : shown.join(", ");
  };
  return [
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
