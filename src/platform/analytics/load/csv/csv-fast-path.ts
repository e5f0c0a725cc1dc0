import type { ConvertOptions, Detected } from "../../analytics-options.ts";
import { LIMITS } from "../../limits.ts";
import { detectDelimiter, otherQuoting, type Quoting, rewrite, writeUsual } from "./csv-dialect.ts";
import { type Sample, takeSample } from "./csv-survey.ts";

/** Quotes and delimiters of a file that are not the usual ones. */
interface Found {
  /** How the file is to be read that was written again. */
  read: Pick<ConvertOptions, "delimiter" | "quote">;
  /** How it was written. */
  written: Partial<Pick<Detected, "delimiter" | "quote" | "escape">>;
  notes: readonly string[];
}

interface UsualFile {
  path: string;
  sample: Sample;
  found: Found;
}

const NOTHING: Found = { read: {}, written: {}, notes: [] };

/** The file itself, or, where it has quotes, escapes or delimiters of another kind, one that has the usual ones. */
export async function withUsualDialect(
  path: string,
  paths: { usual: string; sample: string },
  { quote, delimiter }: ConvertOptions,
  signal: AbortSignal,
): Promise<UsualFile> {
  const sample = await takeSample(path, paths.sample);
  const as = async (found: Found): Promise<UsualFile> => ({
    path: paths.usual,
    sample: await takeSample(paths.usual, paths.sample),
    found,
  });
  if (quote !== undefined) return { path, sample, found: NOTHING };
  const isCut = sample.path !== path;
  const quoting = otherQuoting(sample.text, isCut, delimiter);
  if (quoting !== undefined) {
    await writeUsual(path, paths.usual, quoting, signal);
    const read = { delimiter: quoting.delimiter, quote: '"' };
    return as({ read, written: quoting, notes: quotingNotes(quoting) });
  }
  const split = delimiter === undefined ? splitByBlanks(sample.text, isCut) : undefined;
  if (split === "uneven") return { path, sample, found: { ...NOTHING, notes: [UNEVEN] } };
  if (split === undefined) return { path, sample, found: NOTHING };
  await writeBlanksAsTabs(path, paths.usual, signal);
  return as({ read: { delimiter: BLANKS_BECOME }, written: { delimiter: " " }, notes: [SPLIT] });
}

const UNEVEN =
  "The rows hold numbers with blanks between them, but nothing tells whether these are columns: each row was read as one value.";
const SPLIT = "The columns were told apart by the blanks between them.";

function quotingNotes({ quote, escape: sign }: Quoting): string[] {
  const keep = `To keep it as a part of values, say options.quote as """.`;
  return [
    ...(quote === "'"
      ? [
          `A single quote was read as the quote around values: only so do the rows have as many fields. ${keep}`,
        ]
      : []),
    ...(sign === "\\"
      ? [
          `A backslash was read as an escape, which takes a quote, a delimiter or a line end into the value: only so do the rows have as many fields. ${keep}`,
        ]
      : []),
  ];
}

/** Between fields that stand apart by one blank or more, once they are written again. */
const BLANKS_BECOME = "\t";

/** With blanks between the fields. */
async function writeBlanksAsTabs(input: string, output: string, signal: AbortSignal): Promise<void> {
  await rewrite(input, output, signal, (text, at, isEnd) => {
    const line = /[^\r\n]*/y;
    line.lastIndex = at;
    const [content] = line.exec(text)!;
    const stop = at + content.length;
    const isWhole = isEnd || stop + 1 < text.length;
    if (!isWhole && text.length - at <= LIMITS.analytics.rowBytes) return undefined;
    const end = Math.min(text.length, stop + (text.startsWith("\r\n", stop) ? 2 : 1));
    return { end, written: `${partsOf(content).join(BLANKS_BECOME)}\n` };
  });
}

function partsOf(line: string): string[] {
  return line.match(/"(?:[^"]|"")*"(?= |$)|[^ ]+/g) ?? [];
}

/** Without zeros in front, which telephone numbers and dates have. */
const NUMBER = /^[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const IN_GROUPS = /^[-+]?\d{1,3}(?: \d{3})+(?:[.,]\d+)?$/;
const LEAST_LINES = 3;
const SAMPLE_LINES = 20_000;
const NUMBER_COLUMNS = 2;
const MOST = 0.8;

/**
 * Whether blanks stand between the fields of a file that has no other delimiter: every row has as many, two columns hold
 * numbers, and something tells them from one number in several groups: names above, a decimal point, or wide gaps. Uneven
 * where the rows are numbers and that does not hold.
 */
function splitByBlanks(text: string, isCut: boolean): "columns" | "uneven" | undefined {
  if (detectDelimiter(text, '"') !== undefined) return undefined;
  const lines = text
    .split(/\r\n|\r|\n/)
    .slice(0, isCut ? -1 : undefined)
    .filter((line) => line.trim() !== "")
    .slice(0, SAMPLE_LINES);
  const [head, ...below] = lines.map(partsOf);
  if (head === undefined || lines.length < LEAST_LINES) return undefined;
  const isNumber = (part: string): boolean => NUMBER.test(part);
  const areNumbers = below.filter((parts) => parts.length > 1 && parts.every(isNumber)).length;
  const mayBe =
    areNumbers >= below.length * MOST && !lines.slice(1).every((line) => IN_GROUPS.test(line.trim()));
  const width = below[0]!.length;
  const areEven = width > 1 && below.every(({ length }) => length === width);
  const hasRowNames = head.length === width - 1 && head.every((name) => name.startsWith('"'));
  if (!areEven || (head.length !== width && !hasRowNames)) return mayBe ? "uneven" : undefined;
  const columns = below[0]!.map((_, index) => below.map((parts) => parts[index]!));
  const numbers = columns.filter((values) =>
    values.every((value) => isNumber(value) || value === "NA"),
  ).length;
  const isTold =
    !head.some(isNumber) ||
    below.some((parts) => parts.some((part) => /\d\.\d/.test(part))) ||
    / {2}/.test(lines[1]!.trim());
  if (numbers >= NUMBER_COLUMNS && isTold && !lines.every((line) => IN_GROUPS.test(line.trim())))
    return "columns";
  return mayBe ? "uneven" : undefined;
}
