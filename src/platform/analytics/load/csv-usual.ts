import type { ConvertOptions, Detected } from "../analytics-options.ts";
import { BLANKS_BECOME, splitByBlanks, writeBlanksAsTabs } from "./csv-blanks.ts";
import type { Quoting } from "./csv-dialect.ts";
import { otherQuoting, writeUsual } from "./csv-quoting.ts";
import { type Sample, takeSample } from "./csv-sample.ts";

/** Quotes and delimiters of a file that are not the usual ones. */
interface Found {
  /** How the file is to be read that was written again. */
  read: Pick<ConvertOptions, "delimiter" | "quote">;
  /** How it was written. */
  written: Partial<Pick<Detected, "delimiter" | "quote" | "escape">>;
  notes: readonly string[];
}

export interface UsualFile {
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
