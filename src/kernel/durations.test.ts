import { describe, expect, it } from "vitest";
import { parseDuration } from "./durations.ts";

describe("parseDuration", () => {
  it.each([
    ["90d", 90 * 86_400_000],
    ["12h", 43_200_000],
    ["30m", 1_800_000],
    ["1y", 365 * 86_400_000],
    ["2w", 14 * 86_400_000],
    ["3600s", 3_600_000],
    [" 5 D ", 5 * 86_400_000],
  ])("reads %j", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(["", "90", "d", "-1d", "1.5h", "1h30m", "10 days", "90x", "1mo"])(
    "refuses %j and says how to write it",
    (text) => {
      expect(() => parseDuration(text)).toThrow(
        expect.objectContaining({ code: "bad_request", hint: expect.stringContaining("90d") }),
      );
    },
  );

  it.each(["0d", "101y", "999999999999y"])("refuses %j as out of bounds", (text) => {
    expect(() => parseDuration(text)).toThrow(/between one second and 100 years/);
  });
});
