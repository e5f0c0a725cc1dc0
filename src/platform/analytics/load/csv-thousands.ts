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

export type NumberType = "BIGINT" | `DECIMAL(38,${number})` | "DOUBLE";

/** Characters that are the same mark. */
export const SPELLINGS: Readonly<Record<Marks["thousands"], string>> = {
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
export function numberPattern({ thousands, decimal }: Marks): string {
  const groups = `[1-9][0-9]{0,2}(?:[${SPELLINGS[thousands]}][0-9]{3})+`;
  return `-?(?:(?:0|[1-9][0-9]*|${groups})(?:[${decimal}][0-9]+)?|[${decimal}][0-9]+)`;
}

/** Numbers in any of the readings. */
export const ANY_NUMBER = READINGS.map(numberPattern).join("|");

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

export type Verdict =
  | { kind: "numbers"; marks: Marks; type: NumberType }
  /** Numbers with separators, or decimals: nothing in the column tells. */
  | { kind: "ambiguous"; marks: Marks }
  | { kind: "other" };

/**
 * What the values of a column are, all of which have one of these shapes. `settled` is the decimal mark of the file
 * where that is known from elsewhere; `usual` decides between readings that come to the same.
 */
export function judge(
  shapes: readonly string[],
  usual: DecimalMark,
  settled: DecimalMark | undefined,
): Verdict {
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
export const DOUBLE_DIGITS = 15;

/** As for numbers without separators: what has too many digits for an integer keeps them all. */
function typeOf(figures: readonly Figure[]): NumberType | undefined {
  const most = Math.max(...figures.map(({ digits }) => digits));
  const decimals = Math.max(...figures.map((figure) => figure.decimals));
  if (decimals > 0 && most <= DOUBLE_DIGITS) return "DOUBLE";
  if (decimals === 0 && most <= 18) return "BIGINT";
  return most + decimals <= 38 ? `DECIMAL(38,${decimals})` : undefined;
}

/** The decimal mark that the values of a column prove, grouped or not. */
export function provenDecimal(shapes: readonly string[]): DecimalMark | undefined {
  const proving = READINGS.find((marks) => {
    const figures = figuresOf(shapes, marks);
    return figures !== undefined && !mayBeIdentifiers(figures, marks) && showsDecimal(figures, marks);
  });
  return proving?.decimal;
}
