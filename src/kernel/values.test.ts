import fc from "fast-check";
import { expect, it } from "vitest";
import { withoutFloatNoise } from "./values.ts";

it.each<[number, number]>([
  [7958161.349999884, 7958161.35],
  [2487339.5700000003, 2487339.57],
  [0.1 + 0.2, 0.3],
  [1.005 * 1000, 1005],
  [4.35 * 100, 435],
  [-0.30000000000000004, -0.3],
  [5001142370.400001, 5001142370.4],
  [100000.00000000087, 100000],
  [123456789012.35002, 123456789012.35],
  // Nothing is taken for noise that is none.
  [0.1234, 0.1234],
  [12.000001, 12.000001],
  [1.0000001, 1.0000001],
  [123456.000001, 123456.000001],
  [1.00000000001, 1.00000000001],
  [33.333333333333336, 33.333333333333336],
  [2 / 3, 2 / 3],
  [497.3684403119388, 497.3684403119388],
  [1.000000000001, 1.000000000001],
  [0, 0],
  [1e300, 1e300],
  [5e-324, 5e-324],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])("%d is %d", (value, expected) => {
  expect(withoutFloatNoise(value)).toBe(expected);
});

it("changes no number of up to 14 digits, and none by more than its noise", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 }),
      fc.integer({ min: 0, max: 20 }),
      (n, e) => {
        const value = Number(`${n}e-${e}`);
        return Object.is(withoutFloatNoise(value), value);
      },
    ),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const after = withoutFloatNoise(value);
      return Math.abs(after - value) <= Math.abs(value) * 6e-12 && withoutFloatNoise(after) === after;
    }),
  );
});
