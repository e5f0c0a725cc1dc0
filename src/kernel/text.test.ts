import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "./limits.ts";
import { assertVisible, invisibleIn, nearest, sanitise, sanitiseText } from "./text.ts";

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

const nested = (depth: number): unknown => (depth === 0 ? "leaf" : [nested(depth - 1)]);

const STRIPPED = [...range(0x00, 0x08), 0x0b, 0x0c, ...range(0x0e, 0x1f), 0x7f];

describe("sanitise", () => {
  it("strips exactly the documented control characters", () => {
    for (let code = 0; code <= 0xff; code += 1) {
      const expected = STRIPPED.includes(code) ? "ab" : `a${String.fromCharCode(code)}b`;
      expect(sanitiseText(`a${String.fromCharCode(code)}b`), `U+${code.toString(16)}`).toBe(expected);
    }
  });

  it("reaches every string, also those in names", () => {
    expect(sanitise({ a: ["x\u0000", { b: "y\u007f" }], "c\u0007d": 1, e: null })).toEqual({
      a: ["x", { b: "y" }],
      cd: 1,
      e: null,
    });
  });

  it("gives back the same reference when nothing had to change, in whole or in part", () => {
    const kept = { rows: [{ name: "Müller", note: "line\nline\ttab\r" }] };
    expect(sanitise(kept)).toBe(kept);
    const changed = sanitise({ kept, dirty: "\u0001" });
    expect(changed.kept).toBe(kept);
    expect(changed.dirty).toBe("");
  });

  it("refuses names that become one", () => {
    expect(() => sanitise({ a: 1, "a\u0000": 2 })).toThrow(/differ by control characters/);
  });

  it("does not let __proto__ become a prototype", () => {
    const cleaned = sanitise(JSON.parse('{"__proto__": {"admin": true}, "x": "\\u0000"}'));
    expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype);
    expect(cleaned.admin).toBeUndefined();
    expect(JSON.stringify(cleaned)).toBe('{"__proto__":{"admin":true},"x":""}');
  });

  it("replaces half surrogate pairs and leaves whole ones", () => {
    expect(sanitiseText("a\ud800b")).toBe("a\ufffdb");
    expect(sanitiseText("a😀b")).toBe("a😀b");
  });

  it("bounds the depth", () => {
    expect(sanitise(nested(LIMITS.request.argumentDepth))).toBeDefined();
    expect(() => sanitise(nested(LIMITS.request.argumentDepth + 1))).toThrow(/nested more than 64 levels/);
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => sanitise(circle)).toThrow(/nested/);
  });

  it("leaves any JSON value clean, and a clean one alone", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: "binary" }), (value) => {
        let once: unknown;
        try {
          once = sanitise(value);
        } catch {
          return;
        }
        expect(sanitise(once)).toBe(once);
      }),
    );
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
