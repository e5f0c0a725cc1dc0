import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "./limits.ts";
import { StreamGuard } from "./stream-guard.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream that never ends by itself, and knows whether it was let go. */
function endless() {
  const state = { isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: hello\n\n")),
    cancel: () => {
      state.isCancelled = true;
    },
  });
  return { state, response: new Response(body, { headers: { "content-type": "text/event-stream" } }) };
}

async function read(response: Response): Promise<string> {
  return new TextDecoder().decode((await response.body?.getReader().read())?.value);
}

describe("a guarded stream", () => {
  it("passes on what it carries", async () => {
    const { response } = endless();
    expect(await read(new StreamGuard().guard("ada", response, async () => true))).toBe("data: hello\n\n");
  });

  it("ends when its token is no longer good, or cannot be asked about", async () => {
    for (const check of [async () => false, async () => Promise.reject(new Error("revoked"))]) {
      const { response, state } = endless();
      const guarded = new StreamGuard().guard("ada", response, check);
      await vi.advanceTimersByTimeAsync(LIMITS.session.streamCheckMs);
      expect(state.isCancelled).toBe(true);
      const rest = await new Response(guarded.body).text();
      expect(rest === "" || rest === "data: hello\n\n").toBe(true);
    }
  });

  it("ends of old age", async () => {
    const { response, state } = endless();
    new StreamGuard().guard("ada", response, async () => true);
    await vi.advanceTimersByTimeAsync(LIMITS.session.streamMs - 1);
    expect(state.isCancelled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.isCancelled).toBe(true);
  });

  it("is one of few for each person, and makes room when it is let go", async () => {
    const guard = new StreamGuard();
    const open = Array.from({ length: LIMITS.session.streamsPerUser }, () => {
      guard.admit("ada");
      return guard.guard("ada", endless().response, async () => true);
    });
    expect(() => guard.admit("ada")).toThrow(/open streams/);
    expect(() => guard.admit("bob")).not.toThrow();
    await open[0]?.body?.cancel();
    expect(() => guard.admit("ada")).not.toThrow();
  });

  it("leaves alone what is no stream", () => {
    const answer = Response.json({ error: "no" });
    expect(new StreamGuard().guard("ada", answer, async () => true)).toBe(answer);
  });
});
