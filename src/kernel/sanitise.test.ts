import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "./limits.ts";
import { sanitise, sanitiseText } from "./sanitise.ts";

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
