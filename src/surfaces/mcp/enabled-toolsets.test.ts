import { afterEach, describe, expect, it } from "vitest";
import { createMemoryState, type SharedState } from "../../platform/state/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Toolset } from "../../registry/define-tool.ts";
import { LIMITS } from "./limits.ts";
import { EnabledToolsets, type ListOwner } from "./tool-list.ts";

let state: SharedState | undefined;
afterEach(() => state?.close());

function enabledToolsets(idleMs = 60_000): EnabledToolsets {
  state = createMemoryState();
  return new EnabledToolsets({ kv: state.kv, idleMs });
}

function owner({
  workspace = 1,
  user = 1,
  token = 1,
  sessionId = null as string | null,
  clientName = "a",
} = {}) {
  const caller = { workspace: { id: workspace }, user: { id: user }, token: { id: token } };
  return { caller: caller as Caller, sessionId, clientName } satisfies ListOwner;
}

const NOTHING = { toolsets: new Set<Toolset>(), readOnly: false };

async function listed(enabled: EnabledToolsets, of: ListOwner): Promise<Toolset[]> {
  return [...(await enabled.addTo(NOTHING, of)).toolsets].sort();
}

describe("enabled toolsets", () => {
  it("add to what a request chose, and stay with their owner", async () => {
    const enabled = enabledToolsets();
    await Promise.all([enabled.add("modeling", owner()), enabled.add("admin", owner())]);
    expect(await listed(enabled, owner())).toEqual(["admin", "modeling"]);
    const choice = { toolsets: new Set<Toolset>(["models"]), readOnly: true };
    expect(await enabled.addTo(choice, owner())).toEqual({
      toolsets: new Set(["models", "modeling", "admin"]),
      readOnly: true,
    });
    const others = [
      { workspace: 2 },
      { user: 2 },
      { token: 2 },
      { clientName: "b" },
      { clientName: "a:admin" },
      { sessionId: "s" },
    ];
    for (const other of others)
      expect(await listed(enabled, owner(other)), JSON.stringify(other)).toEqual([]);
  });

  it("are kept for a session whatever its token and client", async () => {
    const enabled = enabledToolsets();
    await enabled.add("modeling", owner({ sessionId: "s:1" }));
    expect(await listed(enabled, owner({ sessionId: "s:1", token: 2, clientName: "b" }))).toEqual([
      "modeling",
    ]);
    expect(await listed(enabled, owner({ sessionId: "s" }))).toEqual([]);
  });

  it("make room for each other, of one person", async () => {
    const enabled = enabledToolsets();
    await enabled.add("admin", owner({ user: 2 }));
    for (let n = 0; n <= LIMITS.session.enabledToolsets; n++)
      await enabled.add("admin", owner({ clientName: String(n) }));
    expect(await state?.kv.count("toolsets:1:1:")).toBe(LIMITS.session.enabledToolsets);
    expect(await listed(enabled, owner({ clientName: String(LIMITS.session.enabledToolsets) }))).toEqual([
      "admin",
    ]);
    expect(await listed(enabled, owner({ user: 2 }))).toEqual(["admin"]);
  });
});
