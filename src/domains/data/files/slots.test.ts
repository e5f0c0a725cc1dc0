import { describe, expect, it } from "vitest";
import { Slots } from "./slots.ts";

/** Takes a place for each name, and notes who got one in which order. */
function queue(slots: Slots, scopes: string): { order: string[]; done: Promise<unknown> } {
  const order: string[] = [];
  const takes = [...scopes].map(async (scope) => {
    const slot = await slots.take(scope);
    order.push(scope);
    return slot;
  });
  return { order, done: Promise.all(takes) };
}

/** Gives a place back and lets whoever gets it go on. */
async function giveBack(slots: Slots, slot: number): Promise<void> {
  slots.giveBack(slot);
  await new Promise((resolve) => setImmediate(resolve));
}

describe("slots", () => {
  it("go round the scopes that wait, each in the order in which it came", async () => {
    const slots = new Slots(1, 100);
    const slot = await slots.take("a");
    const { order } = queue(slots, "aaaabcb");
    for (let turn = 0; turn < 7; turn += 1) await giveBack(slots, slot);
    expect(order.join("")).toBe("abcabaa");
  });

  it("are never given twice", async () => {
    const slots = new Slots(2, 100);
    const taken = [await slots.take("a"), await slots.take("a")];
    expect(new Set(taken).size).toBe(2);
    const third = slots.take("b");
    slots.giveBack(taken[0] as number);
    expect(await third).toBe(taken[0]);
    slots.giveBack(taken[1] as number);
    expect(await slots.take("c")).toBe(taken[1]);
  });

  it("leave half of the waiting room to others", async () => {
    const slots = new Slots(1, 4);
    const slot = await slots.take("a");
    const { order } = queue(slots, "aabb");
    await expect(slots.take("a")).rejects.toMatchObject({ code: "unavailable" });
    await expect(slots.take("c")).rejects.toMatchObject({ code: "unavailable" });
    await giveBack(slots, slot);
    const late = slots.take("c");
    for (let turn = 0; turn < 4; turn += 1) await giveBack(slots, slot);
    expect(await late).toBe(slot);
    expect(order.join("")).toBe("abab");
  });

  it("are not kept for those who have gone", async () => {
    const slots = new Slots(1, 4);
    const slot = await slots.take("a");
    const gone = new AbortController();
    const first = slots.take("b", gone.signal);
    const second = slots.take("c");
    gone.abort();
    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    await giveBack(slots, slot);
    expect(await second).toBe(slot);
    await expect(slots.take("d", gone.signal)).rejects.toMatchObject({ code: "cancelled" });
  });
});
