import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openTestIdentity, type TestIdentity } from "../../../../test/support/identity.ts";
import { MS } from "../../../kernel/time.ts";
import { ConnectedApps, type Consent } from "./connected-apps.store.ts";
import { OAuthRecords } from "./oauth-records.store.ts";

let test: TestIdentity;
let apps: ConnectedApps;
let records: OAuthRecords;
let accountId: number;

beforeAll(async () => {
  test = await openTestIdentity();
  apps = new ConnectedApps(test.catalog, test.clock, test.identity.audit);
  records = new OAuthRecords(test.catalog, test.clock);
  const [member] = await test.identity.users.list({ workspace: "acme" });
  accountId = member?.userId ?? 0;
});
afterAll(() => test[Symbol.asyncDispose]());

function connect(grantId: string, change: Partial<Consent> = {}) {
  const asked = ["memory:read", "memory:write"] as const;
  const client = { clientId: "c", clientName: "An app" };
  const consent = { accountId, workspace: "acme", ...client, asked, allowed: ["memory:read"], ...change };
  return apps.connect(consent, async () => grantId);
}

describe("connected apps", () => {
  it("get what was asked for and allowed, and nothing else", async () => {
    const saved = vi.fn(async () => "given");
    const asked = ["memory:read", "memory:write", "memory:read"] as const;
    const client = { clientId: "c", clientName: "An app" };
    const allowed = ["admin", "memory:read", "rubbish"];
    await apps.connect({ accountId, workspace: "acme", ...client, asked, allowed }, saved);
    expect(saved).toHaveBeenCalledWith({ granted: ["memory:read"], declined: ["memory:write"] });
    expect(await apps.list(accountId)).toMatchObject([{ grantId: "given", scopes: ["memory:read"] }]);
    await apps.revoke(accountId, "given");
  });

  it.each([
    ["nothing of what was asked for", { allowed: ["admin"] }, /Allow at least one/],
    ["a workspace of somebody else's", { workspace: "globex" }, /one of your workspaces/],
    ["no workspace", { workspace: "" }, /one of your workspaces/],
  ])("are not connected with %s", async (_, change, problem) => {
    await expect(connect("refused", change)).rejects.toThrow(problem);
    expect(await apps.list(accountId)).toEqual([]);
  });

  it("are forgotten when their last token has expired", async () => {
    for (const grantId of ["short", "long"]) await connect(grantId);
    await records.put("RefreshToken", "a", { grantId: "short" }, (2 * MS.day) / 1_000);
    await records.put("RefreshToken", "b", { grantId: "long" }, (9 * MS.day) / 1_000);
    const listedAfterSweep = async () => {
      await records.sweep();
      await apps.sweep();
      return (await apps.list(accountId)).map(({ grantId }) => grantId).toSorted();
    };
    expect(await listedAfterSweep()).toEqual(["long", "short"]);
    test.clock.advance(3 * MS.day);
    expect(await listedAfterSweep()).toEqual(["long"]);
    test.clock.advance(7 * MS.day);
    expect(await listedAfterSweep()).toEqual([]);
  });

  it("of a disabled account are no longer active", async () => {
    expect(await apps.isActive(accountId)).toBe(true);
    expect(await apps.isActive(999)).toBe(false);
    const [member] = await test.identity.users.list({ workspace: "acme" });
    await test.identity.users.disable(member?.email ?? "");
    expect(await apps.isActive(accountId)).toBe(false);
  });
});
