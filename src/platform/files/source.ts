import { createWriteStream } from "node:fs";
import { open, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { yieldToEventLoop } from "../../kernel/concurrency.ts";
import { AppError } from "../../kernel/errors.ts";
import type { GuardedFetch } from "../guarded-fetch/index.ts";
import { decodeBase64, type InlineBytes, isDataUrl, looksLikeBase64 } from "./base64.ts";
import { megabytes } from "./excerpts.ts";
import { LIMITS } from "./limits.ts";
import { hasSignature } from "./magic.ts";

/** Where the bytes come from: exactly one of `content`, `fileUrl` and `path`. */
export interface FileSource {
  /** Text as it is, or base64. */
  content?: string | undefined;
  /** Without it, base64 is known by the declared kind, or by what it turns out to hold. */
  contentEncoding?: "text" | "base64" | undefined;
  fileUrl?: string | undefined;
  /** A file on this machine, named by its operator or by us and never by a caller. It stays where it is. */
  path?: string | undefined;
  /** What such a file is called, where its path does not say. */
  fileName?: string | undefined;
}

export interface SourceTools {
  fetch: Pick<GuardedFetch, "download">;
  /** What is read is written here. */
  folder: string;
  /** It is said to be of a kind that is no text, and comes as base64 where it comes as content. */
  isBinary?: boolean;
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
  /** What was assumed about it. */
  note?: string;
}

/** Puts what a caller sent, or has us fetch, into a file. */
export async function readSource(source: FileSource, tools: SourceTools): Promise<SourceFile> {
  const { content, fileUrl, path } = source;
  const given = [content, fileUrl, path].filter((each) => each !== undefined && each !== "");
  if (given.length > 1) {
    throw new AppError("bad_request", "Both a content and a URL were given.", { hint: "Give one of them." });
  }
  if (given.length === 0) {
    if (content === "") throw emptyFile();
    throw new AppError("bad_request", "There is no file.", { hint: "Give the content, or a URL." });
  }
  if (path) return localFile(path, source.fileName);
  const file = content ? await writeContent(content, source, tools) : await download(fileUrl!, tools);
  if (file.bytes === 0) throw emptyFile();
  return file;
}

async function localFile(path: string, fileName = basename(path)): Promise<SourceFile> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new AppError("not_found", `${path} cannot be read (${error.code}).`, { cause: error });
  });
  if (!info.isFile()) throw new AppError("bad_request", `${path} is not a file.`);
  if (info.size === 0) throw emptyFile();
  return { path, isOurs: false, bytes: info.size, fileName };
}

async function writeContent(content: string, source: FileSource, tools: SourceTools): Promise<SourceFile> {
  const { bytes, contentType, note } = await contentBytes(content, source, tools);
  const maxBytes = tools.maxBytes ?? LIMITS.files.sourceBytes;
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  const path = join(tools.folder, "source");
  await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
  return {
    path,
    isOurs: true,
    bytes: bytes.length,
    ...(contentType !== undefined && { contentType }),
    ...(note !== undefined && { note }),
  };
}

/** Each look at the whole text takes a while, and others have their turn in between. */
async function contentBytes(
  content: string,
  { contentEncoding }: FileSource,
  { isBinary = false }: SourceTools,
): Promise<InlineBytes & { note?: string }> {
  await yieldToEventLoop();
  if (contentEncoding === "base64") return decodeBase64(content);
  if (contentEncoding === "text") return { bytes: Buffer.from(content) };
  // Such files have no other way into a text; whether they are what they are said to be is seen later.
  if (isBinary || isDataUrl(content)) return decodeBase64(content);
  const decoded = looksLikeBase64(content) ? await decodeBase64(content).catch(() => undefined) : undefined;
  if (decoded === undefined) return { bytes: Buffer.from(content) };
  // Binary files come in no other way, so that nothing was assumed.
  return hasSignature(decoded.bytes) ? decoded : { ...decoded, note: "The content was taken for base64." };
}

/** What comes while a write is under way is written with the next one: large writes cost little. */
const WRITE_BYTES = 4 * 1024 * 1024;
const PROGRESS_MS = 250;

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
  const target = createWriteStream(path, { flags: "wx", mode: 0o600, highWaterMark: WRITE_BYTES });
  const tell = (): void => onProgress?.(total > 0 ? Math.min(1, target.bytesWritten / total) : undefined);
  const timer = setInterval(() => {
    try {
      tell();
    } catch (error) {
      target.destroy(error as Error);
    }
  }, PROGRESS_MS);
  await pipeline(answer.body, target).finally(() => clearInterval(timer));
  tell();
  const fileName = nameOf(answer.headers["content-disposition"], answer.url);
  const contentType = answer.headers["content-type"];
  return {
    path,
    isOurs: true,
    bytes: target.bytesWritten,
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

export function emptyFile(): AppError {
  return new AppError("bad_request", "The file is empty.", {
    hint: "Send one that has something in it.",
  });
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The file is larger than ${megabytes(maxBytes)}.`, {
    hint: "Split it, and push or import the pieces.",
  });
}
