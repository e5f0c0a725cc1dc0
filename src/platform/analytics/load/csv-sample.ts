import { type FileHandle, open, writeFile } from "node:fs/promises";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import { readHead } from "./text-encoding.ts";

/** The beginning of the file, once as text and once as a file that ends with a line. */
export interface Sample {
  text: string;
  path: string;
}

const PIECE_BYTES = 1024 * 1024;
/** How far the end of a giant row is looked for. */
const PIECES = 64;

/** The beginning of a file up to the end of a line, so that one giant row further down is not in the way. */
export async function takeSample(path: string, samplePath: string): Promise<Sample> {
  const { bytes, fileBytes } = await readHead(path, LIMITS.analytics.rowBytes);
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") throw new AppError("bad_request", "The file is empty.");
  if (bytes.length === fileBytes) return { text, path };
  const end = lastLineEnd(bytes);
  if (end === -1) throw rowTooLong();
  const isGiant = bytes.length - end > bytes.length / 2;
  if (!isGiant) {
    await writeFile(samplePath, bytes.subarray(0, end + 1));
    return { text, path: samplePath };
  }
  // Such a row will be rejected. What stands above it may be the header alone, and tell nothing of the values.
  const rest = await linesAfter(path, bytes.length);
  const sample = Buffer.concat([bytes.subarray(0, end + 1), rest]);
  await writeFile(samplePath, sample);
  return { text: new TextDecoder().decode(sample), path: samplePath };
}

function lastLineEnd(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf("\n"), bytes.lastIndexOf("\r"));
}

/** Whole lines, as far as there are any, that follow the line at this position. */
async function linesAfter(path: string, start: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    for (let piece = 0; piece < PIECES; piece += 1) {
      const at = start + piece * PIECE_BYTES;
      const found = (await read(file, at)).indexOf("\n");
      if (found === -1) continue;
      const lines = await read(file, at + found + 1);
      return lines.subarray(0, lastLineEnd(lines) + 1);
    }
    return Buffer.alloc(0);
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, position);
  return buffer.subarray(0, bytesRead);
}

function rowTooLong(): AppError {
  const most = LIMITS.analytics.rowBytes.toLocaleString("en");
  return new AppError("too_large", `The first row is longer than ${most} bytes.`, {
    hint: "Check that the file is CSV.",
  });
}
