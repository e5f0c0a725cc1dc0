import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestIdentity, type TestIdentity } from "../../../../test/support/identity.ts";
import { MS } from "../../../kernel/clock.ts";
import { ConnectedApps } from "./connected-apps.store.ts";
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

describe("connected apps", () => {
  it("are forgotten when their last token has expired", async () => {
    const { id: workspaceId } = await test.identity.workspaces.bySlug("acme");
    const client = { clientId: "c", clientName: "An app", scopes: ["memory:read"] as const };
    for (const grantId of ["short", "long"]) await apps.add({ grantId, accountId, workspaceId, ...client });
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
