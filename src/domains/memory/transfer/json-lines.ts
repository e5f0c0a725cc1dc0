import { isAppError } from "../../../kernel/errors.ts";
import { sanitise } from "../../../kernel/text.ts";
import { type ReadRecord, readRecord } from "./record.ts";
import { graphLine, readGraphLine } from "./server-memory.ts";

/** One memory a line; entities and relations of `@modelcontextprotocol/server-memory` as well. */
export async function* readJsonLines(lines: AsyncIterable<string>): AsyncGenerator<ReadRecord> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === "") continue;
    const at = `line ${number}`;
    let value: unknown;
    try {
      value = sanitise(JSON.parse(number === 1 ? text.replace(/^\uFEFF/, "") : text));
    } catch (error) {
      yield { at, reason: isAppError(error) ? error.message : "It is not JSON." };
      continue;
    }
    const graph = graphLine.safeParse(value);
    yield graph.success ? readGraphLine(graph.data, at) : readRecord(value, at);
  }
}
