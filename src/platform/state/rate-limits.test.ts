import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryState } from "./memory-state.ts";
import { createRateLimits } from "./rate-limits.ts";
import type { SharedState } from "./shared-state.ts";

const MINUTE = 60_000;

describe("rate limits", () => {
  let state: SharedState;
  beforeEach(() => {
    state = createMemoryState();
  });
  afterEach(() => state.close());

  const limitsOf = (shared: SharedState) =>
    createRateLimits(shared, {
      "agent.ask": { points: 5, windowMs: MINUTE, per: ["user"] },
      "agent.tool": { points: 2, windowMs: MINUTE, per: ["user", "tool"] },
      "transport.address": { points: 3, windowMs: MINUTE, per: ["address"] },
      "transport.token": { points: 2, windowMs: MINUTE, per: ["tokenHash"] },
    });

  it("counts each user by itself and says when to come back", async () => {
    const limits = limitsOf(state);
    for (let turn = 0; turn < 5; turn += 1) await limits.take(["agent.ask"], { user: "1" });
    await expect(limits.take(["agent.ask"], { user: "1" })).rejects.toMatchObject({
      code: "rate_limited",
      hint: expect.stringMatching(/Try again in (60|5\d) s/),
      data: { limit: "agent.ask", retryAfterSeconds: expect.any(Number), retryAfterMs: expect.any(Number) },
    });
    await limits.take(["agent.ask"], { user: "2" });
  });

  it("refuses when either of two limits is used up", async () => {
    const limits = limitsOf(state);
    const both = ["transport.address", "transport.token"] as const;
    await limits.take(both, { address: "203.0.113.1", tokenHash: "t1" });
    await limits.take(both, { address: "203.0.113.1", tokenHash: "t1" });
    await expect(limits.take(both, { address: "203.0.113.2", tokenHash: "t1" })).rejects.toMatchObject({
      data: { limit: "transport.token" },
    });
    await limits.take(both, { address: "203.0.113.1", tokenHash: "t2" });
    await expect(limits.take(both, { address: "203.0.113.1", tokenHash: "t3" })).rejects.toMatchObject({
      data: { limit: "transport.address" },
    });
  });

  it("counts combinations apart, without mixing up their parts", async () => {
    const limits = limitsOf(state);
    for (const subject of [
      { user: "1", tool: "1" },
      { user: "1", tool: "1" },
      { user: "11", tool: "" },
      { user: "", tool: "11" },
    ]) {
      await limits.take(["agent.tool"], subject);
    }
    await expect(limits.take(["agent.tool"], { user: "1", tool: "1" })).rejects.toMatchObject({
      code: "rate_limited",
    });
  });

  it("takes an IPv6 network of one customer as one address", async () => {
    const limits = limitsOf(state);
    for (const host of ["1", "2:3", "ffff"])
      await limits.take(["transport.address"], { address: `2a00:1:2:3::${host}` });
    await expect(limits.take(["transport.address"], { address: "2a00:1:2:3:4::5" })).rejects.toMatchObject({
      code: "rate_limited",
    });
    await limits.take(["transport.address"], { address: "2a00:1:2:4::1" });
  });

  it("closes when the state cannot be reached", async () => {
    const broken: SharedState = {
      ...state,
      limiter: () => ({ consume: () => Promise.reject(new Error("connection lost")) }),
    };
    await expect(limitsOf(broken).take(["agent.ask"], { user: "1" })).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("is a bug to ask about nobody", async () => {
    await expect(limitsOf(state).take(["agent.ask"], { address: "203.0.113.1" })).rejects.toThrow(TypeError);
  });
});
