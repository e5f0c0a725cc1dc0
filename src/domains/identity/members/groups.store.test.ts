import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestIdentity, type TestIdentity } from "../../../../test/support/identity.ts";

let world: TestIdentity;
beforeAll(async () => {
  world = await openTestIdentity();
});
afterAll(() => world[Symbol.asyncDispose]());

test("groups have members of their own workspace only", async () => {
  const { groups } = world.identity;
  const { id } = await groups.create({
    workspace: "acme",
    name: "finance",
    displayName: "Finance & Controlling",
  });
  const finance = { workspace: "acme", group: "finance" };
  await groups.addMember({ ...finance, email: "viewer@acme.test" });
  await groups.addMember({ ...finance, email: "Viewer@acme.test" });
  await groups.addMember({ ...finance, email: "admin@acme.test" });
  await expect(groups.addMember({ ...finance, email: "boss@globex.test" })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(
    groups.addMember({ workspace: "globex", group: "finance", email: "boss@globex.test" }),
  ).rejects.toMatchObject({
    code: "not_found",
  });
  const listed = { id, name: "finance", displayName: "Finance & Controlling" };
  expect(await groups.list("acme")).toEqual([
    { ...listed, members: ["admin@acme.test", "viewer@acme.test"] },
  ]);
  expect(await groups.list("globex")).toEqual([]);
  await groups.removeMember({ ...finance, email: "admin@acme.test" });
  await groups.removeMember({ ...finance, email: "admin@acme.test" });
  expect(await groups.list("acme")).toEqual([{ ...listed, members: ["viewer@acme.test"] }]);
});

test("a name is taken once in a workspace, and again in another", async () => {
  const { groups } = world.identity;
  await groups.create({ workspace: "acme", name: "sales" });
  await groups.create({ workspace: "globex", name: "sales" });
  await expect(groups.create({ workspace: "acme", name: "sales" })).rejects.toMatchObject({
    code: "conflict",
  });
  await expect(groups.create({ workspace: "acme", name: "" })).rejects.toMatchObject({ code: "bad_request" });
});

test("who leaves the workspace leaves its groups, and the database itself refuses strangers", async () => {
  const { identity, catalog } = world;
  await identity.groups.create({ workspace: "acme", name: "board" });
  await identity.groups.addMember({ workspace: "acme", group: "board", email: "contributor@acme.test" });
  const stranger = `INSERT INTO group_members (workspace_id, group_id, account_id)
    SELECT groups.workspace_id, groups.id, accounts.id FROM groups, accounts WHERE groups.name = 'board' AND email = 'boss@globex.test'`;
  await expect(catalog.pool.query(stranger)).rejects.toMatchObject({ code: "23503" });
  await catalog.pool.query(
    "DELETE FROM members USING accounts WHERE accounts.id = account_id AND email = 'contributor@acme.test'",
  );
  const board = (await identity.groups.list("acme")).find(({ name }) => name === "board");
  expect(board?.members).toEqual([]);
});
