import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyQuery, shape, tokenSoup } from "../../../../test/support/c9ql-trees.ts";
import { isAppError } from "../../../kernel/errors.ts";
import { parse } from "./parse.ts";
import { print } from "./print.ts";

const isLong = process.env.KENNING_TEST_LONG !== undefined;

describe("print", { timeout: 300_000 }, () => {
  it("gives a text that reads as the same tree", () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        expect(shape(parse(print(query)))).toEqual(shape(query));
      }),
      { numRuns: isLong ? 20_000 : 1_000 },
    );
  });

  it("gives the same text again for any text that can be read", () => {
    let read = 0;
    fc.assert(
      fc.property(tokenSoup, (text) => {
        const query = parsedOrNothing(text);
        if (query === undefined) return;
        read += 1;
        expect(shape(parse(print(query)))).toEqual(shape(query));
        expect(print(parse(print(query)))).toBe(print(query));
      }),
      { numRuns: isLong ? 100_000 : 5_000 },
    );
    expect(read).toBeGreaterThan(20);
  });

  it("puts a name in quotes where a text needs none", () => {
    const text = 'select date_trunc(d, "month"), date_add(d, 2, "unit"), date_format(d, "a b")';
    expect(print(parse(text))).toBe(text);
  });
});

function parsedOrNothing(text: string) {
  try {
    return parse(text);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}
