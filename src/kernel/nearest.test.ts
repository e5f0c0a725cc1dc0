import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  it.each([
    ["serv", ["serve", "stdio"], "serve"],
    ["sevre", ["serve", "stdio"], "serve"],
    ["KENNING_HOEM", ["KENNING_HOST", "KENNING_HOME"], "KENNING_HOME"],
    ["Echo", ["echo"], "echo"],
    ["dashboard", ["echo"], undefined],
    ["", ["echo"], undefined],
    ["x".repeat(10_000_000), ["echo"], undefined],
  ])("%.20s among %j is %s", (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });
});
