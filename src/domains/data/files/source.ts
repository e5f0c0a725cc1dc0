import { createWriteStream } from "node:fs";
import { open, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { GuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import { decodeBase64, type InlineBytes, looksLikeBase64 } from "./base64.ts";
import { emptyFile, parseFileType } from "./detect-format.ts";
import { megabytes } from "./excerpts.ts";
import type { FileSource } from "./file-import.ts";

export interface SourceTools {
  fetch: Pick<GuardedFetch, "download">;
  /** What is read is written here. */
  folder: string;
  fileType?: string | undefined;
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((fraction: number | undefined) => void) | undefined;
}

export interface SourceFile {
  path: string;
  /** False for a file of the operator's, which stays as it is. */
  isOurs: boolean;
  bytes: number;
  fileName?: string;
  contentType?: string;
}

/** Puts what a caller sent, or has us fetch, into a file. */
export async function readSource(source: FileSource, tools: SourceTools): Promise<SourceFile> {
  const { content, fileUrl, path } = source;
  const given = [content, fileUrl, path].filter((each) => each !== undefined && each !== "");
  if (given.length > 1) {
    throw new AppError("bad_request", "Both content and fileUrl were given.", { hint: "Give one of them." });
  }
  if (given.length === 0) {
    if (content === "") throw emptyFile();
    throw new AppError("bad_request", "There is no file.", { hint: "Give content or fileUrl." });
  }
  if (path) return localFile(path);
  const file = content ? await writeContent(content, source, tools) : await download(fileUrl!, tools);
  if (file.bytes === 0) throw emptyFile();
  return { ...file, ...(source.fileName !== undefined && { fileName: source.fileName }) };
}

async function localFile(path: string): Promise<SourceFile> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new AppError("not_found", `${path} cannot be read (${error.code}).`, { cause: error });
  });
  if (!info.isFile()) throw new AppError("bad_request", `${path} is not a file.`);
  if (info.size === 0) throw emptyFile();
  return { path, isOurs: false, bytes: info.size, fileName: basename(path) };
}

async function writeContent(content: string, source: FileSource, tools: SourceTools): Promise<SourceFile> {
  const { bytes, contentType } = contentBytes(content, source, tools);
  const maxBytes = tools.maxBytes ?? LIMITS.files.sourceBytes;
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  const path = join(tools.folder, "source");
  await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
  return { path, isOurs: true, bytes: bytes.length, ...(contentType !== undefined && { contentType }) };
}

function contentBytes(
  content: string,
  { contentEncoding }: FileSource,
  { fileType }: SourceTools,
): InlineBytes {
  if (contentEncoding === "base64") return decodeBase64(content);
  if (contentEncoding === "text") return { bytes: Buffer.from(content) };
  const declared = parseFileType(fileType);
  // These have no other way into a text; whether they are what they are said to be is seen later.
  if (declared === "excel" || declared === "parquet") return decodeBase64(content);
  return looksLikeBase64(content) ? decodeBase64(content) : { bytes: Buffer.from(content) };
}

async function download(url: string, tools: SourceTools): Promise<SourceFile> {
  const { folder, signal, onProgress } = tools;
  const maxBytes = tools.maxBytes ?? LIMITS.files.sourceBytes;
  const answer = await tools.fetch.download(url, {
    maxBytes,
    totalMs: LIMITS.files.downloadMs,
    ...(signal && { signal }),
  });
  const total = answer.headers["content-encoding"] ? Number.NaN : Number(answer.headers["content-length"]);
  const path = join(folder, "source");
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      onProgress?.(total > 0 ? Math.min(1, bytes / total) : undefined);
      done(null, chunk);
    },
  });
  await pipeline(answer.body, counter, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  const fileName = nameOf(answer.headers["content-disposition"], answer.url);
  const contentType = answer.headers["content-type"];
  return {
    path,
    isOurs: true,
    bytes,
    ...(fileName !== undefined && { fileName }),
    ...(contentType !== undefined && { contentType }),
  };
}

const NAME_CHARACTERS = 255;

/** The name that a server gives the file, or the last part of its address. Good for a clue and a label only. */
function nameOf(disposition: string | undefined, url: string): string | undefined {
  const extended = /filename\*=(?:utf-8|iso-8859-1)''([^;\s]+)/i.exec(disposition ?? "")?.[1];
  const plain = /filename="?([^";]+)/i.exec(disposition ?? "")?.[1];
  const name = plainName(extended) ?? plain ?? plainName(new URL(url).pathname);
  const last = name?.split(/[\\/]/).at(-1)?.trim().slice(0, NAME_CHARACTERS);
  return last === "" ? undefined : last;
}

function plainName(escaped: string | undefined): string | undefined {
  try {
    return escaped === undefined ? undefined : decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

export async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(LIMITS.files.headBytes),
      0,
      LIMITS.files.headBytes,
      0,
    );
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The file is larger than ${megabytes(maxBytes)}.`, {
    hint: "Split it, and push or import the pieces.",
  });
}
