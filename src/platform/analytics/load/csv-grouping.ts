import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../../files/limits.ts";
import { type CsvFile, firstValues, type Grouping, readTexts } from "./csv-file.ts";
import {
  ANY_NUMBER,
  DOUBLE_DIGITS,
  judge,
  type Marks,
  NO_NUMBER,
  numberPattern,
  provenDecimal,
  SPELLINGS,
} from "./csv-thousands.ts";
import { decimalsOf } from "./csv-values.ts";
import { someColumns } from "./rounded-notes.ts";

/** The shapes of the values of columns (`csv-thousands.ts`), by position. */
export type Shapes = ReadonlyMap<number, readonly string[]>;

/** Longer ones are no numbers to us, so that there are not too many shapes. */
const NUMBER_CHARACTERS = 60;

const NUMBER = new RegExp(`^(?:${ANY_NUMBER})$`);

/** Columns of text that begin with nothing but numbers, with or without separators. */
export function findCandidates(head: string, file: CsvFile, given: ReadonlySet<number>): number[] {
  const left = new Set(
    file.columns.flatMap(({ type }, index) => (type === "VARCHAR" && !given.has(index) ? [index] : [])),
  );
  for (const { index, value } of firstValues(head, file, left))
    if (!file.units.has(index) && !NUMBER.test(value)) left.delete(index);
  return [...left];
}

/** The shapes of all values of these columns, or of the values in the first rows. */
export async function shapesOf(
  connection: DuckDBConnection,
  file: CsvFile,
  indexes: readonly number[],
  rows: number | undefined,
): Promise<Map<number, readonly string[]>> {
  if (indexes.length === 0) return new Map();
  const names = indexes.map((index) => quoteName(file.columns[index]!.name));
  const limit = rows === undefined ? "" : ` LIMIT ${rows}`;
  const reader = await connection.runAndReadAll(
    `SELECT ${names.map((column) => `list(DISTINCT ${shapeSql(column)})`).join(", ")}
     FROM (SELECT ${names.join(", ")} FROM ${readTexts(file)}${limit})`,
  );
  const [found = []] = reader.getRowsJS();
  return new Map(
    indexes.map((index, place) => {
      const shapes = (found[place] ?? []) as (string | null)[];
      return [index, shapes.filter((shape) => shape !== null)];
    }),
  );
}

function shapeSql(column: string): string {
  const blanks = SPELLINGS[" "].slice(1);
  const [apostrophe, ...others] = SPELLINGS["'"];
  const from = `123456789${blanks}${others.join("")}`;
  const to = `000000000${" ".repeat(blanks.length)}${apostrophe!.repeat(others.length)}`;
  const start = `CASE WHEN starts_with(ltrim(${column}, ' -'), '0') THEN 'z' ELSE 'n' END`;
  const digits = `translate(trim(${column}), ${quoteText(from)}, ${quoteText(to)})`;
  return `CASE WHEN ${column} IS NULL THEN NULL
    WHEN ${isGroupedNumber(column)} THEN concat(${start}, ${digits}) ELSE ${quoteText(NO_NUMBER)} END`;
}

/** Whether a text is a number, with separators or without. */
function isGroupedNumber(column: string): string {
  const pattern = quoteText(ANY_NUMBER);
  return `(length(${column}) <= ${NUMBER_CHARACTERS} AND regexp_full_match(trim(${column}), ${pattern}))`;
}

/** SQL for a value of a column with separators: whether it is of that kind, and the number without them. */
export function groupedNumber(
  column: string,
  marks: Marks,
  type: string,
): { isNumber: string; number: string } {
  const { thousands, decimal } = marks;
  const pattern = quoteText(numberPattern(marks));
  const isNumber = `regexp_full_match(trim(${column}), ${pattern})`;
  const number = `translate(trim(${column}), ${quoteText(`${decimal}${SPELLINGS[thousands]}`)}, '.')`;
  // A cast would round what has too many digits, or decimals.
  const decimals = `strlen(split_part(trim(${column}), ${quoteText(decimal)}, 2))`;
  const isExact =
    type === "DOUBLE"
      ? `NOT regexp_matches(${number}, '^-?[0-9]{${DOUBLE_DIGITS + 1}}')`
      : `${decimals} <= ${decimalsOf(type)}`;
  return { isNumber: `(${isNumber} AND ${isExact})`, number };
}

/** The decimal mark of a file, when columns prove one and none proves the other. */
export function settleDecimal(shapes: Shapes): Grouping["settled"] {
  const proofs = [...shapes].flatMap(([index, found]) => {
    // Of what DuckDB takes for decimals, some need not be ours: 1e5, NaN.
    const decimal = provenDecimal(found.filter((shape) => shape !== NO_NUMBER));
    return decimal === undefined ? [] : [{ index, decimal }];
  });
  const [first] = proofs;
  if (first === undefined || proofs.some(({ decimal }) => decimal !== first.decimal)) return undefined;
  return { decimal: first.decimal, witnesses: proofs.map(({ index }) => index) };
}

/** Makes numbers of the columns of text whose shapes allow one reading only. */
export function group(file: CsvFile, shapes: Shapes, settled: Grouping["settled"]): CsvFile {
  const grouped = new Map<number, Marks>();
  const ambiguous = new Map<number, Marks>();
  const columns = file.columns.map((column, index) => {
    const found = shapes.get(index);
    if (found === undefined || column.type !== "VARCHAR") return column;
    const verdict = judge(found, file.decimal, settled?.decimal);
    if (verdict.kind === "ambiguous") ambiguous.set(index, verdict.marks);
    if (verdict.kind === "other" && hasOwnComma(file, found)) {
      grouped.set(index, COMMA);
      return { ...column, type: "DOUBLE" };
    }
    if (verdict.kind !== "numbers") return column;
    grouped.set(index, verdict.marks);
    return { ...column, type: verdict.type };
  });
  return { ...file, columns, grouping: { grouped, ambiguous, settled } };
}

const COMMA: Marks = { thousands: ".", decimal: "," };

/** Decimal commas in a file with decimal points, where the comma does not stand between fields. */
function hasOwnComma({ delimiter, decimal }: CsvFile, shapes: readonly string[]): boolean {
  return decimal === "." && delimiter !== "," && provenDecimal(shapes) === ",";
}

/** What a reader should know about columns that can be read in two ways. */
export function notesOn({ columns, decimal, grouping }: CsvFile): string[] {
  const commas = [...grouping.grouped].filter(([, marks]) => marks.decimal !== decimal);
  const names = someColumns(commas.map(([index]) => columns[index]!.name));
  const mark = commas[0]?.[1].decimal === "," ? "comma" : "point";
  const other = `Numbers in ${names} were read with a decimal ${mark}, other than in the rest of the file.`;
  const notes = [...grouping.ambiguous].map(
    ([index, marks]) =>
      `Column "${columns[index]!.name}" stays text: it looks like numbers with thousands separators, but they may be decimals. options.decimal "${marks.decimal}" makes numbers of it.`,
  );
  return [...(commas.length === 0 ? [] : [other]), ...notes].slice(0, LIMITS.files.notes);
}

/** How numbers are grouped, for the whole file where it is one way. */
export function thousandsOf({ columns, decimal, grouping }: CsvFile): string | GroupedColumn[] | undefined {
  const found = [...grouping.grouped].map(([index, marks]) => ({ column: columns[index]!.name, ...marks }));
  const [first] = found;
  if (first === undefined) return undefined;
  const isOne = found.every((each) => each.thousands === first.thousands && each.decimal === decimal);
  return isOne ? first.thousands : found;
}

interface GroupedColumn extends Marks {
  column: string;
}
