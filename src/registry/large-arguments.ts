import { AppError, isAppError } from "../kernel/errors.ts";
import { JsonSlice } from "../kernel/json-slice.ts";
import { LIMITS } from "../kernel/limits.ts";
import { sanitise } from "../kernel/sanitise.ts";

/**
 * The arguments of a call without control characters. Those that came unparsed because they are large are read here
 * if they are texts; of a list of rows the handler takes care, and an empty one stands in its place.
 */
export async function readArguments(
  args: unknown,
  listName: string | undefined,
): Promise<{ plain: unknown; longList?: JsonSlice }> {
  const large = largeOnes(args);
  if (large.length === 0) return { plain: sanitise(args) };
  const names = new Set(large.map(([name]) => name));
  const rest = Object.entries(args as object).filter(([name]) => !names.has(name));
  const small = sanitise(Object.fromEntries(rest));
  const read: [string, unknown][] = [];
  let longList: JsonSlice | undefined;
  for (const [name, slice] of large) {
    if (slice.isText) read.push([name, await slice.text()]);
    else if (name === listName) {
      longList = slice;
      read.push([name, []]);
    } else read.push([name, smallList(name, slice)]);
  }
  const plain = Object.fromEntries([...Object.entries(small), ...read]);
  return { plain, ...(longList !== undefined && { longList }) };
}

function largeOnes(args: unknown): [string, JsonSlice][] {
  if (typeof args !== "object" || args === null) return [];
  return Object.entries(args).filter((entry): entry is [string, JsonSlice] => entry[1] instanceof JsonSlice);
}

/** Lists are kept apart also for their long numbers, for which other tools have no use. */
function smallList(name: string, slice: JsonSlice): unknown {
  if (slice.bytes.length > LIMITS.request.largeRowsBytes) throw tooManyValues(name);
  try {
    return sanitise(JSON.parse(Buffer.from(slice.bytes).toString("utf8")));
  } catch (cause) {
    throw isAppError(cause) ? cause : new AppError("bad_request", `${name} is not valid JSON.`, { cause });
  }
}

function tooManyValues(name: string): AppError {
  return new AppError("too_large", `${name} holds more than this tool takes.`, {
    hint: "Rows are sent as rows of {tool:push_data}.",
  });
}
