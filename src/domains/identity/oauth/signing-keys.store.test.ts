import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestCatalog } from "../../../../test/support/database.ts";
import { TestClock } from "../../../../test/support/identity.ts";
import { MS } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { createVault } from "../../../platform/vault/index.ts";
import { SigningKeys } from "./signing-keys.store.ts";

let catalog: Catalog;
let clock: TestClock;

beforeEach(async () => {
  catalog = await openTestCatalog();
  clock = new TestClock();
});
afterEach(() => catalog.close());

const keysWith = (root = "r".repeat(32)) => new SigningKeys(catalog, createVault({ root }), clock);
const kidsOf = async (keys: SigningKeys) => (await keys.current()).map(({ kid }) => kid);

describe("signing keys", () => {
  it("are made once, also by several servers that start at once", async () => {
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => kidsOf(keysWith())));
    expect(first).toHaveLength(1);
    for (const other of others) expect(other).toEqual(first);
  });

  it("are published before they sign, and after", async () => {
    const keys = keysWith();
    const [old] = await kidsOf(keys);
    clock.advance(89 * MS.day);
    expect(await kidsOf(keys)).toEqual([old]);
    clock.advance(2 * MS.day);
    const [signer, next] = await kidsOf(keys);
    expect(signer, "no other server may know the new one yet").toBe(old);
    expect(next).toEqual(expect.any(String));
    clock.advance(4 * MS.hour);
    expect(await kidsOf(keys)).toEqual([next, old]);
    clock.advance(366 * MS.day);
    expect(await kidsOf(keys)).not.toContain(old);
  });

  it("are kept sealed, and are lost with the root secret", async () => {
    const [key] = await keysWith().current();
    const { rows } = await catalog.db.execute("SELECT sealed FROM signing_keys");
    expect(JSON.stringify(rows)).not.toContain(key?.d);
    const [other] = await kidsOf(keysWith("s".repeat(32)));
    expect(other).not.toBe(key?.kid);
  });
});
