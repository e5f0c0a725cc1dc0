import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signDistances, signWords, Vectors } from "./vectors.ts";

function bitsOf(word: number): number {
  return (word >>> 0).toString(2).replaceAll("0", "").length;
}

describe("signs", () => {
  it("differ in as many places as their bits do, for any width and number of slots", () => {
    const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const width = fc.constantFrom(1, 100, 128, 384, 768, 1_024, 4_096);
    fc.assert(
      fc.property(width, fc.constantFrom(1, 3, 1_024, 2_500), word, word, (wide, count, a, b) => {
        const words = signWords(wide);
        const signs = Int32Array.from({ length: words * count }, (_, i) => Math.imul(a + i, 0x9e3779b1));
        const asked = Int32Array.from({ length: words }, (_, i) => Math.imul(b - i, 0x85ebca6b));
        const distances = signDistances(asked, signs, count);
        for (const slot of [0, count >> 1, count - 1]) {
          let differing = 0;
          for (let i = 0; i < words; i++) differing += bitsOf(asked[i]! ^ signs[slot * words + i]!);
          expect(distances[slot]).toBe(differing);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("vectors", () => {
  it("finds among thousands the nearest that the mask lets through, and none that is gone", () => {
    const vectors = new Vectors("model");
    let state = 7;
    const next = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state >>> 24) - 128;
    };
    const all = Array.from({ length: 5_000 }, () => Int8Array.from({ length: 64 }, next));
    for (const [slot, vector] of all.entries()) vectors.set(slot, vector);
    const query = Float32Array.from(all[4_321]!, (value) => value / 100);
    const mask = new Uint8Array(5_000).fill(1);
    expect(vectors.search(query, mask, 3)[0]?.slot).toBe(4_321);
    mask[4_321] = 0;
    const [second] = vectors.search(query, mask, 3);
    expect(second?.slot).not.toBe(4_321);
    vectors.clear(second!.slot);
    expect(vectors.search(query, mask, 5_000).map(({ slot }) => slot)).not.toContain(second!.slot);
  });
});
