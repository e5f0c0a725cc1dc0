import { AppError } from "../../kernel/errors.ts";

/** Magic numbers: what the first bytes of a file say for sure. */
export type Magic = "zip" | "parquet" | "gzip";

interface Signature {
  bytes: string;
  is: Magic | { name: string; hint: string };
  /** It is made of letters, so a text may begin with it: a column called PARENT, or ORCID. */
  couldBeText?: true;
}

const UNPACK = "Unpack it first.";
const SAVE_AS_XLSX = "Open it in a spreadsheet program and save it as .xlsx or .csv.";
const EXPORT = "Export it as CSV, JSON, XML, Excel (.xlsx) or Parquet.";

const SIGNATURES: readonly Signature[] = [
  { bytes: "504b0304", is: "zip" },
  { bytes: "50415231", is: "parquet", couldBeText: true },
  { bytes: "1f8b", is: "gzip" },
  { bytes: "504b0506", is: { name: "an empty zip archive", hint: EXPORT } },
  {
    bytes: "d0cf11e0a1b11ae1",
    is: { name: "an Excel file in the old .xls format, or one with a password", hint: SAVE_AS_XLSX },
  },
  {
    bytes: "50415245",
    is: { name: "an encrypted Parquet file", hint: "Write it without encryption." },
    couldBeText: true,
  },
  { bytes: "fffe0000", is: { name: "a text in UTF-32", hint: "Save it as UTF-8." } },
  { bytes: "0000feff", is: { name: "a text in UTF-32", hint: "Save it as UTF-8." } },
  { bytes: "25504446", is: { name: "a PDF document", hint: EXPORT } },
  { bytes: "53514c69746520666f726d6174203300", is: { name: "an SQLite database", hint: EXPORT } },
  { bytes: "4152524f5731", is: { name: "an Arrow file", hint: "Write it as Parquet." }, couldBeText: true },
  { bytes: "4f626a01", is: { name: "an Avro file", hint: "Write it as Parquet." } },
  { bytes: "4f5243", is: { name: "an ORC file", hint: "Write it as Parquet." }, couldBeText: true },
  { bytes: "28b52ffd", is: { name: "compressed with zstd", hint: UNPACK } },
  { bytes: "425a68", is: { name: "compressed with bzip2", hint: UNPACK }, couldBeText: true },
  { bytes: "fd377a585a00", is: { name: "compressed with xz", hint: UNPACK } },
  { bytes: "377abcaf271c", is: { name: "a 7z archive", hint: UNPACK } },
  { bytes: "526172211a07", is: { name: "a RAR archive", hint: UNPACK } },
  { bytes: "89504e470d0a1a0a", is: { name: "a PNG image", hint: EXPORT } },
  { bytes: "ffd8ff", is: { name: "a JPEG image", hint: EXPORT } },
  { bytes: "474946383", is: { name: "a GIF image", hint: EXPORT }, couldBeText: true },
];

/** Magic number of a known kind of file, importable or not, which cannot be a text. */
export function hasSignature(head: Uint8Array): boolean {
  const found = signatureOf(head);
  if (found === undefined) return false;
  // Two or three bytes are something by chance too often; gzip has a third one that is always the same.
  const isCertain = found.bytes.length >= 8 || (found.is === "gzip" && head[2] === 8);
  return isCertain || head.length >= 64;
}

function signatureOf(head: Uint8Array): Signature | undefined {
  const hex = Buffer.from(head.subarray(0, 16)).toString("hex");
  const found = SIGNATURES.find(({ bytes }) => hex.startsWith(bytes));
  return found === undefined || (found.couldBeText && isPlainText(head)) ? undefined : found;
}

/** Undefined for what begins with no known signature. Throws for what is known and cannot be imported. */
export function magicOf(head: Uint8Array): Magic | undefined {
  const found = signatureOf(head);
  if (found === undefined) return undefined;
  if (typeof found.is === "string") return found.is;
  throw new AppError("unsupported", `The file is ${found.is.name}, which cannot be imported.`, {
    hint: found.is.hint,
  });
}

/** Text has hardly any control characters besides tabs and ends of lines, in whatever encoding of bytes. */
export function isPlainText(head: Uint8Array): boolean {
  let controls = 0;
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) controls += 1;
  // A short text may have one that slipped in.
  return controls <= Math.max(1, head.length / 100);
}
