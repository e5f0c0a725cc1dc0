import { describe, expect, it } from "vitest";
import { type AlertSnapshot, type AlertTransition, type Found, nextAlertState } from "./alert-state.ts";

const CALM: AlertSnapshot = { state: "ok", toldHash: null, toldRows: null, matches: 0, calm: 0, failures: 0 };
const match = (hash: string): Found => ({ kind: "match", hash });
const calm: Found = { kind: "calm" };
const failed: Found = { kind: "failed", isFinal: false };

/** State and happening after each check. */
function follow(checks: readonly Found[], calmNeeded = 1, hold = 1): [string, AlertTransition | null][] {
  let standing = CALM;
  return checks.map((found) => {
    const { after, happening } = nextAlertState(standing, found, { calm: calmNeeded, hold });
    standing = after;
    return [after.state, happening];
  });
}

describe("an alert", () => {
  it("is told when it fires, when other rows match, and when it recovers", () => {
    expect(follow([calm, match("a"), match("a"), match("b"), calm, calm])).toEqual([
      ["ok", null],
      ["firing", "fired"],
      ["firing", null],
      ["firing", "changed"],
      ["ok", "recovered"],
      ["ok", null],
    ]);
  });

  it("does not flap where several calm checks are needed", () => {
    expect(follow([match("a"), calm, match("a"), calm, calm], 2)).toEqual([
      ["firing", "fired"],
      ["recovering", null],
      ["firing", null],
      ["recovering", null],
      ["ok", "recovered"],
    ]);
  });

  it("keeps its state until three checks have failed, tells of that once, and does not fire again after it", () => {
    expect(follow([match("a"), failed, failed, failed, failed, match("a"), calm])).toEqual([
      ["firing", "fired"],
      ["firing", null],
      ["firing", null],
      ["error", "error"],
      ["error", null],
      ["firing", "repaired"],
      ["ok", "recovered"],
    ]);
    expect(follow([failed, failed, calm, failed, failed])).toEqual([
      ["ok", null],
      ["ok", null],
      ["ok", null],
      ["ok", null],
      ["ok", null],
    ]);
  });

  it("is in its error state at once when no check can go better", () => {
    expect(follow([{ kind: "failed", isFinal: true }, calm])).toEqual([
      ["error", "error"],
      ["ok", "repaired"],
    ]);
  });

  it("gets back its standing alone, whatever else it has", () => {
    const more = { ...CALM, id: 7 };
    for (const found of [match("a"), calm, failed, { kind: "unknown" } as const])
      expect(nextAlertState(more, found, { calm: 1, hold: 1 }).after).not.toHaveProperty("id");
  });

  it("waits for as many matching checks in a row as it is to", () => {
    expect(follow([match("a"), calm, match("a"), match("b"), match("b"), calm], 1, 2)).toEqual([
      ["pending", null],
      ["ok", null],
      ["pending", null],
      ["firing", "fired"],
      ["firing", null],
      ["ok", "recovered"],
    ]);
  });

  it("tells of new rows alone where they are told apart", () => {
    const rows = (...names: string[]): Found => ({ kind: "match", hash: names.join(), rows: names });
    expect(follow([rows("a"), rows("a", "b"), rows("b"), rows("b", "c"), calm, rows("a")])).toEqual([
      ["firing", "fired"],
      ["firing", "changed"],
      ["firing", null],
      ["firing", "changed"],
      ["ok", "recovered"],
      ["firing", "fired"],
    ]);
  });

  it("stays as it is when nothing can be said", () => {
    expect(follow([match("a"), { kind: "unknown" }])).toEqual([
      ["firing", "fired"],
      ["firing", null],
    ]);
  });
});
