import { describe, expect, it } from "vitest";
import { quoteList, quoteName, quoteText } from "./sql-text.ts";

describe("SQL text", () => {
  it("doubles the quotes of names and texts", () => {
    expect(quoteName("a\"b'c")).toBe(`"a""b'c"`);
    expect(quoteText(`a"b'c`)).toBe(`'a"b''c'`);
    expect(quoteList(["a", "'"])).toBe("['a', '''']");
  });

  it.each([
    ["a name", () => quoteName("a\u0000b")],
    ["a text", () => quoteText("\u0000")],
    ["a list", () => quoteList(["a", "b\u0000"])],
  ])("refuses NUL in %s", (_, quote) => {
    expect(quote).toThrow(/NUL/);
  });
});
