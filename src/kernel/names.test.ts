import { describe, expect, it } from "vitest";
import { assertVisible, invisibleIn } from "./names.ts";

describe("names", () => {
  it.each([
    ["zero width space", "sa\u200bles", "U+200B"],
    ["zero width joiner", "sa\u200dles", "U+200D"],
    ["byte order mark", "\ufeffsales", "U+FEFF"],
    ["soft hyphen", "sa\u00adles", "U+00AD"],
    ["right to left override", "sa\u202eles", "U+202E"],
    ["word joiner", "sales\u2060", "U+2060"],
    ["Hangul filler", "sales\u3164", "U+3164"],
    ["variation selector", "sales\ufe0f", "U+FE0F"],
    ["tag", "sales\u{e0041}", "U+E0041"],
    ["line separator", "sa\u2028les", "U+2028"],
    ["control", "sa\u0007les", "U+0007"],
  ])("with a %s are refused", (_, name, found) => {
    expect(invisibleIn(name)).toBe(found);
    expect(() => assertVisible(name)).toThrow(found);
  });

  it.each([
    "Sales 2026",
    "Umsätze",
    "売上",
    "продажи",
    "مبيعات",
    "बिक्री",
    "Love ❤️ 👨‍👩‍👧 5️⃣",
    "a–b, c/d (e)",
    "a\u00a0b",
  ])("such as %s are not", (name) => expect(invisibleIn(name)).toBeUndefined());
});
