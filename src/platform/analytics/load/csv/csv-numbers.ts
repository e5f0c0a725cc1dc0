import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import { LIMITS } from "../../../files/limits.ts";
import { type CsvFile, firstValues, type Grouping, readTexts } from "./csv-file.ts";
import { someColumns } from "./csv-notes.ts";
import { decimalsOf } from "./csv-types.ts";

/**
 * Numbers whose digits stand in groups of three: 1,234.56, 1.234,56, 1 234,56, 1'234.50. What is decided here is
 * decided from the *shapes* of a column's values, of which even a large file has few: every digit is a 0, every
 * blank a plain one, and a letter in front tells whether the number begins with a zero. So 1,234.50 has the shape
 * `n0,000.00`, and -0.5 has `z-0.0`.
 */

export type DecimalMark = "." | ",";

/** How the numbers of a column are written. */
export interface Marks {
  thousands: "," | "." | " " | "'";
  decimal: DecimalMark;
}

type NumberType = "BIGINT" | `DECIMAL(38,${number})` | "DOUBLE";

/** Characters that are the same mark. */
const SPELLINGS: Readonly<Record<Marks["thousands"], string>> = {
  ",": ",",
  ".": ".",
  " ": " \u00a0\u2009\u202f",
  "'": "'\u2019",
};

const READINGS: readonly Marks[] = [
  { thousands: ",", decimal: "." },
  { thousands: ".", decimal: "," },
  { thousands: " ", decimal: "," },
  { thousands: " ", decimal: "." },
  { thousands: "'", decimal: "." },
  { thousands: "'", decimal: "," },
];

/** The shape of what is no number in any of the readings. */
export const NO_NUMBER = "x";

/** Numbers in one reading, grouped or not, for JavaScript and for DuckDB. A zero in front makes an identifier. */
function numberPattern({ thousands, decimal }: Marks): string {
  const groups = `[1-9][0-9]{0,2}(?:[${SPELLINGS[thousands]}][0-9]{3})+`;
  return `-?(?:(?:0|[1-9][0-9]*|${groups})(?:[${decimal}][0-9]+)?|[${decimal}][0-9]+)`;
}

/** Numbers in any of the readings. */
const ANY_NUMBER = READINGS.map(numberPattern).join("|");

/** What a shape says about a number, in one reading. */
interface Figure {
  /** Groups of digits before the decimal mark; 1 without separators. */
  groups: number;
  /** Before the decimal mark. */
  digits: number;
  decimals: number;
  isNegative: boolean;
  /** "1.234": what stands behind the decimal mark might be a group as well. */
  mayBeGroup: boolean;
}

const SHAPES = new Map(
  READINGS.map((marks) => {
    const { thousands, decimal } = marks;
    return [marks, new RegExp(`^([zn])(-?)(0{1,3}(?:[${thousands}]000)+|0*)(?:[${decimal}](0+))?$`)] as const;
  }),
);

function figureOf(shape: string, marks: Marks): Figure | undefined {
  const [, start, sign, whole, fraction = ""] = SHAPES.get(marks)!.exec(shape) ?? [];
  if (whole === undefined) return undefined;
  const groups = whole.split(marks.thousands).length;
  const startsWithZero = start === "z";
  if (startsWithZero && groups > 1) return undefined;
  const digits = whole.length - (groups - 1);
  const isShort = digits >= 1 && digits <= 3 && groups === 1 && !startsWithZero;
  return {
    groups,
    digits,
    decimals: fraction.length,
    isNegative: sign === "-",
    mayBeGroup: isShort && fraction.length === 3,
  };
}

/** Undefined when one of the values is no number in this reading. */
function figuresOf(shapes: readonly string[], marks: Marks): Figure[] | undefined {
  const figures = shapes.map((shape) => figureOf(shape, marks));
  return figures.every((figure) => figure !== undefined) ? figures : undefined;
}

/**
 * Telephone numbers (601 234 567), tax numbers (12 345 678 901) and addresses (192.168.100.200) have groups of
 * three as well. What tells them apart is that all are of one form, and that none is negative or has decimals.
 */
function mayBeIdentifiers(figures: readonly Figure[], { thousands }: Marks): boolean {
  const [first] = figures;
  if (first === undefined || figures.some(({ decimals, isNegative }) => decimals > 0 || isNegative))
    return false;
  const areAlike = figures.every(({ digits }) => digits === first.digits);
  if (thousands === " ") return areAlike;
  if (thousands !== ".") return false;
  const areAddresses = figures.every(({ groups }) => groups === 4);
  return areAddresses || (areAlike && first.groups > 2 && first.digits % 3 === 0);
}

/** Where groups are written with a dot or a comma, the other one is for decimals. */
function isPair({ thousands }: Marks): boolean {
  return thousands === "," || thousands === ".";
}

