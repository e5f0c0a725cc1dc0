import { AppError } from "../../../kernel/errors.ts";

const DATA_URL = /^data:([^,;]{0,100})(?:;[^,;]{0,100})*?;base64,/i;

export interface InlineBytes {
  bytes: Buffer;
  contentType?: string;
}

/**
 * The bytes of a text that holds base64: with or without line breaks and padding, in either alphabet, or as a
 * data URL. Strict about everything else: Node would skip what it does not know, and half a file with it.
 */
export function decodeBase64(text: string): InlineBytes {
  const url = DATA_URL.exec(text);
  const body = (url === null ? text : text.slice(url[0].length)).replace(/\s+/g, "");
  const contentType = url?.[1] ? { contentType: url[1] } : {};
  const letters = body.replace(/={1,2}$/, "");
  if (!/^[A-Za-z0-9+/_-]*$/.test(letters)) throw notBase64("It has characters that base64 does not have.");
  if (letters.length % 4 === 1 || (body.length > letters.length && body.length % 4 !== 0)) {
    throw notBase64("It is cut off.");
  }
  return {
    bytes: Buffer.from(letters, letters.includes("-") || letters.includes("_") ? "base64url" : "base64"),
    ...contentType,
  };
}

/** Base64 of the first bytes of a zip (Excel), Parquet or gzip file, or of an old Excel file. */
const BINARY_BEGINNINGS = /^\s*(?:UEsDB|UEFSM[Q-Za-f]|H4sI|0M8R4KGxGuE)[A-Za-z0-9+/_\s-]*={0,2}\s*$/;

/** Whether a text of which nothing was said is a binary file in base64. */
export function looksLikeBase64(text: string): boolean {
  return DATA_URL.test(text) || BINARY_BEGINNINGS.test(text);
}

function notBase64(why: string): AppError {
  return new AppError("bad_request", `The content is not base64. ${why}`, {
    hint: "Excel and Parquet files are sent as base64, or by fileUrl; texts are sent as they are.",
  });
}
