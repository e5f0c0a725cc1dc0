import { afterAll, beforeEach, expect, test } from "vitest";
import { openTestCatalog } from "../../../test/support/database.ts";
import { identityOn } from "../../../test/support/identity.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import type { FirstAdmin } from "./identity.ts";

let catalog: Catalog;
beforeEach(async () => {
  await catalog?.close();
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());

test("of ten servers that start at once, one makes the admin and knows the password", async () => {
  const servers = Array.from({ length: 10 }, () => identityOn(catalog));
  const kept: FirstAdmin[] = [];
  const made = await Promise.all(
    servers.map((server) => server.ensureFirstAdmin({ keep: (admin) => void kept.push(admin) })),
  );
  const [admin, ...others] = made.filter((each) => each !== null);
  expect(others).toEqual([]);
  expect(kept).toEqual([admin]);
  expect(admin).toMatchObject({ email: "admin@localhost", workspace: "default" });
  const [server] = servers;
  expect(
    await server?.users.signIn("admin@localhost", admin?.password ?? "", { address: "::1", requestId: "r" }),
  ).toMatchObject({
    email: "admin@localhost",
  });
  expect(await server?.users.list()).toMatchObject([{ role: "admin", workspace: "default" }]);
  await Promise.all(servers.map((each) => each.close()));
});

test("nothing is made when there is an account, and a broken start is made good by the next", async () => {
  const identity = identityOn(catalog);
  const broken = identity.ensureFirstAdmin({
    keep: () => {
      throw new Error("disk full");
    },
  });
  await expect(broken).rejects.toThrow("disk full");
  expect(await identity.users.list()).toEqual([]);
  expect(await identity.ensureFirstAdmin()).not.toBeNull();
  expect(await identity.ensureFirstAdmin()).toBeNull();
  await identity.close();
});
