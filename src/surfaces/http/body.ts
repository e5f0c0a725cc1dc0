import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";

/** The JSON of a request, bounded in bytes and depth. */
export async function readBody(
  request: Request,
  maxBytes: number = LIMITS.request.bodyBytes,
): Promise<unknown> {
  const body = parse(await readText(request, maxBytes));
  // What walks through the body later (we, the SDK, JSON.stringify) would run out of stack.
  if (isDeeperThan(LIMITS.request.bodyDepth, body)) {
    const sentence = `the request body is nested more than ${LIMITS.request.bodyDepth} levels deep.`;
    throw new AppError("bad_request", `Parse error: ${sentence}`);
  }
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad_request", "Parse error: the request body is not valid JSON.", { cause });
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(levels - 1, item));
  for (const name in value) {
    if (isDeeperThan(levels - 1, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const declared = request.headers.get("content-length");
  const tooLarge = () =>
    new AppError("too_large", `The request is larger than ${maxBytes} bytes.`, {
      hint: "Send less at a time, and import large files by their URL (file_url).",
    });
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw tooLarge();
    // The server reads no more than was declared, so this is bounded; and it is the fast way.
    return decode(await request.arrayBuffer().catch(goneAway));
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

/** A client that leaves in the middle of its request has made no mistake, and neither have we. */
function goneAway(cause: unknown): never {
  throw new AppError("cancelled", "The request ended before it was complete.", { cause });
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (cause) {
    throw new AppError("bad_request", "Parse error: the request body is not valid UTF-8.", { cause });
  }
}
