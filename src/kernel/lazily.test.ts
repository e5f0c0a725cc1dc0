import { expect, it } from "vitest";
import { lazily } from "./lazily.ts";

it("opens once for all who ask, and again after a failure", async () => {
  let opened = 0;
  const open = lazily(async () => {
    opened += 1;
    if (opened === 1) throw new Error("no room");
    return opened;
  });
  expect(opened).toBe(0);
  const [first, second] = [open(), open()];
  await expect(first).rejects.toThrow("no room");
  await expect(second).rejects.toThrow("no room");
  expect(await Promise.all([open(), open()])).toEqual([2, 2]);
  expect(await open()).toBe(2);
});