/** True when a value of the column shows that this mark, and no other, stands before decimals. */
function showsDecimal(figures: readonly Figure[], marks: Marks): boolean {
  return figures.some(
    ({ groups, decimals, mayBeGroup }) => (decimals > 0 && !mayBeGroup) || (isPair(marks) && groups > 2),
  );
}

/** True when the values cannot be read in another way. A blank or an apostrophe never stands before decimals. */
function isShown(figures: readonly Figure[], marks: Marks): boolean {
  if (showsDecimal(figures, marks)) return true;
  return !isPair(marks) && figures.every(({ decimals }) => decimals === 0);
}

type Verdict =
  | { kind: "numbers"; marks: Marks; type: NumberType }
  /** Numbers with separators, or decimals: nothing in the column tells. */
  | { kind: "ambiguous"; marks: Marks }
  | { kind: "other" };

/**
 * What the values of a column are, all of which have one of these shapes. `settled` is the decimal mark of the file
 * where that is known from elsewhere; `usual` decides between readings that come to the same.
 */
function judge(shapes: readonly string[], usual: DecimalMark, settled: DecimalMark | undefined): Verdict {
  const order = READINGS.toSorted((a, b) => Number(b.decimal === usual) - Number(a.decimal === usual));
  const fitting = order.flatMap((marks) => {
    const figures = figuresOf(shapes, marks);
    const isGrouped = figures?.some(({ groups }) => groups > 1) === true;
    return isGrouped && !mayBeIdentifiers(figures!, marks) ? [{ marks, figures: figures! }] : [];
  });
  const sure = fitting.find(({ marks, figures }) => isShown(figures, marks) || marks.decimal === settled);
  if (sure !== undefined) {
    const type = typeOf(sure.figures);
    return type === undefined ? { kind: "other" } : { kind: "numbers", marks: sure.marks, type };
  }
  return fitting[0] === undefined ? { kind: "other" } : { kind: "ambiguous", marks: fitting[0].marks };
}

/** Of whole numbers, so many are kept by a DOUBLE, whichever they are. */
const DOUBLE_DIGITS = 15;

/** As for numbers without separators: what has too many digits for an integer keeps them all. */
function typeOf(figures: readonly Figure[]): NumberType | undefined {
  const most = Math.max(...figures.map(({ digits }) => digits));
  const decimals = Math.max(...figures.map((figure) => figure.decimals));
  if (decimals > 0 && most <= DOUBLE_DIGITS) return "DOUBLE";
  if (decimals === 0 && most <= 18) return "BIGINT";
  return most + decimals <= 38 ? `DECIMAL(38,${decimals})` : undefined;
}

/** The decimal mark that the values of a column prove, grouped or not. */
function provenDecimal(shapes: readonly string[]): DecimalMark | undefined {
  const proving = READINGS.find((marks) => {
    const figures = figuresOf(shapes, marks);
    return figures !== undefined && !mayBeIdentifiers(figures, marks) && showsDecimal(figures, marks);
  });
  return proving?.decimal;
}

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

/** A mark that every value of a column has beside its number. */
export type Unit = "%" | "$" | "€" | "£" | "¥" | "₹";

const UNITS: readonly Unit[] = ["%", "$", "€", "£", "¥", "₹"];
const DIGITS = "[0-9.,][0-9.,' \u00a0\u202f\u2019]*";

/** For JavaScript and for DuckDB. An amount in brackets is negative. */
function pattern(unit: Unit): string {
  if (unit === "%") return `[+-]?${DIGITS}%`;
  return `[+-]?[${unit}] ?-?${DIGITS}|[+-]?${DIGITS}[${unit}]|[(][${unit}] ?${DIGITS}[)]`;
}

/** The unit that all of these values have. */
export function unitOf(values: readonly string[]): Unit | undefined {
  const [first = ""] = values;
  const unit = UNITS.find((each) => first.includes(each));
  if (unit === undefined) return undefined;
  const whole = new RegExp(`^(?:${pattern(unit)})$`);
  return values.every((value) => whole.test(value)) ? unit : undefined;
}

/** SQL for the number without its unit. What lacks the unit turns into something that is no number. */
export function withoutUnit(column: string, unit: Unit): string {
  const text = `trim(${column})`;
  const bare = `trim(replace(${text}, ${quoteText(unit)}, ''))`;
  return `CASE WHEN ${column} IS NULL THEN NULL
    WHEN NOT regexp_full_match(${text}, ${quoteText(pattern(unit))}) THEN concat('? ', ${column})
    WHEN starts_with(${text}, '(') THEN concat('-', trim(trim(${bare}, '()')))
    ELSE ${bare} END`;
}

/** A value as it stands in the file and as it is read, to show what became of the unit. */
export function exampleOf(unit: Unit): string {
  return unit === "%" ? "12% is 12" : `${unit}12 is 12`;
}
